//! What admins are told of a newer version (kaillera-server.md 6.4, 11).

use super::{
    Lobby,
    catalogue::{Param, Text},
    login::VERSION,
};

/// A version that is newer than this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// Its number.
    pub version: String,
    /// What is said about it, a line each; somebody else's words.
    pub notes: Vec<String>,
}

impl Lobby {
    /// Remembers what admins are told after their login.
    pub fn set_update(&mut self, update: Update) {
        self.update = Some(update);
    }

    pub(super) fn update_lines(&self) -> Vec<Vec<u8>> {
        let Some(update) = &self.update else {
            return Vec::new();
        };
        let versions = [Param::Word(&update.version), Param::Word(VERSION)];
        let first = self.catalogue.line(Text::UpdateAvailable, &versions);
        let notes = update.notes.iter();
        let notes = notes.flat_map(|note| self.catalogue.lines(note));
        std::iter::once(first).chain(notes).collect()
    }
}
