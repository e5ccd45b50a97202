//! The ranks of users.

/// What a user may do, by its address (kaillera-server.md 1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessLevel {
    /// May not log in.
    Banned,
    /// Everybody without a rule.
    Normal,
    /// Exempt from flood control and limits; may enter running games.
    Elevated,
    /// Keeps order in the lobby.
    Moderator,
    /// Everything but granting levels.
    Admin,
    /// Everything.
    SuperAdmin,
}

impl AccessLevel {
    /// The levels a rule can give.
    const RULES: [Self; 5] = [
        Self::Normal,
        Self::Elevated,
        Self::Moderator,
        Self::Admin,
        Self::SuperAdmin,
    ];

    /// The name shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Banned => "Banned",
            Self::Normal => "Normal",
            Self::Elevated => "Elevated",
            Self::Moderator => "Moderator",
            Self::Admin => "Admin",
            Self::SuperAdmin => "SuperAdmin",
        }
    }

    /// The level a rule calls `word`, in any case.
    pub fn from_word(word: &str) -> Option<Self> {
        let mut levels = Self::RULES.into_iter();
        levels.find(|level| level.name().eq_ignore_ascii_case(word))
    }
}
