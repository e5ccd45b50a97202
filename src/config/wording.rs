//! The lines of an operator's language file: greetings and reworded texts
//! (kaillera-server.md 4.1).

use super::{document::KeyName, spelling};
use crate::lobby::{
    catalogue::{OperatorTexts, TextMistake, keys},
    rules::Rules,
};
use std::{collections::BTreeMap, fmt};

/// Before the number of a line shown after login.
const LOGIN: &str = "KailleraServerImpl.LoginMessage.";
/// Before the number of a line shown to whoever opens or enters a room.
const ROOM: &str = "KailleraServerImpl.JoinGameMessage.";

/// What an operator's language file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wording {
    /// Texts in the operator's own words.
    pub texts: OperatorTexts,
    /// Lines shown after login.
    pub welcome: Vec<String>,
    /// Lines shown to each user who opens or enters a room.
    pub room_welcome: Vec<String>,
}

/// A line that is not shown as it was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordingMistake {
    /// The key of the line.
    pub key: String,
    /// What is wrong with it.
    pub problem: WordingProblem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordingProblem {
    /// No text has this key; perhaps the one with the nearest key is meant.
    UnknownKey(Option<&'static str>),
    /// The text has no parameter of this number.
    UnknownPlaceholder(usize),
    /// Greetings end before this one, for there is none with the key given here.
    Gap(String),
}

impl Wording {
    /// Takes the lines of a file in their order, a key and its text each; the last line of a
    /// key counts. Mistakes are in the order of the lines, those of greetings after the others.
    pub fn read<'l>(
        lines: impl IntoIterator<Item = (&'l str, &'l str)>,
    ) -> (Self, Vec<WordingMistake>) {
        let mut wording = Self::default();
        let mut mistakes = Vec::new();
        let mut greetings = [LOGIN, ROOM].map(|prefix| (prefix, BTreeMap::new()));
        for (key, text) in lines {
            let numbered = greetings.iter_mut().find_map(|(prefix, greeting)| {
                let number = number(key.strip_prefix(*prefix)?)?;
                Some((greeting, number))
            });
            if let Some((greeting, number)) = numbered {
                greeting.insert(number, text);
            } else if let Err(mistake) = wording.texts.set(key, text) {
                mistakes.push(WordingMistake::new(key, mistake));
            }
        }
        let [login, room] = greetings.map(|(prefix, greeting)| {
            let (lines, gap) = consecutive(prefix, &greeting);
            mistakes.extend(gap);
            lines
        });
        wording.welcome = login;
        wording.room_welcome = room;
        (wording, mistakes)
    }

    /// Puts all of it in the place of what `rules` say.
    pub fn apply(self, rules: &mut Rules) {
        rules.texts = self.texts;
        rules.welcome = self.welcome;
        rules.room_welcome = self.room_welcome;
    }
}

impl WordingMistake {
    fn new(key: &str, mistake: TextMistake) -> Self {
        let problem = match mistake {
            TextMistake::UnknownKey => WordingProblem::UnknownKey(nearest(key)),
            TextMistake::UnknownPlaceholder(index) => WordingProblem::UnknownPlaceholder(index),
        };
        Self {
            key: key.to_owned(),
            problem,
        }
    }
}

impl fmt::Display for WordingMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.escape_debug();
        match &self.problem {
            WordingProblem::UnknownKey(Some(near)) => {
                write!(f, "{key} is unknown; did you mean {near}?")
            }
            WordingProblem::UnknownKey(None) => write!(f, "{key} is unknown"),
            WordingProblem::UnknownPlaceholder(index) => {
                write!(f, "{key} has no {{{index}}}; it is shown as it is")
            }
            WordingProblem::Gap(missing) => write!(f, "{key} is not shown: {missing} is missing"),
        }
    }
}

/// The number at the end of a greeting's key.
fn number(digits: &str) -> Option<u32> {
    let is_plain = !digits.starts_with(['0', '+']);
    digits.parse().ok().filter(|_| is_plain)
}

