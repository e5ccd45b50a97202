//! TCP on one event loop: its listeners, their newcomers, and the turns of the rest.

use super::{
    Capacity, Connections, Origin, TcpService, connection::Phase, connections::Polled,
    driver::Driver,
};
use crate::{metrics::Reason, net::Progress, privacy::shown, timer::Time};
use mio::{
    Interest, Registry, Token,
    event::Event,
    net::{TcpListener, TcpStream},
};
use socket2::SockRef;
use std::{io, net::SocketAddr, sync::Arc, time::Duration};

/// Connections accepted from one listener in one turn.
const ACCEPTS: usize = 32;

/// How long a listener rests after the system could not accept, most likely for want of file
/// descriptors: what it could not accept waits, and no event tells of it again.
const REST: Duration = Duration::from_millis(100);

/// What an event loop serves over TCP.
#[derive(Debug)]
pub struct TcpSetup {
    /// What it shares with the other loops.
    pub capacity: Arc<Capacity>,
    /// In the order they are asked for a connection's first bytes.
    pub services: Vec<Box<dyn TcpService>>,
    /// Its own sockets; [`Origin::Accepted`] names them by their position.
    pub listeners: Vec<TcpDoor>,
}

/// A listening socket and for whom it is.
#[derive(Debug)]
pub struct TcpDoor {
    /// Bound and listening.
    pub socket: TcpListener,
    /// Position of the one service it is for; `None` shares it by what is said first.
    pub service: Option<usize>,
}

/// The TCP side of an event loop.
#[derive(Debug)]
pub(in crate::net) struct TcpEndpoint {
    driver: Driver,
    listeners: Vec<Listener>,
    capacity: Arc<Capacity>,
    first_token: usize,
    /// Listeners there were: they go first when the server stops, and keep their tokens.
    doors: usize,
    stage: Stage,
}

#[derive(Debug)]
struct Listener {
    door: TcpDoor,
    readable: bool,
    /// Until when nothing is accepted.
    rests: Option<Time>,
}

/// How far the server's end has come, see [`Capacity::announce_stop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Stage {
    Serving,
    Announced,
    Closing,
}

impl TcpEndpoint {
    /// Watches the listeners with the tokens from `first_token` on, the connections with those
    /// after.
    pub(in crate::net) fn new(
        setup: TcpSetup,
        registry: &Registry,
        first_token: usize,
    ) -> io::Result<Self> {
        let TcpSetup {
            capacity,
            services,
            listeners: mut doors,
        } = setup;
        for (index, door) in doors.iter_mut().enumerate() {
            let token = Token(first_token + index);
            registry.register(&mut door.socket, token, Interest::READABLE)?;
        }
        let polled = Polled {
            registry: registry.try_clone()?,
            first_token: first_token + doors.len(),
        };
        let connections = Connections::new(capacity.clone(), Some(polled));
        let count = doors.len();
        let listeners = doors.into_iter().map(|door| Listener {
            door,
            readable: false,
            rests: None,
        });
        Ok(Self {
            driver: Driver::new(services, connections),
            listeners: listeners.collect(),
            capacity,
            first_token,
            doors: count,
            stage: Stage::Serving,
        })
    }

    /// Notes what the system said of one of its tokens.
    pub(in crate::net) fn event(&mut self, event: &Event) {
        let Some(index) = event.token().0.checked_sub(self.first_token) else {
            return;
        };
        if let Some(listener) = self.listeners.get_mut(index) {
            listener.readable = true;
        } else if let Some(index) = index.checked_sub(self.doors)
            && let Ok(index) = u32::try_from(index)
        {
            // A late event of a closed connection makes its successor look once, in vain.
            self.driver.event(index, event);
        }
    }

    /// One turn.
    pub(in crate::net) fn turn(&mut self, now: Time) -> Progress {
        self.driver.connections.now = now;
        self.follow_stage(now);
        let mut more = false;
        let mut rests: Option<Time> = None;
        for index in 0..self.listeners.len() {
            self.accept(index, now);
            if let Some(listener) = self.listeners.get(index) {
                more |= listener.readable && listener.rests.is_none();
                rests = rests.into_iter().chain(listener.rests).min();
            }
        }
        let progress = self.driver.turn(now);
        Progress {
            more: progress.more || more,
            deadline: progress.deadline.into_iter().chain(rests).min(),
        }
    }

    /// Whether a turn would find nothing to do before something comes in.
    pub(in crate::net) fn is_idle(&self) -> bool {
        self.driver.is_idle() && self.stage == self.capacity.stage()
    }

    /// Lets the services do what can wait; whether there is more of it.
    pub(in crate::net) fn idle(&mut self) -> bool {
        self.driver.idle()
    }

    fn follow_stage(&mut self, now: Time) {
        let stage = self.capacity.stage();
        if self.stage == stage {
            return;
        }
        if self.stage == Stage::Serving {
            self.listeners.clear();
            self.driver.announce_stop(now);
        }
        if stage == Stage::Closing {
            self.driver.close_all(now);
        }
        self.stage = stage;
    }

    fn accept(&mut self, index: usize, now: Time) {
        for _ in 0..ACCEPTS {
            let Some(listener) = self.listeners.get_mut(index) else {
                return;
            };
            if listener.rests.is_some_and(|until| until > now) || !listener.readable {
                return;
            }
            listener.rests = None;
            let service = listener.door.service;
            match listener.door.socket.accept() {
                Ok((stream, peer)) => self.welcome(stream, peer, index, service),
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => listener.readable = false,
                    io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted => {}
                    _ => {
                        listener.rests = Some(now + REST);
                        self.refused_by_system(index, &error, now);
                    }
                },
            }
        }
    }

    fn refused_by_system(&self, index: usize, error: &io::Error, now: Time) {
        if let Some(count) = self.capacity.drops.record(Reason::AcceptFailed, now) {
            log::error!("cannot accept on listener {index}: {error} ({count} so far)");
        }
    }

    fn welcome(
        &mut self,
        stream: TcpStream,
        peer: SocketAddr,
        listener: usize,
        service: Option<usize>,
    ) {
        let net = &mut self.driver.connections;
        let now = net.now;
        if let Err(reason) = self.capacity.enter(peer.ip()) {
            self.capacity.count_drop(reason, peer, now);
            // No state of ours and none of the system's is kept for it.
            let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
            return;
        }
        // Without it answers are late and still come.
        let _ = stream.set_nodelay(true);
        let origin = Origin::Accepted { listener };
        let id = match net.insert(Some(stream), origin, peer, Phase::Sniffing) {
            Ok(id) => id,
            Err(error) => {
                self.capacity.leave(peer.ip());
                let peer = shown(peer);
                log::debug!("cannot watch a connection from {peer}: {error}");
                return;
            }
        };
        self.capacity.metrics.connections_accepted.add(1);
        self.driver.begin(id, service);
    }
}

#[cfg(test)]
mod tests;
