//! The input cache as the specification words it, to hold the server's against
//! (kaillera.md 8.2).

use samara::kaillera::{
    bundle::{Bundle, MessageNumber},
    message::ServerMessage,
};

/// A list of whole payloads, the oldest first.
#[derive(Default)]
pub struct PlainCache(Vec<Vec<u8>>);

impl PlainCache {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn add(&mut self, payload: &[u8]) {
        if self.0.len() == 256 {
            self.0.remove(0);
        }
        self.0.push(payload.to_vec());
    }

    pub fn find(&self, payload: &[u8]) -> Option<u8> {
        let place = self.0.iter().rposition(|it| it == payload)?;
        Some(u8::try_from(place).unwrap())
    }
}

/// What a client with such a cache makes of the server's game data.
#[derive(Default)]
pub struct PlainFrames {
    last: Option<MessageNumber>,
    cache: PlainCache,
}

impl PlainFrames {
    /// The frames that are new in a datagram.
    pub fn receive(&mut self, bundle: &Bundle<'_>) -> Vec<Vec<u8>> {
        let mut frames = Vec::new();
        for message in bundle.oldest_first() {
            if !message.number.order_after(self.last).is_new() {
                continue;
            }
            self.last = Some(message.number);
            match ServerMessage::decode(message.kind, message.body) {
                Ok(ServerMessage::AllReady) => self.cache.clear(),
                Ok(ServerMessage::GameData { input }) => {
                    self.cache.add(input);
                    frames.push(input.to_vec());
                }
                Ok(ServerMessage::CachedGameData { index }) => {
                    frames.push(self.cache.0[usize::from(index)].clone());
                }
                _ => {}
            }
        }
        frames
    }
}
