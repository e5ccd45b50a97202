//! Who is called when: connections and their services, turn by turn.

use super::{
    ConnectionId, Connections, Ending, TcpService,
    connection::{Connection, Due, Phase},
};
use crate::{buffer::Frame, net::Progress, timer::Time};
use std::io;

/// Connections looked at in one turn: what is left waits for the next, behind the datagrams that
/// came in meanwhile.
const LOOKS: usize = 64;

/// Times handled in one turn.
const TIMES: usize = 256;

/// The services of one loop and all their connections.
#[derive(Debug)]
pub(super) struct Driver {
    pub(super) services: Vec<Box<dyn TcpService>>,
    pub(super) connections: Connections,
    /// The block that most reads go to: what is consumed at once gives it back.
    pub(super) spare: Option<Frame>,
}

impl Driver {
    pub(super) fn new(services: Vec<Box<dyn TcpService>>, connections: Connections) -> Self {
        Self {
            services,
            connections,
            spare: None,
        }
    }

    /// What the system said about the connection at this place.
    pub(super) fn event(&mut self, index: u32, event: &mio::event::Event) {
        let Some(connection) = self.at(index) else {
            return;
        };
        connection.readable |= event.is_readable() || event.is_read_closed();
        connection.writable |= event.is_writable() || event.is_write_closed();
        connection.hung_up |= event.is_read_closed() || event.is_error();
        connection.failed |= event.is_error();
        if connection.writable && !connection.output.is_empty() {
            self.connections.mark_dirty(index);
        }
        self.connections.list(index);
    }

    /// One turn: what came in, what is due, what the services do by themselves; then everything
    /// is sent.
    pub(super) fn turn(&mut self, now: Time) -> Progress {
        self.connections.now = now;
        for _ in 0..LOOKS.min(self.connections.listed.len()) {
            if let Some(index) = self.connections.next_listed() {
                self.look(index);
            }
        }
        for _ in 0..TIMES {
            match self.connections.deadlines.pop_due(now) {
                Some(index) => self.due(index),
                None => break,
            }
        }
        let mut progress = Progress::default();
        for service in 0..self.services.len() {
            let its = self.call(service, |service, net| service.turn(now, net));
            progress.more |= its.more;
            progress.deadline = earlier(progress.deadline, its.deadline);
        }
        self.flush();
        self.tell();
        progress.more |= !self.is_quiet();
        progress.deadline = earlier(progress.deadline, self.connections.deadlines.next());
        progress
    }

    /// Whether a turn would find nothing to do before something comes in.
    pub(super) fn is_idle(&self) -> bool {
        self.is_quiet() && self.services.iter().all(|service| service.is_idle())
    }

    /// Lets the services do what can wait; whether there is more of it.
    pub(super) fn idle(&mut self) -> bool {
        let services = self.services.iter_mut();
        services.fold(false, |more, service| service.idle() || more)
    }

    fn is_quiet(&self) -> bool {
        let net = &self.connections;
        net.listed.is_empty()
            && net.dirty.is_empty()
            && net.relieved.is_empty()
            && net.ended.is_empty()
    }

    /// Lets the services say their last words.
    pub(super) fn announce_stop(&mut self, now: Time) {
        self.connections.now = now;
        for service in 0..self.services.len() {
            self.call(service, |service, net| service.stopping(now, net));
        }
    }

    /// Closes everything in good order.
    pub(super) fn close_all(&mut self, now: Time) {
        self.connections.now = now;
        let ids: Vec<_> = self.connections.ids().collect();
        for id in ids {
            match self.connections.get(id).map(|it| it.phase) {
                Some(Phase::Open { .. }) => self.connections.close(id),
                Some(Phase::Closing { .. }) | None => {}
                Some(_) => self.connections.end(id.index, Ending::Stopped),
            }
        }
    }

    /// Begins with a connection that has just been accepted: it is the `service`'s, or what it
    /// says will tell whose.
    pub(super) fn begin(&mut self, id: ConnectionId, service: Option<usize>) {
        let net = &mut self.connections;
        let settings = net.capacity.settings;
        let now = net.now;
        let silence = self.services.iter().any(|it| it.speaks_first());
        if let Some(connection) = net.get_mut(id) {
            connection.writable = connection.stream.is_some();
            connection.times.limit = Some(now + settings.handshake_timeout);
            if silence && service.is_none() {
                connection.times.silence = Some(now + settings.sniff_delay);
            }
        }
        net.arm(id.index);
        if let Some(service) = service {
            self.open(id.index, service);
        }
    }

    /// Lets `reader` take all that waits to be sent.
    pub(super) fn drain(&mut self, id: ConnectionId, reader: &mut impl io::Write) {
        let now = self.connections.now;
        let Some(connection) = self.connections.get_mut(id) else {
            return;
        };
        let was_sending = connection.output.holds_blocks();
        connection.times.moved = now;
        let bytes = connection.output.flush(reader).map_or(0, |it| it.bytes);
        self.connections.capacity.note_sending(was_sending, false);
        self.flushed(id.index, bytes);
    }

    /// Gives the connection at this place to a service.
    pub(super) fn open(&mut self, index: u32, service: usize) {
        let now = self.connections.now;
        let Some(id) = self.connections.id_at(index) else {
            return;
        };
        let Some(connection) = self.connections.get_mut(id) else {
            return;
        };
        connection.phase = Phase::Open { service };
        connection.times.silence = None;
        let origin = connection.origin;
        self.call(service, |it, net| it.opened(now, id, origin, net));
    }

