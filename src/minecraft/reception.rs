//! The first exchange of a connection: the server list is served here, players are let through
//! to whoever has a world for them (minecraft.md 4, 5, 6).
//!
//! ```text
//!            FE                            answered
//!   Start ---------> Legacy -----------------------------------> Close
//!     |  Handshake 1          Request, Response      Ping, Pong
//!     +------------> Status ---------------------------------.--> Close
//!     |  Handshake 2          Login Start
//!     '------------> Login ------------------------------------> Next::Login
//! ```

use super::{
    Content, Description, Frame, FrameError, Framing, Json, LoginName, MAX_FRAME, Packet, Plain,
    Received,
    legacy::{self, Form, Request},
    packets::{
        handshaking::{Handshake, NEXT_LOGIN, NEXT_STATUS},
        id_of,
        login::{Disconnect, LoginStart},
        status::{Ping, Pong, Serverbound},
    },
    status::Component,
};
use crate::buffer::{Encode, Full, Writer};
use std::time::Duration;

/// The version that players need.
pub const PROTOCOL: i32 = 340;

/// What players call it.
pub const VERSION: &str = "1.12.2";

/// How long the rest of an old client's request may be on its way.
pub const LEGACY_WAIT: Duration = Duration::from_millis(100);

/// How long a login may take.
pub const LOGIN_WAIT: Duration = Duration::from_secs(30);

/// Longest frame before a player is in a world.
const MAX_EARLY_FRAME: usize = 2048;

/// Shortest and longest Handshake of any version (minecraft.md 4).
const HANDSHAKE: std::ops::RangeInclusive<u32> = 6..=1030;

/// Whether `first`, the first bytes of a connection, are Minecraft's; `None` while they are too
/// few to tell. Four always suffice.
pub fn recognize(first: &[u8]) -> Option<bool> {
    if legacy::begins(first) {
        return Some(true);
    }
    let mut length = 0;
    for (at, &byte) in first.iter().take(3).enumerate() {
        length |= u32::from(byte & 0x7F) << (7 * at);
        if byte < 0x80 {
            return if HANDSHAKE.contains(&length) {
                first.get(at + 1).map(|&id| id == Handshake::ID)
            } else {
                Some(false)
            };
        }
    }
    (first.len() >= 3).then_some(false)
}

/// One connection, from its first byte until it is known what it wants and, if that is the
/// server list, to its end.
#[derive(Clone, Copy, Debug)]
pub struct Reception {
    stage: Stage,
    /// What an old client has asked for, if nothing follows.
    legacy: Option<Form>,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Start,
    Status { protocol: i32, described: bool },
    Login { protocol: i32 },
    Over,
}

/// What a connection needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// More bytes.
    More,
    /// More bytes, or a call of [`Reception::expired`] after [`LEGACY_WAIT`].
    MoreSoon,
    /// The end, once what was written has been sent.
    Close,
    /// The same: it wants to play and cannot, and is told why.
    Refused,
    /// The end, as the bytes are not Minecraft's, or not what such a client may say.
    Bad,
    /// A world: the player waits for an answer to its login. The bytes that were not consumed
    /// belong to it.
    Login(LoginName),
}

/// What was done with received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that are done with, from the front.
    pub consumed: usize,
    /// What comes next.
    pub next: Next,
}

impl Reception {
    /// A connection that has said nothing.
    pub const fn new() -> Self {
        Self {
            stage: Stage::Start,
            legacy: None,
        }
    }

    /// Answers what was `received`, the bytes not consumed before included.
    ///
    /// `writer` needs [`super::MAX_RESPONSE_FRAME`] bytes at most; if it runs out, the
    /// connection is to be closed.
    pub fn receive(
        &mut self,
        received: &[u8],
        description: &Description<'_>,
        writer: &mut Writer<'_>,
    ) -> Progress {
        let mut consumed = 0;
        self.legacy = None;
        loop {
            let rest = received.get(consumed..).unwrap_or_default();
            let next = match self.step(rest, description, writer) {
                Ok(Step::Consumed(len)) => {
                    consumed += len;
                    continue;
                }
                Ok(Step::Next(len, next)) => {
                    consumed += len;
                    next
                }
                Err(End::Full) => Next::Close,
                Err(End::Bad) => Next::Bad,
            };
            if matches!(next, Next::Close | Next::Refused | Next::Bad) {
                self.stage = Stage::Over;
            }
            return Progress { consumed, next };
        }
    }

    /// Answers an old client whose request is not going to be longer.
    ///
    /// Whatever is written, the connection is to be closed.
    pub fn expired(&mut self, description: &Description<'_>, writer: &mut Writer<'_>) {
        self.stage = Stage::Over;
        if let Some(form) = self.legacy.take() {
            let _ = legacy::answer(form, description, writer);
        }
    }

