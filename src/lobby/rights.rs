//! Who may do what, as one table (kaillera-server.md 7.7).

use crate::access::AccessLevel;

/// Something that only users from some level on may do, or are spared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Right {
    /// Lines, commands and rooms at any pace.
    AnyPace,
    /// Texts of any length, with any characters; any emulator, any game.
    AnyText,
    /// Log in to a full server, with any ping and connection type.
    EnterServer,
    /// Enter a full, limited or running room.
    EnterRoom,
    /// Stay without doing anything.
    Idle,
    /// Start a game alone where that is not allowed.
    PlayAlone,
    /// Keep order in the lobby: send away, silence.
    KeepOrder,
    /// Be heard by those who want to ignore one.
    NotIgnored,
    /// Enter a room that one was removed from, as often as one likes.
    ReturnToRoom,
    /// Start games and remove players in others' rooms.
    LeadRooms,
    /// Be heard by those who ignore everyone.
    HeardByAll,
    /// Ban, announce, close rooms, see addresses.
    Administer,
    /// Not to be sent away, silenced or banned by those who may not act on admins.
    Untouched,
    /// Play another emulator or connection type than the owner's without anybody being told.
    OwnEmulator,
    /// Give the owner's commands in others' rooms.
    OwnRooms,
    /// Grant levels.
    Promote,
    /// Act on admins.
    ActOnAdmins,
    /// Speak though silenced.
    SpeakSilenced,
}

/// The lowest level that has each right.
const TABLE: &[(Right, AccessLevel)] = &[
    (Right::AnyPace, AccessLevel::Elevated),
    (Right::AnyText, AccessLevel::Elevated),
    (Right::EnterServer, AccessLevel::Elevated),
    (Right::EnterRoom, AccessLevel::Elevated),
    (Right::Idle, AccessLevel::Elevated),
    (Right::PlayAlone, AccessLevel::Elevated),
    (Right::KeepOrder, AccessLevel::Moderator),
    (Right::NotIgnored, AccessLevel::Moderator),
    (Right::ReturnToRoom, AccessLevel::Admin),
    (Right::LeadRooms, AccessLevel::Admin),
    (Right::HeardByAll, AccessLevel::Admin),
    (Right::Administer, AccessLevel::Admin),
    (Right::Untouched, AccessLevel::Admin),
    (Right::OwnEmulator, AccessLevel::Admin),
    (Right::OwnRooms, AccessLevel::SuperAdmin),
    (Right::Promote, AccessLevel::SuperAdmin),
    (Right::ActOnAdmins, AccessLevel::SuperAdmin),
    (Right::SpeakSilenced, AccessLevel::SuperAdmin),
];

/// Whether a user of `level` has `right`.
pub(super) fn may(level: AccessLevel, right: Right) -> bool {
    let entry = TABLE.iter().find(|(of, _)| *of == right);
    entry.is_some_and(|(_, lowest)| level >= *lowest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use AccessLevel::{Admin, Elevated, Moderator, Normal, SuperAdmin};

    /// The rows of the table of the specification, with what each level may; the last three are
    /// said elsewhere in it (8.3, 7.6, 8.2).
    const MATRIX: &[(Right, [bool; 5])] = &[
        (Right::AnyPace, [false, true, true, true, true]),
        (Right::AnyText, [false, true, true, true, true]),
        (Right::EnterServer, [false, true, true, true, true]),
        (Right::EnterRoom, [false, true, true, true, true]),
        (Right::ReturnToRoom, [false, false, false, true, true]),
        (Right::LeadRooms, [false, false, false, true, true]),
        (Right::OwnRooms, [false, false, false, false, true]),
        (Right::NotIgnored, [false, false, true, true, true]),
        (Right::HeardByAll, [false, false, false, true, true]),
        (Right::SpeakSilenced, [false, false, false, false, true]),
        (Right::Idle, [false, true, true, true, true]),
        (Right::KeepOrder, [false, false, true, true, true]),
        (Right::Administer, [false, false, false, true, true]),
        (Right::Promote, [false, false, false, false, true]),
        (Right::ActOnAdmins, [false, false, false, false, true]),
        (Right::PlayAlone, [false, true, true, true, true]),
        (Right::Untouched, [false, false, false, true, true]),
        (Right::OwnEmulator, [false, false, false, true, true]),
    ];

    #[test]
    fn levels_have_the_rights_of_the_specification() {
        assert_eq!(MATRIX.len(), TABLE.len());
        for (right, expected) in MATRIX {
            let levels = [Normal, Elevated, Moderator, Admin, SuperAdmin];
            assert_eq!(
                levels.map(|level| may(level, *right)),
                *expected,
                "{right:?}"
            );
        }
    }

    #[test]
    fn the_banned_have_no_right() {
        for (right, _) in TABLE {
            assert!(!may(AccessLevel::Banned, *right));
        }
    }

    #[test]
    fn every_right_is_in_the_table_once() {
        for (right, _) in TABLE {
            let times = TABLE.iter().filter(|(of, _)| of == right).count();
            assert_eq!(times, 1, "{right:?}");
        }
    }
}
