//! What the service is told, and what it makes room for.

use super::TriviaPaths;
use crate::{
    access::{Epoch, Rules as AccessRules, Saved},
    lobby::rules::Rules,
};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// Everything the service is told.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What players may do.
    pub rules: Rules,
    /// Who may do what.
    pub access: Access,
    /// Timeouts of a session and a game.
    pub link: Link,
    /// The most memory is made for.
    pub limits: Limits,
    /// The port clients are told to use, if not the one the socket has.
    pub announced_port: Option<u16>,
    /// Whether a HELLO of another version is answered with `VER`.
    pub answer_wrong_version: bool,
    /// Whether what happens to rooms is kept for somebody who passes it on.
    pub news: bool,
    /// Where the quiz's files are.
    pub trivia: TriviaPaths,
}

/// Who may do what.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The operator's rules.
    pub rules: Arc<AccessRules>,
    /// What moderators had decided before the start.
    pub saved: Saved,
    /// The date of [`Time::ZERO`](crate::timer::Time::ZERO).
    pub epoch: Epoch,
    /// Where bans and silences are kept; without it they end with the process.
    pub state: Option<PathBuf>,
}

/// How long a silent client is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// A session that has not logged in ends this long after its last message (kaillera.md 4.2).
    pub login_timeout: Duration,
    /// A user that has said nothing at all since its login is gone after this, if the keepalive
    /// timeout is not shorter (kaillera-server.md 15, 3).
    pub first_keepalive: Duration,
    /// A player without new data for this long is desynchronised (kaillera.md 9.3).
    pub desync_after: Duration,
    /// A player without any datagram for this long is dropped; at least `desync_after`.
    pub drop_after: Duration,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            login_timeout: Duration::from_secs(15),
            first_keepalive: Duration::from_secs(130),
            desync_after: Duration::from_secs(12),
            drop_after: Duration::from_secs(60),
        }
    }
}

/// What the server has room for; memory is made as it is needed, up to this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Sessions at a time, logged in or not; at least `max_users` of the rules.
    pub sessions: usize,
    /// Sessions from one address, the first 64 bits of it with IPv6; users from ELEVATED on are
    /// let in all the same.
    pub sessions_per_address: usize,
    /// Sessions from one network: the first 24 bits, 48 with IPv6.
    pub sessions_per_network: usize,
    /// Unfinished logins at a time.
    pub half_open: usize,
    /// The same from one address.
    pub half_open_per_address: usize,
    /// Hellos answered per second and address.
    pub hello_per_second_per_address: u32,
    /// Messages that may wait for one user's turn; a quarter of them from its own client.
    pub inbox: usize,
    /// Bytes of lobby messages that may wait to be sent to one user.
    pub backlog: usize,
    /// Received datagrams held at a time, over all loops.
    pub frames_in: usize,
    /// Datagrams held at a time on their way out.
    pub frames_out: usize,
    /// Bytes of the recording of one game of two players or more, for those who watch; 0 is none.
    pub replay: usize,
    /// Bytes of all recordings; games that begin when no room is left are not recorded.
    pub replay_total: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sessions: 4096,
            sessions_per_address: 128,
            sessions_per_network: 512,
            half_open: 1024,
            half_open_per_address: 128,
            hello_per_second_per_address: 200,
            inbox: 128,
            backlog: 256 * 1024,
            frames_in: 4096,
            frames_out: 8192,
            replay: 2 << 20,
            replay_total: 64 << 20,
        }
    }
}