    fn step(
        &mut self,
        rest: &[u8],
        description: &Description<'_>,
        writer: &mut Writer<'_>,
    ) -> Result<Step, End> {
        if matches!(self.stage, Stage::Over) {
            return Ok(Step::Next(rest.len(), Next::Close));
        }
        if matches!(self.stage, Stage::Start) && legacy::begins(rest) {
            return match legacy::parse(rest) {
                Request::Whole => {
                    legacy::answer(Form::Modern, description, writer)?;
                    Ok(Step::Next(rest.len(), Next::Close))
                }
                Request::Short(form) => {
                    self.legacy = Some(form);
                    Ok(Step::Next(0, Next::MoreSoon))
                }
                Request::Bad => Err(End::Bad),
            };
        }
        let Received::Frame(Frame {
            bytes,
            content: Content::Body(body),
        }) = Framing::new(MAX_EARLY_FRAME).receive(rest)?
        else {
            return Ok(Step::Next(0, Next::More));
        };
        self.packet(body, description, writer)
            .map(|next| match next {
                Next::More => Step::Consumed(bytes.len()),
                next => Step::Next(bytes.len(), next),
            })
    }

    fn packet(
        &mut self,
        body: &[u8],
        description: &Description<'_>,
        writer: &mut Writer<'_>,
    ) -> Result<Next, End> {
        match &mut self.stage {
            Stage::Start => {
                let handshake = Handshake::decode(body).map_err(|_| End::Bad)?;
                let protocol = handshake.protocol.0;
                self.stage = match handshake.next_state.0 {
                    NEXT_STATUS => Stage::Status {
                        protocol,
                        described: false,
                    },
                    NEXT_LOGIN => Stage::Login { protocol },
                    _ => return Err(End::Bad),
                };
                Ok(Next::More)
            }
            Stage::Status {
                protocol,
                described,
            } => match Serverbound::decode(body).map_err(|_| End::Bad)? {
                Serverbound::Request(_) if *described => Ok(Next::More),
                Serverbound::Request(_) => {
                    *described = true;
                    description.write(*protocol, writer)?;
                    Ok(Next::More)
                }
                Serverbound::Ping(Ping { time }) => {
                    Plain(Pong { time }).encode(writer)?;
                    Ok(Next::Close)
                }
            },
            Stage::Login { protocol } => {
                let protocol = *protocol;
                self.login(protocol, body, writer)
            }
            Stage::Over => Ok(Next::Close),
        }
    }

    fn login(&mut self, protocol: i32, body: &[u8], writer: &mut Writer<'_>) -> Result<Next, End> {
        if id_of(body) != Ok(i32::from(LoginStart::ID)) {
            return Err(End::Bad);
        }
        self.stage = Stage::Over;
        if protocol != PROTOCOL {
            refuse(&format!("This server is for Minecraft {VERSION}."), writer)?;
            return Ok(Next::Refused);
        }
        let name = LoginStart::decode(body).ok();
        match name.and_then(|login| LoginName::new(login.username.as_str())) {
            Some(name) => Ok(Next::Login(name)),
            None => {
                refuse(
                    "A name has 1 to 16 letters, digits and underscores.",
                    writer,
                )?;
                Ok(Next::Refused)
            }
        }
    }
}

impl Default for Reception {
    fn default() -> Self {
        Self::new()
    }
}

/// Appends the refusal of a login, which a player reads.
pub fn refuse(text: &str, writer: &mut Writer<'_>) -> Result<(), Full> {
    let reason = component(text);
    refuse_with(&reason, writer)
}

/// The same with a reason that is JSON already, of another server for one.
pub fn refuse_with(reason: &str, writer: &mut Writer<'_>) -> Result<(), Full> {
    let reason = Json::new(reason).ok_or(Full)?;
    Plain(Disconnect { reason }).encode(writer)
}

/// Plain text as a chat component: what [`refuse_with`] and a packet's reason take.
pub fn component(text: &str) -> String {
    serde_json::to_string(&Component { text }).unwrap_or_default()
}

enum Step {
    Consumed(usize),
    Next(usize, Next),
}

/// Why the connection has to be closed.
enum End {
    /// Not Minecraft, or out of turn.
    Bad,
    /// No room for the answer.
    Full,
}

impl From<Full> for End {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

impl From<FrameError> for End {
    fn from(_: FrameError) -> Self {
        Self::Bad
    }
}

const _: () = assert!(MAX_EARLY_FRAME <= MAX_FRAME);

#[cfg(test)]
mod tests;
