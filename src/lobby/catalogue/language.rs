//! The languages the server speaks.
//!
//! English is in the table of texts; each other one is a file beside this one with a line
//! `key=text` for every text, in UTF-8, in the order of the table. A line that begins with `#`
//! is a comment. There are no escapes, and blanks count.

use super::text::Text;
use encoding_rs::Encoding;

/// A language the server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Spanish.
    Spanish,
    /// Japanese.
    Japanese,
    /// Korean.
    Korean,
    /// Portuguese, as in Brazil.
    Portuguese,
    /// Russian.
    Russian,
    /// Chinese, simplified.
    Chinese,
}

impl Language {
    /// Every language there is.
    pub const ALL: [Self; 7] = [
        Self::English,
        Self::Spanish,
        Self::Japanese,
        Self::Korean,
        Self::Portuguese,
        Self::Russian,
        Self::Chinese,
    ];

    /// The two letters that stand for it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
            Self::Japanese => "ja",
            Self::Korean => "ko",
            Self::Portuguese => "pt",
            Self::Russian => "ru",
            Self::Chinese => "zh",
        }
    }

    /// The language with this code, in any case; a region such as in `pt-BR` makes no
    /// difference. None if the server does not speak it.
    pub fn from_code(code: &str) -> Option<Self> {
        let code = code.trim();
        let code = code.split(['-', '_']).next().unwrap_or(code);
        let is_it = |language: &Self| language.code().eq_ignore_ascii_case(code);
        Self::ALL.into_iter().find(is_it)
    }

    /// Whether `encoding` has all letters of its texts.
    pub fn fits(self, encoding: &'static Encoding) -> bool {
        let is_whole = |text: &str| !encoding.encode(text).2;
        self.entries().all(|(_, text)| is_whole(text))
    }

    /// Its texts by their keys.
    pub(super) fn entries(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let is_english = self == Self::English;
        let table = Text::ALL.iter().filter(move |_| is_english);
        let table = table.map(|text| (text.key(), text.english()));
        let lines = self.file().lines().filter(|line| !line.starts_with('#'));
        table.chain(lines.filter_map(|line| line.split_once('=')))
    }

    const fn file(self) -> &'static str {
        match self {
            Self::English => "",
            Self::Spanish => include_str!("languages/es.properties"),
            Self::Japanese => include_str!("languages/ja.properties"),
            Self::Korean => include_str!("languages/ko.properties"),
            Self::Portuguese => include_str!("languages/pt.properties"),
            Self::Russian => include_str!("languages/ru.properties"),
            Self::Chinese => include_str!("languages/zh.properties"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        for language in Language::ALL {
            assert_eq!(Language::from_code(language.code()), Some(language));
        }
        for (code, language) in [
            ("PT", Some(Language::Portuguese)),
            ("pt-BR", Some(Language::Portuguese)),
            (" zh_CN ", Some(Language::Chinese)),
            ("custom", None),
            ("", None),
            ("-en", None),
            ("eng", None),
        ] {
            assert_eq!(Language::from_code(code), language, "{code}");
        }
    }
}