    fn due(&mut self, index: u32) {
        let now = self.connections.now;
        let settings = self.connections.capacity.settings;
        let Some(id) = self.connections.id_at(index) else {
            return;
        };
        let net = &self.connections;
        let held = net.get(id).is_some_and(|it| net.is_held(it));
        let Some(connection) = self.at(index) else {
            return;
        };
        connection.times.armed = None;
        match connection.due(now, &settings) {
            Some(Due::Limit) => {
                let ending = match connection.phase {
                    Phase::Connecting { .. } => Ending::ConnectFailed(io::ErrorKind::TimedOut),
                    Phase::Closing { ending, .. } => ending,
                    _ => Ending::Handshake,
                };
                self.connections.end(index, ending);
            }
            Some(Due::Stalled) => self.connections.end(index, Ending::Stalled),
            // Whoever is not read from is not silent.
            Some(Due::Idle) if held => connection.times.heard = now,
            Some(Due::Idle) => self.connections.end(index, Ending::Idle),
            Some(Due::Silence) => {
                connection.times.silence = None;
                if connection.is_silent() {
                    self.open_silent(index);
                }
            }
            Some(Due::Timer) => {
                connection.times.timer = None;
                if let Some(service) = connection.phase.service() {
                    self.call(service, |it, net| it.expired(now, id, net));
                }
            }
            None => {}
        }
        self.connections.arm(index);
    }

    fn open_silent(&mut self, index: u32) {
        let silent = self.services.iter().position(|it| it.speaks_first());
        if let Some(service) = silent {
            self.open(index, service);
        }
    }

    /// Writes what waits, each connection's with one call.
    fn flush(&mut self) {
        for _ in 0..self.connections.dirty.len() {
            if let Some(index) = self.connections.next_dirty() {
                self.flush_one(index);
            }
        }
    }

    fn flush_one(&mut self, index: u32) {
        let now = self.connections.now;
        let Some(connection) = self.at(index) else {
            return;
        };
        if matches!(connection.phase, Phase::Connecting { .. }) {
            return;
        }
        let was_sending = connection.output.holds_blocks();
        match connection.flush(now) {
            Ok(bytes) => {
                let is_sending = connection.output.holds_blocks();
                self.connections
                    .capacity
                    .note_sending(was_sending, is_sending);
                self.flushed(index, bytes);
            }
            Err(error) => self.fail(index, error.kind()),
        }
    }

    /// Looks what follows from so many bytes having left.
    pub(super) fn flushed(&mut self, index: u32, bytes: usize) {
        let net = &mut self.connections;
        net.capacity.metrics.stream_bytes_out.add(bytes as u64);
        let low = net.capacity.settings.low_mark;
        let Some(id) = net.id_at(index) else { return };
        let Some(connection) = net.get_mut(id) else {
            return;
        };
        if connection.congested && connection.output.len() <= low {
            connection.congested = false;
            let source = connection.source;
            net.relieved.push(index);
            if let Some(source) = source {
                net.release(source);
            }
        }
        self.finish(index);
        self.connections.arm(index);
    }

    /// Shuts our side down if its time has come, and ends what is done.
    pub(super) fn finish(&mut self, index: u32) {
        let now = self.connections.now;
        let Some(connection) = self.at(index) else {
            return;
        };
        connection.shut_down(now);
        if connection.is_done() {
            let ending = match connection.phase {
                Phase::Closing { ending, .. } => ending,
                _ => Ending::Done,
            };
            self.connections.end(index, ending);
        }
    }

    pub(super) fn fail(&mut self, index: u32, kind: io::ErrorKind) {
        let ending = match self.at(index).map(|connection| connection.phase) {
            Some(Phase::Connecting { .. }) => Ending::ConnectFailed(kind),
            Some(Phase::Closing { ending, .. }) => ending,
            _ => Ending::Failed(kind),
        };
        self.connections.end(index, ending);
    }

    /// Tells services what has changed while they were not looking.
    fn tell(&mut self) {
        let now = self.connections.now;
        for _ in 0..self.connections.relieved.len() {
            let index = self.connections.relieved.pop();
            let Some(id) = index.and_then(|index| self.connections.id_at(index)) else {
                continue;
            };
            let phase = self.connections.get(id).map(|it| it.phase);
            if let Some(Phase::Open { service }) = phase {
                self.call(service, |it, net| it.writable(now, id, net));
            }
        }
        for _ in 0..self.connections.ended.len() {
            let Some((id, phase)) = self.connections.next_ended() else {
                continue;
            };
            if let Phase::Ended {
                service: Some(service),
                ending,
            } = phase
            {
                self.call(service, |it, net| it.closed(now, id, ending, net));
            }
            self.connections.vacate(id);
        }
    }

    /// Calls one service; connections it makes meanwhile are its own.
    pub(super) fn call<R: Default>(
        &mut self,
        index: usize,
        call: impl FnOnce(&mut dyn TcpService, &mut Connections) -> R,
    ) -> R {
        self.connections.caller = index;
        match self.services.get_mut(index) {
            Some(service) => call(service.as_mut(), &mut self.connections),
            None => R::default(),
        }
    }

    pub(super) fn at(&mut self, index: u32) -> Option<&mut Connection> {
        let id = self.connections.id_at(index)?;
        self.connections.get_mut(id)
    }
}

fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
