//! What the actors tell each other.

use crate::{
    access::{self, Names},
    buffer::{Frame, FramePool},
    kaillera::message::ConnectionType,
    lobby::{
        Close, Departure, GameKey, LagOrder, Player, Report, TriviaFiles, Update, UserKey,
        WatchEnd, Watcher,
        rules::Rules,
        sync::{Desync, FrameRate, LagReport, Rhythm, Sensitivity},
    },
    timer::Time,
};
use std::{
    net::{IpAddr, SocketAddr},
    ops::Range,
    sync::Arc,
    time::Duration,
};

/// Where a session's datagrams come from and how its answers leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    /// Our address, as the peer used it.
    pub(super) local: Option<IpAddr>,
    /// Which of the loop's sockets.
    pub(super) socket: u8,
}

/// A message (kind and body) inside the datagram it came in.
#[derive(Debug)]
pub(super) struct Enclosed {
    pub(super) frame: Frame,
    pub(super) start: u16,
    pub(super) end: u16,
}

impl Enclosed {
    /// The message at `range` of `datagram`: with the datagram's own buffer for the last one,
    /// which is nearly always the only new one, with a copy for the others.
    ///
    /// A bundle may hold 32 new messages, and copies wait in other actors' inboxes; whoever
    /// floods with such must not take the buffers of the games' frames. So copies leave
    /// `spared` of `frames` alone.
    pub(super) fn take(
        datagram: &mut Option<Frame>,
        range: Range<usize>,
        last: bool,
        frames: &FramePool,
        spared: usize,
    ) -> Option<Self> {
        if last {
            let (start, end) = (range.start as u16, range.end as u16);
            let frame = datagram.take()?;
            return Some(Self { frame, start, end });
        }
        let bytes = datagram.as_deref()?.get(range)?;
        let mut frame = frames.try_take_sparing(spared)?;
        frame.copy_from(bytes).ok()?;
        let end = frame.len() as u16;
        Some(Self {
            frame,
            start: 0,
            end,
        })
    }

    pub(super) fn range(&self) -> Range<usize> {
        usize::from(self.start)..usize::from(self.end)
    }

    /// The message's kind and body.
    pub(super) fn split(&self) -> Option<(u8, &[u8])> {
        let (kind, body) = self.frame.get(self.range())?.split_first()?;
        Some((*kind, body))
    }
}

/// To a user.
#[derive(Debug)]
pub(super) enum UserMail {
    /// The seat is taken by a new session.
    Open { at: Time, peer: Box<Peer> },
    /// A datagram from the session's address.
    Datagram { at: Time, frame: Frame },
    /// A HELLO from exactly the session's address.
    Hello,
    /// The lobby let the user in.
    LoggedIn { generation: u32 },
    /// The user plays: its inputs go to this game.
    Seat { generation: u32, playing: Playing },
    /// The user does not play any more.
    Unseat { generation: u32, run: u32 },
    /// Game data, encoded as a message.
    Data { run: u32, frame: Frame },
    /// Game data the user has in its cache.
    Cached { run: u32, index: u8 },
    /// The game waits for this player.
    Nudge { run: u32 },
    /// The session ends.
    Close { generation: u32, close: Close },
}

/// A place in a running game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Playing {
    /// Which game actor.
    pub(super) game: u32,
    /// Which of its successive games, or who is shown it: no number is given twice, so that
    /// mail for one who has left and is back is recognised.
    pub(super) run: u32,
    /// The player's index, 0 is the first.
    pub(super) player: u8,
}

/// To a game.
#[derive(Debug)]
pub(super) enum GameMail {
    Begin {
        run: u32,
        key: GameKey,
        connection_type: ConnectionType,
        players: Box<[Player]>,
        autofire: Sensitivity,
        rate: FrameRate,
    },
    Play {
        at: Time,
    },
    Remove {
        at: Time,
        player: u8,
    },
    Lag(LagOrder),
    /// Somebody is to be shown the game; its mail bears `run`.
    Watch {
        run: u32,
        watcher: Watcher,
    },
    /// The watcher with this index is gone.
    Unwatch {
        index: u8,
    },
    End,
    Data {
        run: u32,
        player: u8,
        at: Time,
        input: Enclosed,
    },
    Cached {
        run: u32,
        player: u8,
        at: Time,
        index: u8,
    },
    Gap {
        run: u32,
        player: u8,
        at: Time,
    },
}

/// To the lobby.
#[derive(Debug)]
pub(super) enum LobbyMail {
    Login {
        user: UserKey,
        application: Box<Application>,
    },
    Message {
        user: UserKey,
        message: Enclosed,
    },
    Depart {
        user: UserKey,
        why: Departure,
    },
    /// The player is silent, or sends more than its game takes.
    DropPlayer {
        user: UserKey,
    },
    Desynchronised {
        game: GameKey,
        player: u8,
        cause: Desync,
    },
    BadIndex {
        game: GameKey,
        player: u8,
    },
    /// A game's lag, because the lobby asked or because the game is over.
    Lag {
        game: GameKey,
        report: Option<Box<LagReport>>,
        asked: bool,
    },
    Autofire {
        game: GameKey,
        player: u8,
        rhythm: Rhythm,
    },
    /// The watcher can be shown the game.
    WatchAnswered {
        game: GameKey,
        user: UserKey,
        index: u8,
    },
    WatchEnded {
        game: GameKey,
        user: UserKey,
        index: u8,
        end: WatchEnd,
    },
    /// A watcher is the player with this index again.
    Returned {
        game: GameKey,
        user: UserKey,
        player: u8,
    },
    TriviaFetched(Box<TriviaFiles>),
    TriviaSaved(bool),
    /// The operator's access rules have changed.
    Access(Arc<access::Rules>),
    /// Host names of access rules have other addresses.
    Names(Box<Names>),
    /// The lobby's rules have changed.
    Rules(Box<Rules>),
    /// For admins, after their login.
    Update(Box<Update>),
    /// For admins.
    Report(Box<[Report]>),
    Drain,
    ShutDown,
    CloseAll,
}

/// Who asks to be let in.
#[derive(Debug)]
pub(super) struct Application {
    pub(super) name: Box<[u8]>,
    pub(super) emulator: Box<[u8]>,
    pub(super) connection_type: ConnectionType,
    pub(super) ping: Duration,
    pub(super) address: IpAddr,
}
