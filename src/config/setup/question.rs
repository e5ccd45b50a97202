//! The questions, and which answers are accepted.

use crate::{
    config::{charset, lists},
    lobby::catalogue::Language,
};
use std::collections::BTreeMap;

/// By their questions, as they are written into the file.
pub(super) type Answers = BTreeMap<Question, String>;

/// Something only the operator knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    Name,
    Location,
    Language,
    Charset,
    Kaillera,
    Emulinker,
}

impl Question {
    /// All of them, in the order they are asked.
    pub(super) const ALL: [Self; 6] = [
        Self::Name,
        Self::Location,
        Self::Language,
        Self::Charset,
        Self::Kaillera,
        Self::Emulinker,
    ];

    pub(super) const fn prompt(self) -> &'static str {
        match self {
            Self::Name => "The server's name, for lists and status pages",
            Self::Location => "Where it is, such as a city",
            Self::Language => "The language of its texts",
            Self::Charset => "The character set of its players",
            Self::Kaillera => "Report it to Kaillera's public list",
            Self::Emulinker => "Report it to EmuLinker's public list",
        }
    }

    /// What is accepted, in words.
    pub(super) fn valid(self, takes_custom: bool) -> String {
        match self {
            Self::Name | Self::Location => {
                "at most 100 characters, none of them a control character".to_owned()
            }
            Self::Language => {
                let custom = if takes_custom { ", custom" } else { "" };
                format!("{}{custom}", Language::ALL.map(Language::code).join(", "))
            }
            Self::Charset => charset::NAMES.to_owned(),
            Self::Kaillera | Self::Emulinker => "yes or no".to_owned(),
        }
    }

    /// The answer of whoever says nothing; without one the question is asked again next time.
    pub(super) fn default(self, known: &Answers) -> Option<&'static str> {
        match self {
            Self::Name | Self::Location => None,
            Self::Language => Some("en"),
            Self::Charset => {
                let code = known.get(&Self::Language).map_or("", String::as_str);
                let language = Language::from_code(code).unwrap_or_default();
                Some(match language {
                    Language::English | Language::Spanish | Language::Portuguese => "Windows-1252",
                    Language::Japanese => "Shift_JIS",
                    Language::Korean => "x-IBM949",
                    Language::Russian => "Windows-1251",
                    Language::Chinese => "GBK",
                })
            }
            Self::Kaillera | Self::Emulinker => Some("no"),
        }
    }

    /// What an answer that is not blank is in the file; none if it is not accepted.
    pub(super) fn accept(self, answer: &str, takes_custom: bool) -> Option<String> {
        match self {
            Self::Name | Self::Location => lists::line(answer),
            Self::Language if takes_custom && answer.eq_ignore_ascii_case("custom") => {
                Some("custom".to_owned())
            }
            Self::Language => Language::from_code(answer).map(|it| it.code().to_owned()),
            Self::Charset => charset::charset(answer).map(|_| answer.to_owned()),
            Self::Kaillera | Self::Emulinker => {
                let is_one_of =
                    |words: [&str; 3]| words.iter().any(|it| it.eq_ignore_ascii_case(answer));
                let yes = is_one_of(["y", "yes", "true"]);
                (yes || is_one_of(["n", "no", "false"])).then(|| yes.to_string())
            }
        }
    }
}
