use super::*;
use crate::lobby::{TriviaCommand, TriviaFiles, TriviaWish};

/// Writes down what is wanted of the files, and what everybody is told.
#[derive(Default)]
struct Desk {
    log: Vec<String>,
}

impl Sink for Desk {
    fn notice(&mut self, to: &[UserKey], message: &ServerMessage<'_>) {
        if let ServerMessage::InformationMessage { text: line, .. } = message {
            self.log.push(format!("{}: {}", to.len(), text(line)));
        }
    }

    fn begin(&mut self, _: GameKey, _: &Start<'_>) {}
    fn lag(&mut self, _: GameKey, _: LagOrder) {}
    fn watch(&mut self, _: GameKey, _: Watcher) {}
    fn unwatch(&mut self, _: GameKey, _: UserKey, _: u8) {}
    fn reseat(&mut self, _: GameKey, _: UserKey, _: usize) {}
    fn play(&mut self, _: Time, _: GameKey) {}
    fn remove(&mut self, _: Time, _: GameKey, _: usize) {}
    fn end(&mut self, _: GameKey) {}
    fn close(&mut self, _: UserKey, _: Close) {}

    fn trivia(&mut self, wish: TriviaWish<'_>) {
        self.log.push(format!("{wish:?}"));
    }
}

struct Hall {
    lobby: Lobby,
    desk: Desk,
    now: Time,
}

impl Hall {
    fn new() -> Self {
        let mut hall = Self {
            lobby: Lobby::new(Rules::default()),
            desk: Desk::default(),
            now: Time::ZERO,
        };
        for (seat, name) in [('a', "Ann"), ('b', "Bob")] {
            let login = login(name.as_bytes());
            hall.lobby.login(hall.now, key(seat), login, &mut hall.desk);
        }
        hall.desk.log.clear();
        hall
    }

    fn command(&mut self, command: TriviaCommand) {
        self.lobby
            .trivia(self.now, key('a'), command, &mut self.desk);
    }

    fn fetched(&mut self, questions: &str, scores: &str) {
        let files = TriviaFiles {
            questions: questions.to_owned(),
            scores: scores.to_owned(),
            seed: 1,
        };
        self.lobby.trivia_fetched(self.now, &files, &mut self.desk);
    }

    fn saved(&mut self, saved: bool) {
        self.lobby.trivia_saved(saved, &mut self.desk);
    }

    fn wait(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
        if self.lobby.poll_timeout().is_some_and(|at| at <= self.now) {
            self.lobby.handle_timeout(self.now, &mut self.desk);
        }
    }

    fn chat(&mut self, seat: char, line: &str) {
        let text = line.as_bytes();
        let message = ClientMessage::Chat { text };
        self.lobby
            .message(self.now, key(seat), &message, &mut self.desk);
    }

    #[track_caller]
    fn expect<const N: usize>(&mut self, expected: [&str; N]) {
        assert_eq!(std::mem::take(&mut self.desk.log), expected);
    }
}

const QUESTIONS: &str = "q:Who?\na:Mario";

#[test]
fn a_quiz_from_on_to_off() {
    let mut hall = Hall::new();
    hall.command(TriviaCommand::On);
    hall.expect(["Fetch"]);
    hall.command(TriviaCommand::On);
    hall.expect(["1: Command failed: The quiz is running already."]);
    hall.fetched(QUESTIONS, "");
    hall.expect(["2: <Trivia> The quiz begins in 10 seconds!"]);
    hall.wait(10);
    hall.expect(["2: <Trivia> Who?"]);
    hall.chat('b', "mario");
    hall.expect([
        "2: <Trivia> Bob is right: Mario (1 points)",
        "2: <Trivia> The next question comes in 30 seconds.",
    ]);
    hall.command(TriviaCommand::Off);
    let save = "Save(\"ip:192.0.2.66\\ns:1\\nn:Bob\\n\\n\")";
    hall.expect(["2: <Trivia> The quiz is over.", save]);
    assert_eq!(hall.lobby.poll_timeout(), None);
    // On again, it waits until the points are written, or it would not find them.
    hall.command(TriviaCommand::On);
    hall.expect([]);
    hall.saved(true);
    hall.expect(["Fetch"]);
}

#[test]
fn what_needs_a_quiz_says_so() {
    let mut hall = Hall::new();
    let address = address(1);
    for command in [
        TriviaCommand::Off,
        TriviaCommand::Pause,
        TriviaCommand::Resume,
        TriviaCommand::Save,
        TriviaCommand::Scores,
        TriviaCommand::Winner,
        TriviaCommand::Time(Duration::from_secs(5)),
        TriviaCommand::Update {
            old: address,
            new: address,
        },
    ] {
        hall.command(command);
        hall.expect(["1: Command failed: Start the quiz first: /triviaon"]);
    }
    hall.command(TriviaCommand::Reset);
    hall.expect(["2: <Trivia> All points are cleared.", "Save(\"\")"]);
    hall.saved(true);
    hall.command(TriviaCommand::On);
    hall.fetched("", "");
    hall.expect(["Fetch", "2: <Trivia> There are no questions."]);
}

#[test]
fn saving_is_told_and_one_thing_is_done_at_a_time() {
    let mut hall = Hall::new();
    hall.command(TriviaCommand::On);
    hall.fetched(QUESTIONS, "ip:192.0.2.1\ns:7\nn:Cid\n\n");
    hall.desk.log.clear();
    hall.command(TriviaCommand::Save);
    hall.command(TriviaCommand::Reset);
    let save = "Save(\"ip:192.0.2.1\\ns:7\\nn:Cid\\n\\n\")";
    hall.expect([save, "2: <Trivia> All points are cleared."]);
    hall.saved(true);
    hall.expect(["2: <Trivia> The points are saved.", "Save(\"\")"]);
    hall.saved(false);
    hall.expect(["2: <Trivia> The points could not be saved.", "Fetch"]);
    hall.fetched("", "");
    hall.expect(["2: <Trivia> There are no questions."]);
    let command = TriviaCommand::Update {
        old: address(1),
        new: address(2),
    };
    hall.command(command);
    hall.expect(["1: Command failed: 192.0.2.1 has no points."]);
    hall.lobby.shut_down(hall.now, &mut hall.desk);
    hall.expect(["2: The server is going down.", "Save(\"\")"]);
}

#[test]
fn long_questions_are_wrapped() {
    let mut hall = Hall::new();
    hall.command(TriviaCommand::On);
    hall.fetched(&format!("q:{}\na:b", "long ".repeat(80)), "");
    hall.wait(10);
    let lines: Vec<_> = hall.desk.log.iter().skip(2).map(String::len).collect();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|&it| it <= 203), "{lines:?}");
}