/// The lines from number 1 to the first gap, and the line after it.
fn consecutive(
    prefix: &str,
    greeting: &BTreeMap<u32, &str>,
) -> (Vec<String>, Option<WordingMistake>) {
    let mut lines = Vec::new();
    for (expected, (number, text)) in (1..).zip(greeting) {
        if *number != expected {
            let gap = WordingMistake {
                key: format!("{prefix}{number}"),
                problem: WordingProblem::Gap(format!("{prefix}{expected}")),
            };
            return (lines, Some(gap));
        }
        lines.push((*text).to_owned());
    }
    (lines, None)
}

/// The key that is so close to `key` that it must be meant.
fn nearest(key: &str) -> Option<&'static str> {
    let split = |key: &'static str| key.split_once('.');
    let names = keys().filter_map(split);
    let names: Vec<KeyName> = names
        .map(|(section, key)| KeyName::new(section, key))
        .collect();
    let (section, name) = key.split_once('.').unwrap_or(("", key));
    let near = spelling::nearest(&names, Some(section), name)?;
    keys().find(|key| split(key) == Some((near.section, near.key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(lines: &[(&str, &str)]) -> Vec<String> {
        let (_, mistakes) = Wording::read(lines.iter().copied());
        mistakes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn greetings_and_texts() {
        let (wording, mistakes) = Wording::read([
            ("KailleraServerImpl.LoginMessage.2", "two"),
            ("KailleraServerImpl.LoginMessage.1", "old"),
            ("KailleraServerImpl.JoinGameMessage.1", "Be nice, {0}"),
            ("KailleraServerImpl.LoginMessage.1", "one"),
            ("ChatAction.ChatDenied", "Nix: {0}"),
            ("KailleraGameImpl.GameHelp", "never shown"),
        ]);
        assert_eq!(mistakes, []);
        let mut rules = Rules::default();
        wording.apply(&mut rules);
        assert_eq!(rules.welcome, ["one", "two"]);
        assert_eq!(rules.room_welcome, ["Be nice, {0}"]);
        assert_eq!(rules.texts.len(), 1);
    }

    #[test]
    fn mistakes() {
        assert_eq!(
            told(&[
                ("KailleraServerImpl.LoginMessage.1", "one"),
                ("KailleraServerImpl.LoginMessage.3", "three"),
                ("KailleraServerImpl.LoginMessage.4", "four"),
                ("KailleraServerImpl.JoinGameMessage.02", "two"),
                ("KailleraServerImpl.JoinGameMessage.2", "two"),
                ("ChatAction.ChatDenied", "{0} {2}"),
                ("ChatAction.chatDenied", "x"),
                ("KailleraServerImpl.ChatDenied", "x"),
                ("AdminCommandAction.HelpKikc", "x"),
                ("NoSuch.Thing\n", "x"),
                ("", "x"),
            ]),
            [
                "KailleraServerImpl.JoinGameMessage.02 is unknown",
                "ChatAction.ChatDenied has no {2}; it is shown as it is",
                "ChatAction.chatDenied is unknown; did you mean ChatAction.ChatDenied?",
                "KailleraServerImpl.ChatDenied is unknown; \
                 did you mean KailleraServerImpl.ChatDeniedFloodControl?",
                "AdminCommandAction.HelpKikc is unknown; did you mean AdminCommandAction.HelpKick?",
                "NoSuch.Thing\\n is unknown",
                " is unknown",
                "KailleraServerImpl.LoginMessage.3 is not shown: \
                 KailleraServerImpl.LoginMessage.2 is missing",
                "KailleraServerImpl.JoinGameMessage.2 is not shown: \
                 KailleraServerImpl.JoinGameMessage.1 is missing",
            ]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_lines_are_an_answer(
            lines in prop::collection::vec(("(KailleraServerImpl.LoginMessage.)?.{0,30}", ".{0,30}"), 0..8)
        ) {
            let lines = lines.iter().map(|(key, text)| (key.as_str(), text.as_str()));
            let (_, mistakes) = Wording::read(lines);
            for mistake in mistakes {
                prop_assert!(!mistake.to_string().contains(['\n', '\r']));
            }
        }
    }
}
