//! Who a player says it is.

use samara::kaillera::{client::Habits, message::ConnectionType};
use std::time::Duration;

/// What a player logs in with, and how it behaves on the wire.
#[derive(Clone, Debug)]
pub struct Identity {
    pub name: Vec<u8>,
    pub emulator: Vec<u8>,
    pub connection_type: ConnectionType,
    pub habits: Habits,
    /// A pause before each ack: what players do who choose their ping.
    pub ack_pause: Duration,
}

impl Identity {
    pub fn new(name: impl AsRef<[u8]>) -> Self {
        Self {
            name: name.as_ref().to_vec(),
            emulator: b"EMU 1.0".to_vec(),
            connection_type: ConnectionType::Lan,
            habits: Habits::default(),
            ack_pause: Duration::ZERO,
        }
    }

    pub fn emulator(mut self, emulator: impl AsRef<[u8]>) -> Self {
        self.emulator = emulator.as_ref().to_vec();
        self
    }

    pub fn connection_type(mut self, connection_type: ConnectionType) -> Self {
        self.connection_type = connection_type;
        self
    }

    pub fn caches(mut self, caches: bool) -> Self {
        self.habits.caches = caches;
        self
    }

    pub fn ack_pause(mut self, millis: u64) -> Self {
        self.ack_pause = Duration::from_millis(millis);
        self
    }

    /// So many LAN players, half of which use the client cache.
    pub fn crowd(count: usize) -> Vec<Self> {
        (1..=count)
            .map(|n| Self::new(format!("Player {n}")).caches(n % 2 == 1))
            .collect()
    }
}
