//! Logging in at another server (minecraft.md 6.3).

use super::Fault;
use crate::{
    buffer::{Encode, Full, Writer},
    minecraft::{
        Framing, LoginName, MAX_FRAME, PROTOCOL, Plain, Received, Text, Uuid, VarInt, Zlib,
        packets::{
            handshaking::{Handshake, NEXT_LOGIN},
            login::{Clientbound, LoginStart, LoginSuccess},
        },
    },
};

/// What a player is told whose server wants what this service does not have.
pub const NEEDS_ACCOUNT: &str = "The upstream server wants an authenticated account (online mode); this service can only use offline servers.";

/// A login on its way.
#[derive(Clone, Copy, Debug)]
pub struct UpstreamLogin {
    framing: Framing,
}

/// What a server said to a login.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Nothing that decides it: the rest of it has to come.
    Wait,
    /// The player is in: what follows is play.
    Welcome {
        /// Who the player is there.
        uuid: Uuid,
        /// What it is called there.
        name: LoginName,
        /// How frames look from here on.
        framing: Framing,
    },
    /// The player is not let in; the reason is JSON.
    Refused(String),
    /// The server is in online mode; see [`NEEDS_ACCOUNT`].
    NeedsAccount,
}

impl UpstreamLogin {
    /// Appends what a client says first.
    pub fn begin(
        host: &str,
        port: u16,
        name: LoginName,
        writer: &mut Writer<'_>,
    ) -> Result<Self, Full> {
        let handshake = Handshake {
            protocol: VarInt(PROTOCOL),
            host: Text::cut(host),
            port,
            next_state: VarInt(NEXT_LOGIN),
        };
        let login = LoginStart {
            username: Text::cut(name.as_str()),
        };
        writer.all_or_nothing(|writer| {
            Plain(handshake).encode(writer)?;
            Plain(login).encode(writer)
        })?;
        Ok(Self {
            framing: Framing::new(MAX_FRAME),
        })
    }

    /// How frames look at this moment.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Reads the packet at the front of `received`, if all of it is there; answers how many
    /// bytes it took, too.
    ///
    /// Fails if the connection must be closed.
    pub fn receive(&mut self, received: &[u8], zlib: &mut Zlib) -> Result<(usize, Answer), Fault> {
        let Received::Frame(frame) = self.framing.receive(received)? else {
            return Ok((0, Answer::Wait));
        };
        let body = zlib.body(frame.content)?;
        let packet = Clientbound::decode(body).map_err(|_| Fault::Unexpected)?;
        let answer = match packet {
            Clientbound::SetCompression(it) => {
                self.framing = self.framing.with_threshold(it.threshold.0);
                Answer::Wait
            }
            Clientbound::LoginSuccess(it) => self.welcome(&it)?,
            Clientbound::Disconnect(it) => Answer::Refused(it.reason.as_str().to_owned()),
            Clientbound::EncryptionRequest(_) => Answer::NeedsAccount,
        };
        Ok((frame.bytes.len(), answer))
    }

    fn welcome(&self, packet: &LoginSuccess<'_>) -> Result<Answer, Fault> {
        let uuid = Uuid::parse(packet.uuid.as_str());
        let name = LoginName::new(packet.username.as_str());
        let (uuid, name) = uuid.zip(name).ok_or(Fault::Unexpected)?;
        Ok(Answer::Welcome {
            uuid,
            name,
            framing: self.framing,
        })
    }
}
