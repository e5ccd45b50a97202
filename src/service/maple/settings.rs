//! What a session service is told.

use super::Greeting;
use crate::maple::{IvPolicy, Lookahead, Opcodes, Profile};
use std::time::Duration;

/// How sessions are greeted, limited and kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Who is served.
    pub greeting: Greeting,
    /// How silent clients are asked whether they are there; `None` leaves them to TCP's idle
    /// timeout.
    pub keepalive: Option<Keepalive>,
    /// The longest payload taken from a client, in bytes.
    pub longest: usize,
    /// Keystreams made before their packets.
    pub lookahead: Lookahead,
}

/// Pings for those who say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keepalive {
    /// The opcode of the question.
    pub ping: u16,
    /// The opcode of the answer.
    pub pong: u16,
    /// How long a session may say nothing before it is asked.
    pub after: Duration,
    /// How long it may then say nothing.
    pub timeout: Duration,
}

impl Settings {
    /// Those for a version: random IVs, patch "1", pings after 30 seconds of silence if their
    /// opcodes are known, 32 kB at most, eight keystreams ahead.
    pub fn new(profile: Profile) -> Self {
        let opcodes = Opcodes::find(profile.region, profile.version).unwrap_or_default();
        let keepalive = opcodes.ping.zip(opcodes.pong);
        Self {
            greeting: Greeting {
                profile,
                patch: "1".to_owned(),
                iv_policy: IvPolicy::Random,
            },
            keepalive: keepalive.map(|(ping, pong)| Keepalive {
                ping,
                pong,
                after: Duration::from_secs(30),
                timeout: Duration::from_secs(15),
            }),
            longest: 32 << 10,
            lookahead: Lookahead {
                packets: 8,
                bytes: 512,
            },
        }
    }

    pub(super) fn opcode_len(&self) -> usize {
        self.greeting.profile.opcode_len
    }

    pub(super) fn is_pong(&self, payload: &[u8]) -> bool {
        self.keepalive.is_some_and(|keepalive| {
            let opcode = keepalive.pong.to_le_bytes();
            let opcode = opcode.get(..self.opcode_len());
            opcode.is_some_and(|opcode| payload.starts_with(opcode))
        })
    }
}

impl Keepalive {
    /// The question, in the first bytes of `room`.
    pub(super) fn write_ping(self, opcode_len: usize, room: &mut [u8; 2]) -> &[u8] {
        *room = self.ping.to_le_bytes();
        room.get(..opcode_len).unwrap_or_default()
    }
}
