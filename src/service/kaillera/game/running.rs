//! Who takes part in the game that runs, and whose mail is whose.

use crate::lobby::{GameKey, Player, UserKey, Watcher, sync::FIRST_WATCHER};

#[derive(Debug)]
pub(super) struct Running {
    pub(super) run: u32,
    pub(super) key: GameKey,
    pub(super) players: Box<[Player]>,
    pub(super) watchers: Vec<Watching>,
    /// Players that came back.
    pub(super) back: Vec<Back>,
    /// Bytes set aside for the recording.
    pub(super) replay: usize,
}

/// One who is shown the game, and what its mail bears.
#[derive(Debug)]
pub(super) struct Watching {
    pub(super) watcher: Watcher,
    pub(super) run: u32,
}

/// A player whose mail still bears what it bore when it was shown the game.
#[derive(Debug)]
pub(super) struct Back {
    pub(super) index: u8,
    pub(super) run: u32,
    pub(super) player: u8,
}

impl Running {
    /// Whom the frames of a player or a watcher go to, and what they bear.
    pub(super) fn receiver(&self, index: usize) -> Option<(UserKey, u32)> {
        if let Some(place) = index.checked_sub(FIRST_WATCHER) {
            let watching = self.watching(place as u8)?;
            return Some((watching.watcher.user, watching.run));
        }
        let back = self
            .back
            .iter()
            .find(|back| usize::from(back.player) == index);
        let run = back.map_or(self.run, |back| back.run);
        Some((self.players.get(index)?.user, run))
    }

    pub(super) fn watching(&self, index: u8) -> Option<&Watching> {
        self.watchers.iter().find(|it| it.watcher.index == index)
    }

    /// Whose data comes under `index` and bears `run`: a player's or a watcher's; none if it
    /// is for a game that is over, or from one who has left.
    pub(super) fn author(&self, index: u8, run: u32) -> Option<usize> {
        if usize::from(index) < FIRST_WATCHER {
            return (run == self.run).then_some(index.into());
        }
        let is_back = |back: &&Back| back.index == index && back.run == run;
        if let Some(back) = self.back.iter().find(is_back) {
            return Some(back.player.into());
        }
        let watching = self.watching(index - FIRST_WATCHER as u8)?;
        (watching.run == run).then_some(index.into())
    }
}
