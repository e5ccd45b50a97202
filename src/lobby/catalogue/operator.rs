//! Texts in the operator's own words (kaillera-server.md 4.1).

use super::{
    pattern::{Part, parse},
    text::{Text, UNUSED},
};

/// Texts in the operator's own words; they win over those of every language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorTexts(Vec<(Text, String)>);

/// What is wrong with an operator's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMistake {
    /// No text has this key.
    UnknownKey,
    /// The text has no parameter of this number; the placeholder is shown as it is.
    UnknownPlaceholder(usize),
}

impl OperatorTexts {
    /// Rewords the text called `key`; the last wording counts.
    ///
    /// Keys of texts that are never shown are taken and have no effect.
    ///
    /// # Errors
    ///
    /// What is wrong with the key, or with the template, which is taken all the same.
    pub fn set(&mut self, key: &str, template: &str) -> Result<(), TextMistake> {
        let Some(text) = Text::with_key(key) else {
            let is_unused = UNUSED.contains(&key);
            return is_unused.then_some(()).ok_or(TextMistake::UnknownKey);
        };
        self.0.retain(|(other, _)| *other != text);
        self.0.push((text, template.to_owned()));
        let count = text.params();
        let mut places = parse(template).filter_map(Part::index);
        match places.find(|index| *index >= count) {
            Some(index) => Err(TextMistake::UnknownPlaceholder(index)),
            None => Ok(()),
        }
    }

    /// How many texts are reworded.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no text is reworded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the text called `key` is reworded.
    pub fn has(&self, key: &str) -> bool {
        Text::with_key(key).is_some_and(|text| self.get(text).is_some())
    }

    pub(super) fn get(&self, text: Text) -> Option<&str> {
        let own = self.0.iter().find(|(other, _)| *other == text);
        own.map(|(_, template)| template.as_str())
    }
}

/// The key of every text that can be reworded.
pub fn keys() -> impl Iterator<Item = &'static str> {
    Text::ALL.iter().map(|text| text.key())
}
