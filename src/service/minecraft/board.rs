//! What the server list shows: the lobby's numbers in the operator's words.

use super::Settings;
use crate::minecraft::{Description, Sample, VERSION};
use std::{fmt, sync::Arc};

/// The lobby's numbers, as they are when somebody asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lobby {
    /// Users that are logged in.
    pub users: usize,
    /// Rooms, whether they play or not.
    pub rooms: usize,
    /// Users there can be.
    pub capacity: usize,
}

/// Where the numbers come from; copies ask the same.
#[derive(Clone)]
pub struct Numbers(Arc<dyn Fn() -> Lobby + Send + Sync>);

impl Lobby {
    /// `text` with numbers in the place of `{users}`, `{rooms}` and `{capacity}`.
    pub fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, number) in [
            ("{users}", self.users),
            ("{rooms}", self.rooms),
            ("{capacity}", self.capacity),
        ] {
            if text.contains(name) {
                text = text.replace(name, &number.to_string());
            }
        }
        text
    }
}

impl Numbers {
    /// Asks `read` each time.
    pub fn new(read: impl Fn() -> Lobby + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    pub(super) fn read(&self) -> Lobby {
        (self.0)()
    }
}

impl Default for Numbers {
    /// Those of nobody.
    fn default() -> Self {
        Self::new(Lobby::default)
    }
}

impl fmt::Debug for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.read().fmt(f)
    }
}

/// Of a line that is no player's.
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

/// Shows the description as it is now to `look`.
pub(super) fn describe<R>(
    settings: &Settings,
    lobby: Lobby,
    look: impl FnOnce(&Description<'_>) -> R,
) -> R {
    let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let motd = lobby.fill(&settings.motd);
    let rooms = lobby.fill("Rooms: {rooms}");
    let sample = [Sample {
        name: &rooms,
        id: NOBODY,
    }];
    look(&Description {
        version: VERSION,
        online: count(lobby.users),
        max: count(lobby.capacity),
        sample: &sample,
        motd: &motd,
        favicon: settings.favicon.as_ref(),
    })
}
