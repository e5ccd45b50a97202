//! A small Maple world: it says back what it hears, to whom or to all.

use samara::{
    net::tcp::ConnectionId,
    service::maple::{Handler, Sessions},
    timer::Time,
};

/// The opcode of a packet that everybody gets; all others come back to who sent them.
pub(crate) const TO_ALL: u16 = 0x32;

/// The world of one event loop.
#[derive(Debug, Default)]
pub(crate) struct World {
    everybody: Vec<ConnectionId>,
}

impl Handler for World {
    fn packet(
        &mut self,
        _: Time,
        id: ConnectionId,
        payload: &mut [u8],
        sessions: &mut Sessions<'_>,
    ) {
        // Whoever cannot be sent to is being closed, which is all there is to do about it.
        if payload.starts_with(&TO_ALL.to_le_bytes()) {
            self.everybody.clear();
            self.everybody.extend(sessions.ids());
            let _ = sessions.broadcast(self.everybody.iter().copied(), payload);
        } else {
            let _ = sessions.send(id, payload);
        }
    }
}
