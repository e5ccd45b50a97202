//! The questions, and the order they are asked in.

/// Most questions that are taken from a file.
const MOST: usize = 20_000;
/// Longest question and longest answer, in characters.
const LONGEST: usize = 500;

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) text: String,
    pub(super) answer: String,
}

/// Reads `q:` lines, each with an `a:` line behind it; all other lines mean nothing.
pub(super) fn parse(text: &str) -> Vec<Question> {
    let text = text.trim_start_matches('\u{FEFF}');
    let mut questions = Vec::new();
    let mut asked: Option<&str> = None;
    for line in text.lines() {
        match (after(line, 'q'), after(line, 'a'), asked.take()) {
            (Some(question), _, _) => asked = Some(question),
            (_, Some(answer), Some(question)) if questions.len() < MOST => {
                questions.push(Question {
                    text: question.to_owned(),
                    answer: answer.to_owned(),
                });
            }
            _ => {}
        }
    }
    questions
}

/// What follows a letter and a colon, if it is a text that can be shown.
fn after(line: &str, letter: char) -> Option<&str> {
    let (first, rest) = line.trim().split_once(':')?;
    let mut letters = first.chars();
    let is_it = letters
        .next()
        .is_some_and(|it| it.eq_ignore_ascii_case(&letter));
    let rest = rest.trim();
    let fits = !rest.is_empty() && rest.chars().count() <= LONGEST;
    let shows = !rest.contains(char::is_control);
    (is_it && letters.next().is_none() && fits && shows).then_some(rest)
}

/// Questions in a random order, none of which comes again before all have been asked.
#[derive(Debug)]
pub(super) struct Deck {
    questions: Vec<Question>,
    /// Places of those that are left, the next one last.
    left: Vec<usize>,
    drawn: Question,
    random: u64,
}

impl Deck {
    /// `None` if there are no questions.
    pub(super) fn new(text: &str, seed: u64) -> Option<Self> {
        let questions = parse(text);
        let drawn = questions.first()?.clone();
        Some(Self {
            questions,
            left: Vec::new(),
            drawn,
            random: seed,
        })
    }

    /// The question that was drawn last.
    pub(super) fn question(&self) -> &Question {
        &self.drawn
    }

    /// Draws the next one.
    pub(super) fn draw(&mut self) {
        if self.left.is_empty() {
            self.shuffle();
        }
        let next = self.left.pop().and_then(|place| self.questions.get(place));
        if let Some(question) = next {
            self.drawn = question.clone();
        }
    }

    /// Takes the questions of another, and stays at the one that was drawn.
    pub(super) fn replace(&mut self, other: Self) {
        let drawn = std::mem::replace(self, other).drawn;
        self.drawn = drawn;
    }

    fn shuffle(&mut self) {
        self.left = (0..self.questions.len()).collect();
        for end in (1..self.left.len()).rev() {
            let other = self.below(end + 1);
            self.left.swap(end, other);
        }
        // Not the same one twice in a row over the end of the deck.
        let next = self
            .left
            .last()
            .and_then(|place| self.questions.get(*place));
        if next == Some(&self.drawn) && self.left.len() > 1 {
            self.left.rotate_right(1);
        }
    }

    /// A random number below `end` (splitmix64).
    fn below(&mut self, end: usize) -> usize {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        (mixed % end.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_question_is_two_lines() {
        let text = "\u{FEFF}q: Who jumps?\r\na:Mario\r\n\r\nQ:How many: exactly?\nA: three\n\
            q:left alone\n\na:too late\nx:?\nq:first\nq:second\na:2\na:again\n\
            q:\na:nothing\nq:a\tb\na:c\nqq:x\na:y";
        let expected = [
            ("Who jumps?", "Mario"),
            ("How many: exactly?", "three"),
            ("second", "2"),
        ];
        let questions = parse(text);
        let found: Vec<_> = questions
            .iter()
            .map(|it| (&*it.text, &*it.answer))
            .collect();
        assert_eq!(found, expected);
        assert!(Deck::new("no questions", 1).is_none());
        let long = "x".repeat(LONGEST + 1);
        assert!(parse(&format!("q:{long}\na:b\nq:a\na:{long}")).is_empty());
    }

    fn text(count: usize) -> String {
        (0..count).map(|n| format!("q:{n}?\na:{n}\n\n")).collect()
    }

    #[test]
    fn none_comes_again_before_all_have_been_asked() {
        for (count, seed) in [(1, 1), (2, 2), (3, 3), (50, 4)] {
            let mut deck = Deck::new(&text(count), seed).unwrap();
            let mut last = String::new();
            for _ in 0..20 {
                let mut round = HashSet::new();
                for _ in 0..count {
                    deck.draw();
                    let question = deck.question().text.clone();
                    assert!(count == 1 || question != last, "twice in a row");
                    last.clone_from(&question);
                    round.insert(question);
                }
                assert_eq!(round.len(), count);
            }
        }
    }

    #[test]
    fn the_order_is_the_seeds() {
        let order = |seed| {
            let mut deck = Deck::new(&text(20), seed).unwrap();
            let draw = |_| {
                deck.draw();
                deck.question().text.clone()
            };
            (0..20).map(draw).collect::<Vec<_>>()
        };
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_and_what_is_asked_stands_in_it(
            text in r"([QqAa]:|[ :a-z]{1,5}|\r?\n|\PC){0,40}",
        ) {
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            for Question { text, answer } in parse(&text) {
                let mut pairs = lines.windows(2);
                let is_there = pairs.any(|it| it[0].ends_with(&text) && it[1].ends_with(&answer));
                proptest::prop_assert!(is_there, "{text:?} {answer:?}");
            }
        }
    }
}
