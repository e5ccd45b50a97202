//! How a session behaves, and what it wants done.

use super::Limits;
use crate::{buffer::Full, minecraft::FrameError};
use std::{error::Error, fmt, time::Duration};

/// How a session behaves.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What is kept at most.
    pub limits: Limits,
    /// How far the player sees, in columns, as long as its client has not said.
    pub view_distance: i8,
    /// What is done against being thrown out for standing still.
    pub anti_afk: Option<AntiAfk>,
}

/// Moves of a player who is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AntiAfk {
    /// How often.
    pub interval: Duration,
    /// Whether the player takes a small step and goes back, too.
    pub steps: bool,
}

/// What to do with a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passage {
    /// Send it to the other side as it is.
    Forward,
    /// Nothing: it was answered, or there is nobody.
    Keep,
    /// Nothing, and close the client's connection; the session is detached.
    LoseClient(ClientLoss),
    /// Send it to the client if there is one, and end the session. The reason is JSON.
    Ended(String),
}

/// Why a client was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientLoss {
    /// More frames waited for it than [`Limits::live_bytes`].
    TooSlow,
    /// It did not answer for half a minute.
    Silent,
}

/// Why a connection cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Its stream is broken.
    Frame(FrameError),
    /// A packet that has no place here.
    Unexpected,
    /// There is no room for what has to be sent to it.
    Full,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frame(error) => error.fmt(f),
            Self::Unexpected => f.write_str("a packet has no place here"),
            Self::Full => f.write_str("too much waits to be sent"),
        }
    }
}

impl Error for Fault {}

impl From<Full> for Fault {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

impl From<FrameError> for Fault {
    fn from(error: FrameError) -> Self {
        Self::Frame(error)
    }
}
