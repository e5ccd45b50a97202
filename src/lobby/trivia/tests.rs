use super::*;

const QUESTIONS: &str = "q:Who jumps?\na:Super Mario\n";
const ANN: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
const BOB: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

/// A quiz and what it says, with the second it is said in.
struct Table {
    quiz: Trivia,
    now: Time,
    said: Vec<String>,
}

fn note(said: &mut Vec<String>, now: Time, text: Text, params: &[Param<'_>]) {
    let second = now.since(Time::ZERO).as_secs();
    let params = params.iter().map(|param| match param {
        Param::Word(word) => (*word).to_owned(),
        Param::Number(number) => number.to_string(),
        Param::Text(_) | Param::Bytes(_) => unreachable!(),
    });
    let params: Vec<String> = params.collect();
    said.push(
        format!("{second} {text:?} {}", params.join("|"))
            .trim()
            .to_owned(),
    );
}

impl Table {
    fn new(questions: &str, scores: &str) -> Self {
        let mut said = Vec::new();
        let say: Say<'_> = &mut |text, params| note(&mut said, Time::ZERO, text, params);
        let quiz = Trivia::begin(Time::ZERO, questions, scores, 1, say).unwrap();
        Self {
            quiz,
            now: Time::ZERO,
            said,
        }
    }

    fn with(&mut self, act: impl FnOnce(&mut Trivia, Time, Say<'_>)) {
        let (now, said) = (self.now, &mut self.said);
        act(&mut self.quiz, now, &mut |text, params| {
            note(said, now, text, params)
        });
    }

    /// Lets the time pass, looking every second.
    fn until(&mut self, second: u64) {
        while self.now < Time::from_millis(second * 1000) {
            self.now += Duration::from_secs(1);
            while self.quiz.poll_timeout().is_some_and(|at| at <= self.now) {
                self.with(|quiz, now, say| quiz.handle_timeout(now, say));
            }
        }
    }

    fn answer(&mut self, address: IpAddr, name: &str, line: &str) {
        self.with(|quiz, now, say| quiz.hear(now, address, name, line, say));
    }

    #[track_caller]
    fn expect<const N: usize>(&mut self, expected: [&str; N]) {
        assert_eq!(std::mem::take(&mut self.said), expected);
    }
}

#[test]
fn a_question_nobody_answers() {
    let mut table = Table::new(QUESTIONS, "");
    table.until(100);
    table.expect([
        "0 TriviaOn 10",
        "10 TriviaQuestion Who jumps?",
        "20 TriviaTimeLeft 35",
        "35 TriviaHint 1|S_p_r   _a_i_",
        "35 TriviaTimeLeft 20",
        "50 TriviaHint 2|Sup_r   Ma_io",
        "50 TriviaTimeLeft 5",
        "55 TriviaAnswer Super Mario",
        "55 TriviaNext 30",
        "85 TriviaQuestion Who jumps?",
        "95 TriviaTimeLeft 35",
    ]);
}

#[test]
fn who_is_right_first_gets_the_point() {
    let mut table = Table::new(QUESTIONS, "");
    table.answer(ANN, "Ann", "Super Mario");
    table.expect(["0 TriviaOn 10"]);
    table.until(12);
    table.answer(BOB, "Bob", "Mario");
    table.answer(ANN, "Ann", "super mario");
    table.answer(BOB, "Bob", "Super Mario");
    table.expect([
        "10 TriviaQuestion Who jumps?",
        "12 TriviaRight Ann|super mario|1"
            .replace("super mario", "Super Mario")
            .as_str(),
        "12 TriviaNext 30",
    ]);
    table.until(41);
    table.expect([]);
}

#[test]
fn streaks_and_points_are_praised() {
    let scores = "ip:192.0.2.1\ns:23\nn:Ann\n\nip:192.0.2.2\ns:199\nn:Bob\n\n";
    let mut table = Table::new(QUESTIONS, scores);
    table.with(|quiz, _, say| quiz.set_pause(Duration::from_secs(5), say));
    for (second, address, name) in [(10, ANN, "Ann"), (15, ANN, "Ann"), (20, BOB, "Bob")] {
        table.until(second);
        table.answer(address, name, "Super Mario");
    }
    table.expect([
        "0 TriviaOn 10",
        "0 TriviaTime 5",
        "10 TriviaQuestion Who jumps?",
        "10 TriviaRight Ann|Super Mario|24",
        "10 TriviaNext 5",
        "15 TriviaQuestion Who jumps?",
        "15 TriviaRight Ann|Super Mario|25",
        "15 TriviaStreak Ann|2",
        "15 TriviaPraise Ann|25",
        "15 TriviaNext 5",
        "20 TriviaQuestion Who jumps?",
        "20 TriviaRight Bob|Super Mario|200",
        "20 TriviaPraiseMost Bob|200",
        "20 TriviaNext 5",
    ]);
    table.with(|quiz, _, say| quiz.show_top(say));
    table.with(|quiz, _, say| quiz.show_winner(say));
    table.expect([
        "20 TriviaTop",
        "20 TriviaPlace 1|Bob|200",
        "20 TriviaPlace 2|Ann|25",
        "20 TriviaWinner Bob|200",
    ]);
}

#[test]
fn praise_comes_at_round_numbers() {
    let praised = (1..=400).filter(|points| {
        let scores = format!("ip:{ANN}\ns:{}\nn:Ann\n\n", points - 1);
        let mut table = Table::new(QUESTIONS, &scores);
        table.until(10);
        table.answer(ANN, "Ann", "Super Mario");
        let praise = format!("Ann|{points}");
        let is_it = |line: &&String| line.starts_with("10 TriviaPraise");
        let lines: Vec<&String> = table.said.iter().filter(is_it).collect();
        assert!(
            lines.iter().all(|line| line.ends_with(&praise)),
            "{lines:?}"
        );
        lines.len() == 1
    });
    assert_eq!(praised.collect::<Vec<u32>>(), [25, 50, 100, 200, 300, 400]);
}

/// Another's right answer ends a row, and so does a question that nobody answers.
#[test]
fn rows_end() {
    let mut table = Table::new(QUESTIONS, "");
    table.with(|quiz, _, say| quiz.set_pause(Duration::from_secs(5), say));
    let mut rows = Vec::new();
    for (second, name) in [
        (10, "Ann"),
        (15, "Ann"),
        (20, "Ann"),
        (25, "Bob"),
        (30, "Ann"),
    ] {
        table.until(second);
        let address = if name == "Ann" { ANN } else { BOB };
        table.answer(address, name, "Super Mario");
        let said = std::mem::take(&mut table.said);
        rows.extend(
            said.into_iter()
                .filter(|line| line.contains("TriviaStreak")),
        );
    }
    assert_eq!(rows, ["15 TriviaStreak Ann|2", "20 TriviaStreak Ann|3"]);
    table.until(86);
    table.answer(ANN, "Ann", "Super Mario");
    assert!(!table.said.iter().any(|line| line.contains("TriviaStreak")));
}

#[test]
fn it_pauses_after_the_question_and_goes_on() {
    let mut table = Table::new(QUESTIONS, "");
    table.until(12);
    table.with(|quiz, _, say| quiz.pause(say));
    table.until(200);
    table.answer(ANN, "Ann", "Super Mario");
    let said = std::mem::take(&mut table.said);
    assert_eq!(said.last().unwrap(), "55 TriviaAnswer Super Mario");
    assert_eq!(table.quiz.poll_timeout(), None);
    table.with(|quiz, now, say| quiz.resume(now, say));
    table.until(211);
    table.expect([
        "200 TriviaResumed",
        "200 TriviaNext 10",
        "210 TriviaQuestion Who jumps?",
    ]);
    // Between two questions it pauses at once.
    table.answer(ANN, "Ann", "Super Mario");
    table.with(|quiz, _, say| quiz.pause(say));
    assert_eq!(table.quiz.poll_timeout(), None);
    // Resumed before it has halted, it never does.
    let mut table = Table::new(QUESTIONS, "");
    table.until(12);
    table.with(|quiz, _, say| quiz.pause(say));
    table.with(|quiz, now, say| quiz.resume(now, say));
    table.until(90);
    assert!(
        table
            .said
            .iter()
            .any(|it| it.starts_with("85 TriviaQuestion"))
    );
}

#[test]
fn points_are_saved_every_fifteen_questions() {
    let mut table = Table::new(QUESTIONS, "");
    let mut saves = Vec::new();
    for question in 1..=45 {
        table.until(10 + (question - 1) * 30);
        table.answer(ANN, "Ann", "Super Mario");
        if let Some(text) = table.quiz.take_save() {
            saves.push((question, text.lines().nth(1).unwrap().to_owned()));
        }
    }
    let expected = [(15, "s:15"), (30, "s:30"), (45, "s:45")];
    assert_eq!(saves, expected.map(|(at, points)| (at, points.to_owned())));
}

/// However late it is looked at, a step is one step.
#[test]
fn it_never_floods() {
    let mut table = Table::new(QUESTIONS, "");
    table.now = Time::from_millis(3_600_000);
    for _ in 0..1000 {
        table.with(|quiz, now, say| quiz.handle_timeout(now, say));
    }
    table.expect(["0 TriviaOn 10", "3600 TriviaQuestion Who jumps?"]);
    let mut last = table.now;
    for _ in 0..100 {
        let next = table.quiz.poll_timeout().unwrap();
        assert!(next.since(last) >= Duration::from_secs(5));
        (last, table.now) = (next, next);
        table.with(|quiz, now, say| quiz.handle_timeout(now, say));
    }
}

#[test]
fn there_have_to_be_questions() {
    let say: Say<'_> = &mut |_, _| panic!("there is nothing to say");
    assert!(Trivia::begin(Time::ZERO, "q:a\n", "", 1, say).is_none());
    let mut table = Table::new(QUESTIONS, "");
    assert!(!table.quiz.replace_questions("", 1));
    assert!(table.quiz.replace_questions("q:New?\na:yes\n", 1));
    table.until(10);
    table.answer(ANN, "Ann", "YES");
    assert!(
        table
            .said
            .iter()
            .any(|it| it.contains("TriviaRight Ann|yes|1"))
    );
}
