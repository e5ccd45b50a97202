//! The client's side of a link: for tests, load tools and bots.
//!
//! Knows no socket and no clock, like the server's side. It does what emulator clients do:
//! numbers its messages, sends the last few again with each new one, and keeps the two input
//! caches of a game (kaillera.md 2.2, 8.2).

use super::{
    DecodeError, InputCache, MAX_DATAGRAM,
    bundle::{Bundle, BundleWriter, MessageNumber, Order},
    history::History,
    message::{ClientMessage, MAX_INPUT, ServerMessage},
};
use crate::buffer::{Full, Writer};

/// How a client behaves on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habits {
    /// Messages in each datagram, the newest included; most clients send 3.
    pub redundancy: usize,
    /// Whether inputs that are in the cache are sent as their index.
    pub caches: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            redundancy: 3,
            caches: true,
        }
    }
}

/// One client's numbering, history and caches.
#[derive(Debug)]
pub struct Client {
    habits: Habits,
    next: MessageNumber,
    history: History,
    received: Option<MessageNumber>,
    /// What the server has sent, for its indices; empty until the first data of a game.
    frames: InputCache,
    /// What the client has sent, for its own.
    inputs: InputCache,
}

/// What a datagram from the server brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The inputs of one step, whether they came in full or as an index.
    Frames(&'a [u8]),
    /// An index into the cache that has no entry there: the link is broken.
    BadIndex(u8),
    /// Messages before the next one are lost for good.
    Missed(u16),
    /// Any other message.
    Message(ServerMessage<'a>),
}

impl Client {
    /// A client that has said nothing yet.
    pub fn new(habits: Habits) -> Self {
        Self {
            habits,
            next: MessageNumber(0),
            history: History::new(),
            received: None,
            frames: InputCache::new(),
            inputs: InputCache::new(),
        }
    }

    /// Gives `message` the next number and writes the datagram that carries it.
    ///
    /// # Errors
    ///
    /// [`Full`] when the message does not fit; it then has no number either.
    pub fn send(&mut self, message: &ClientMessage<'_>, out: &mut [u8]) -> Result<usize, Full> {
        let mut bytes = [0; MAX_INPUT + 16];
        let mut writer = Writer::new(&mut bytes);
        message.encode(&mut writer)?;
        self.history.push(writer.written());
        self.next = self.next.next();
        self.write_last(out).ok_or(Full)
    }

    /// Sends one message's inputs, as an index if the client caches and has them.
    ///
    /// # Errors
    ///
    /// [`Full`] when the inputs are longer than [`MAX_INPUT`].
    pub fn send_input(&mut self, input: &[u8], out: &mut [u8]) -> Result<usize, Full> {
        if self.habits.caches {
            if let Some(index) = self.inputs.find(input) {
                return self.send(&ClientMessage::CachedGameData { index }, out);
            }
            if self.inputs.is_empty() {
                self.inputs.reset(input.len());
            }
            self.inputs.push(input);
        }
        self.send(&ClientMessage::GameData { input }, out)
    }

    /// Writes the last datagram again, as a client does that waits.
    pub fn write_last(&self, out: &mut [u8]) -> Option<usize> {
        let least = BundleWriter::HEADER + BundleWriter::ENTRY + self.history.get(0)?.len();
        let limit = least.max(MAX_DATAGRAM).min(out.len());
        let mut bundle = BundleWriter::new(out.get_mut(..limit)?);
        let MessageNumber(next) = self.next;
        for age in 0..self.habits.redundancy {
            let Some(message) = self.history.get(age) else {
                break;
            };
            let number = MessageNumber(next.wrapping_sub(1).wrapping_sub(age as u16));
            if bundle.push(number, message).is_err() {
                break;
            }
        }
        (!bundle.is_empty()).then(|| bundle.finish())
    }

    /// Takes a datagram and passes on what is new in it, oldest first; says how many messages
    /// that were.
    ///
    /// # Errors
    ///
    /// When the datagram is no bundle, or a new message in it is malformed.
    pub fn receive(
        &mut self,
        datagram: &[u8],
        mut each: impl FnMut(Event<'_>),
    ) -> Result<usize, DecodeError> {
        let bundle = Bundle::parse(datagram)?;
        let mut new = 0;
        for message in bundle.oldest_first() {
            let order = message.number.order_after(self.received);
            if !order.is_new() {
                continue;
            }
            self.received = Some(message.number);
            new += 1;
            if let Order::Newer { missed } = order {
                each(Event::Missed(missed));
            }
            match ServerMessage::decode(message.kind, message.body)? {
                ServerMessage::GameData { input } => {
                    if self.frames.is_empty() {
                        self.frames.reset(input.len());
                    }
                    self.frames.push(input);
                    each(Event::Frames(input));
                }
                ServerMessage::CachedGameData { index } => match self.frames.get(index) {
                    Some(frames) => each(Event::Frames(frames)),
                    None => each(Event::BadIndex(index)),
                },
                message => {
                    if message == ServerMessage::AllReady {
                        self.frames.reset(0);
                        self.inputs.reset(0);
                    }
                    each(Event::Message(message));
                }
            }
        }
        Ok(new)
    }
}
