//! A connection that goes on at another loop.

use super::{
    Capacity, ConnectionId, Connections, Ending, Origin,
    connection::{Hearing, Phase},
};
use crate::buffer::Frame;
use mio::net::TcpStream;
use std::{io, net::SocketAddr, sync::Arc};

/// A connection between two loops: its socket, and what was received and not consumed.
///
/// It still counts; dropping it closes it.
#[derive(Debug)]
pub struct Parted {
    stream: Option<TcpStream>,
    input: Option<Frame>,
    origin: Origin,
    peer: SocketAddr,
    capacity: Arc<Capacity>,
    adopted: bool,
}

impl Connections {
    /// Takes a connection that was accepted off this loop, for a service of another loop to
    /// adopt; what was received and not consumed goes with it. Here it ends with
    /// [`Ending::Parted`].
    ///
    /// Not while anything waits to be sent, nor after the peer has said its last.
    pub fn part(&mut self, id: ConnectionId) -> Option<Parted> {
        let capacity = self.capacity.clone();
        let connection = self.get_mut(id)?;
        let is_open = matches!(connection.phase, Phase::Open { .. });
        let is_quiet = connection.output.is_empty() && connection.hearing == Hearing::Open;
        if !is_open || !is_quiet || connection.origin == Origin::Connected {
            return None;
        }
        let mut parted = Parted {
            stream: connection.stream.take(),
            input: connection.input.take(),
            origin: connection.origin,
            peer: connection.peer,
            capacity,
            adopted: false,
        };
        if let Some(stream) = &mut parted.stream {
            self.unwatch(stream);
        }
        self.end(id.index, Ending::Parted);
        Some(parted)
    }

    /// Goes on with a connection that another loop has parted with; it is the calling service's,
    /// which is offered what was not consumed. Until [`Connections::admit`] the handshake timeout
    /// runs.
    ///
    /// # Errors
    ///
    /// When the system refuses to watch it, or there is no place for it; it is closed then.
    pub fn adopt(&mut self, mut parted: Parted) -> io::Result<ConnectionId> {
        let phase = Phase::Open {
            service: self.caller,
        };
        let limit = self.now + self.capacity.settings.handshake_timeout;
        let (stream, input) = (parted.stream.take(), parted.input.take());
        let is_real = stream.is_some();
        let id = self.insert(stream, parted.origin, parted.peer, phase)?;
        parted.adopted = true;
        if let Some(connection) = self.get_mut(id) {
            connection.writable = is_real;
            connection.times.limit = Some(limit);
            connection.offer_again = input.is_some();
            connection.input = input;
        }
        self.arm(id.index);
        self.list(id.index);
        Ok(id)
    }
}

impl Drop for Parted {
    fn drop(&mut self) {
        if !self.adopted {
            self.capacity.leave(self.peer.ip());
            self.capacity.metrics.connections_closed.add(1);
        }
    }
}
