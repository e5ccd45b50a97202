//! What happened, as one number; and as lines for whoever looks into a seed.

use crate::{
    network::{Datagram, Direction},
    rng::{hash, mix},
};
use samara::{
    kaillera::{
        Kind,
        bundle::Bundle,
        message::{ClientMessage, ServerMessage},
    },
    timer::Time,
};

#[derive(Default)]
pub(crate) struct Trace {
    hash: u64,
    datagrams: u64,
    pub(crate) prints: bool,
}

impl Trace {
    /// Equal for two runs in which the server heard and said the same at the same times.
    pub(crate) fn hash(&self) -> u64 {
        mix(self.hash ^ self.datagrams)
    }

    pub(crate) fn datagrams(&self) -> u64 {
        self.datagrams
    }

    /// A datagram reaches or leaves the server.
    pub(crate) fn datagram(&mut self, now: Time, datagram: &Datagram) {
        let client = datagram.client();
        let address = hash(client.to_string().as_bytes());
        let what = hash(&datagram.bytes) ^ datagram.direction() as u64;
        self.hash = mix(self.hash ^ mix(now.as_nanos() ^ mix(address ^ what)));
        self.datagrams += 1;
        if self.prints {
            let arrow = match datagram.direction() {
                Direction::ToServer => "->",
                Direction::ToClient => "<-",
            };
            println!("{} {client} {arrow} {}", clock(now), describe(datagram));
        }
    }

    /// Anything else worth a line.
    pub(crate) fn note(&self, now: Time, note: impl FnOnce() -> String) {
        if self.prints {
            println!("{} {}", clock(now), note());
        }
    }
}

fn clock(now: Time) -> String {
    format!("{:12.3} ms", now.as_nanos() as f64 / 1e6)
}

fn describe(datagram: &Datagram) -> String {
    let bytes = &datagram.bytes;
    let Ok(bundle) = Bundle::parse(bytes) else {
        return format!("{:?}", String::from_utf8_lossy(bytes));
    };
    let mut newest = bundle.newest_first();
    let message = newest.next().expect("no bundle is empty");
    let older: Vec<String> = newest
        .map(|older| match Kind::from_byte(older.kind) {
            Some(kind) => format!("{kind:?}"),
            None => format!("{:#x}", older.kind),
        })
        .collect();
    let text = match datagram.direction() {
        Direction::ToServer => match ClientMessage::decode(message.kind, message.body) {
            Ok(message) => format!("{message:?}"),
            Err(error) => format!("{:#x} {error:?}", message.kind),
        },
        Direction::ToClient => match ServerMessage::decode(message.kind, message.body) {
            Ok(message) => format!("{message:?}"),
            Err(error) => format!("{:#x} {error:?}", message.kind),
        },
    };
    format!("#{} {text} {older:?}", message.number.0)
}
