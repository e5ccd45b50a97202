//! A service without sockets, for its tests and for fuzzing.

use super::{
    Capacity, ConnectionId, Connections, Ending, Origin, TcpService, TcpSettings,
    connection::{Hearing, Phase},
    driver::Driver,
};
use crate::{metrics::Reason, timer::Time};
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

/// Services on connections that exist in memory only, in a time that the caller makes.
///
/// Each call is a turn of the loop, with everything that follows from it.
#[derive(Debug)]
pub struct Rehearsal {
    driver: Driver,
    capacity: Arc<Capacity>,
    now: Time,
    peers: u16,
}

impl Rehearsal {
    /// One service.
    pub fn new(service: impl TcpService + 'static, settings: TcpSettings) -> Self {
        Self::shared(vec![Box::new(service)], settings)
    }

    /// Several that share a port.
    pub fn shared(services: Vec<Box<dyn TcpService>>, settings: TcpSettings) -> Self {
        let capacity = Arc::new(Capacity::new(settings, 1, Arc::default(), Arc::default()));
        Self {
            driver: Driver::new(services, Connections::new(capacity.clone(), None)),
            capacity,
            now: Time::ZERO,
            peers: 0,
        }
    }

    /// Caps, counts and blocks.
    pub fn capacity(&self) -> &Capacity {
        &self.capacity
    }

    /// The time it is.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Someone connects to the first service's own port.
    pub fn open(&mut self) -> ConnectionId {
        self.knock(Some(0)).unwrap_or(NOBODY)
    }

    /// Someone connects to the shared port, or to the one of `service`; why not, if there is no
    /// room.
    pub fn knock(&mut self, service: Option<usize>) -> Result<ConnectionId, Reason> {
        self.peers = self.peers.wrapping_add(1);
        let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, self.peers));
        self.capacity.enter(peer.ip())?;
        let origin = Origin::Accepted { listener: 0 };
        let net = &mut self.driver.connections;
        let id = net.insert(None, origin, peer, Phase::Sniffing);
        let id = id.map_err(|_| Reason::TooManyConnections)?;
        self.driver.begin(id, service);
        self.turn();
        Ok(id)
    }

    /// The peer of a connection that a service makes takes it.
    pub fn take(&mut self, id: ConnectionId) {
        if let Some(connection) = self.driver.connections.get_mut(id) {
            connection.writable = true;
            self.driver.connections.list(id.index);
        }
        self.turn();
    }

    /// `bytes` come in at once; answers whether all were taken. What a paused or held connection
    /// does not read is lost.
    pub fn receive(&mut self, id: ConnectionId, bytes: &[u8]) -> bool {
        let len = self.driver.deliver(id, bytes);
        self.turn();
        len == bytes.len()
    }

    /// The peer says no more.
    pub fn half_close(&mut self, id: ConnectionId) {
        if let Some(connection) = self.driver.connections.get_mut(id) {
            connection.hearing = Hearing::Ended;
            self.driver.connections.list(id.index);
        }
        self.turn();
    }

    /// The peer is gone.
    pub fn reset(&mut self, id: ConnectionId) {
        if self.is_open(id) {
            let kind = std::io::ErrorKind::ConnectionReset;
            let index = id.index;
            self.driver.connections.end(index, Ending::Failed(kind));
        }
        self.turn();
    }

    /// The peer reads everything that waits for it.
    pub fn take_sent(&mut self, id: ConnectionId) -> Vec<u8> {
        let mut sent = Vec::new();
        self.driver.drain(id, &mut sent);
        self.turn();
        sent
    }

    /// Time passes, in one step.
    pub fn wait(&mut self, time: Duration) {
        self.now += time;
        self.turn();
    }

    /// Whether the connection has not ended.
    pub fn is_open(&self, id: ConnectionId) -> bool {
        self.driver.connections.get(id).is_some()
    }

    /// Who is on the other side, if the connection has not ended.
    pub fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        self.driver.connections.peer(id)
    }

    /// Whether the peer of a live connection has been told that no more will come.
    pub fn is_shut(&self, id: ConnectionId) -> bool {
        let connection = self.driver.connections.get(id);
        connection.is_some_and(|it| it.sending == super::connection::Sending::Finished)
    }

    /// The server stops.
    pub fn stop(&mut self) {
        self.driver.announce_stop(self.now);
        self.turn();
        self.driver.close_all(self.now);
        self.turn();
    }

    fn turn(&mut self) {
        while self.driver.turn(self.now).more {}
    }
}

/// An id that finds nothing.
const NOBODY: ConnectionId = ConnectionId {
    index: u32::MAX,
    generation: u32::MAX,
};
