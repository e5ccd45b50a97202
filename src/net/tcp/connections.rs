//! All connections of one event loop, as services see them.

use super::{
    Capacity, ConnectionId, Ending, Origin, SendError,
    connection::{Connection, Phase},
    queue::OutQueue,
    sockets,
};
use crate::{
    buffer::Frame,
    metrics::Reason,
    timer::{Deadlines, Time},
};
use mio::{Interest, Registry, Token, net::TcpStream};
use std::{
    collections::VecDeque,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

/// The connections of one event loop: where services say what is to be sent and done.
///
/// An id that finds no connection any more, or one that is being closed, is no mistake: the call
/// does nothing, or says [`SendError::Gone`]. Nothing here blocks, and nothing is sent before the
/// end of the loop's turn.
#[derive(Debug)]
pub struct Connections {
    slots: Vec<Slot>,
    /// Places nobody has.
    free: Vec<u32>,
    pub(super) deadlines: Deadlines,
    /// Those that may have something to read, or to be told.
    pub(super) listed: VecDeque<u32>,
    /// Those with something to send.
    pub(super) dirty: Vec<u32>,
    /// Those whose output is no longer congested, to be told.
    pub(super) relieved: Vec<u32>,
    /// Those whose service has to hear of their end.
    pub(super) ended: Vec<u32>,
    outgoing: usize,
    /// The service that is being called.
    pub(super) caller: usize,
    pub(super) now: Time,
    pub(super) capacity: Arc<Capacity>,
    /// `None` only in a rehearsal.
    poll: Option<Polled>,
}

/// Where connections are watched, and from which token on.
#[derive(Debug)]
pub(super) struct Polled {
    pub(super) registry: Registry,
    pub(super) first_token: usize,
}

#[derive(Debug, Default)]
struct Slot {
    generation: u32,
    connection: Option<Connection>,
    /// The place is on the list of those to look at.
    listed: bool,
    /// The place is on the list of those to flush.
    dirty: bool,
    /// Memory for the next one.
    spare: OutQueue,
}

impl Connections {
    pub(super) fn new(capacity: Arc<Capacity>, poll: Option<Polled>) -> Self {
        let places = capacity.settings.places();
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            deadlines: Deadlines::new(places),
            listed: VecDeque::new(),
            dirty: Vec::new(),
            relieved: Vec::new(),
            ended: Vec::new(),
            outgoing: 0,
            caller: 0,
            now: Time::ZERO,
            capacity,
            poll,
        }
    }

    /// Appends `bytes` to what waits to be sent.
    ///
    /// # Errors
    ///
    /// [`SendError::Gone`] or [`SendError::Overflow`].
    pub fn send(&mut self, id: ConnectionId, bytes: &[u8]) -> Result<(), SendError> {
        self.output(id, bytes.len(), |output, take| output.append(bytes, take))
    }

    /// Lets `fill` write up to `most` bytes in one piece behind what waits to be sent; it answers
    /// how many it wrote. What the piece holds before is of no meaning.
    ///
    /// # Errors
    ///
    /// Any of them; then `fill` was not called.
    pub fn write(
        &mut self,
        id: ConnectionId,
        most: usize,
        fill: impl FnOnce(&mut [u8]) -> usize,
    ) -> Result<(), SendError> {
        if most > self.capacity.settings.block {
            return Err(SendError::TooLong);
        }
        self.output(id, most, |output, take| output.write(most, fill, take))
    }

    /// Bytes of a block: the most that is offered or written at once.
    pub fn block(&self) -> usize {
        self.capacity.settings.block
    }

    /// Bytes that wait to be sent; 0 if the connection is gone.
    pub fn queued(&self, id: ConnectionId) -> usize {
        self.get(id).map_or(0, |connection| connection.output.len())
    }

    /// Whether what waits to be sent passed the high mark and has not been below the low one
    /// since; [`super::TcpService::writable`] will tell when it is.
    pub fn is_congested(&self, id: ConnectionId) -> bool {
        self.get(id).is_some_and(|connection| connection.congested)
    }

    /// While `sink` is congested, `source` is not read from and nothing of it is offered: whoever
    /// sends it something waits, as it should. A sink has one source, a source one sink; the last
    /// call counts. They may be the same connection.
    pub fn feed(&mut self, source: ConnectionId, sink: ConnectionId) {
        if self.get(sink).is_none() {
            return;
        }
        if let Some(connection) = self.get_mut(source) {
            connection.sink = Some(sink);
            if let Some(connection) = self.get_mut(sink) {
                connection.source = Some(source);
            }
        }
    }

    /// Nothing is read from the connection, and nothing of it offered, until
    /// [`Connections::resume`].
    pub fn pause(&mut self, id: ConnectionId) {
        if let Some(connection) = self.get_mut(id) {
            connection.paused = true;
        }
    }

    /// Reads on; what was left unconsumed is offered again.
    pub fn resume(&mut self, id: ConnectionId) {
        if let Some(connection) = self.get_mut(id) {
            connection.paused = false;
            connection.offer_again = true;
            self.list(id.index);
        }
    }

    /// The handshake is done: the idle timeout runs in place of the handshake timeout.
    pub fn admit(&mut self, id: ConnectionId) {
        let idle = self.capacity.settings.idle_timeout;
        let now = self.now;
        if let Some(connection) = self.get_mut(id)
            && let Phase::Open { .. } = connection.phase
        {
            let times = &mut connection.times;
            if times.limit.take().is_some() {
                times.heard = now;
                times.idle = Some(idle);
                self.arm(id.index);
            }
        }
    }

    /// How long the connection may receive nothing, `None` is for ever; for one that is
    /// admitted.
    pub fn set_idle_timeout(&mut self, id: ConnectionId, timeout: Option<Duration>) {
        if let Some(connection) = self.get_mut(id)
            && let Phase::Open { .. } = connection.phase
        {
            connection.times.idle = timeout;
            self.arm(id.index);
        }
    }

    /// When [`super::TcpService::expired`] is called, in place of the time set before; `None` is
    /// never.
    pub fn set_timer(&mut self, id: ConnectionId, at: Option<Time>) {
        if let Some(connection) = self.get_mut(id)
            && let Phase::Open { .. } | Phase::Connecting { .. } = connection.phase
        {
            connection.times.timer = at;
            self.arm(id.index);
        }
    }

    /// The time set by [`Connections::set_timer`] that has not come yet.
    pub fn timer(&self, id: ConnectionId) -> Option<Time> {
        self.get(id)?.times.timer
    }

    /// Shuts the sending side down once all that waits is sent; the peer can still be heard.
    pub fn half_close(&mut self, id: ConnectionId) {
        if let Some(connection) = self.get_mut(id) {
            connection.finish();
            self.mark_dirty(id.index);
        }
    }

    /// Ends the connection in good order: nothing more is received, what waits is sent, both
    /// sides shut down. A peer that does not do its part is cut off a little later; a connection
    /// that is still being made is given up at once.
    pub fn close(&mut self, id: ConnectionId) {
        let now = self.now;
        let Some(connection) = self.get_mut(id) else {
            return;
        };
        if let Phase::Connecting { .. } = connection.phase {
            self.end(id.index, Ending::Service);
            return;
        }
        connection.close(now);
        connection.readable = true;
        self.mark_dirty(id.index);
        self.list(id.index);
        self.arm(id.index);
    }

    /// Ends the connection at once; what waits is lost and the peer sees a reset.
    pub fn abort(&mut self, id: ConnectionId) {
        if self.get(id).is_some() {
            self.end(id.index, Ending::Service);
        }
    }

    /// Ends the connection at once because its peer did not keep to the rules, and counts that.
    pub fn refuse(&mut self, id: ConnectionId, reason: Reason) {
        self.note(id, reason);
        self.abort(id);
    }

    /// Counts something that a connection's peer did.
    pub fn note(&self, id: ConnectionId, reason: Reason) {
        if let Some(connection) = self.get(id) {
            self.capacity.count_drop(reason, connection.peer, self.now);
        }
    }

    /// Who is on the other side; `None` if the connection is gone.
    pub fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        Some(self.get(id)?.peer)
    }

    /// The address of ours that it came to or left from, if the connection is not gone and the
    /// system told.
    pub fn local(&self, id: ConnectionId) -> Option<SocketAddr> {
        self.get(id)?.local
    }

    /// Begins to connect to `peer`, from the address `source` of ours if one is given; the
    /// calling service is told the outcome by `opened` or `closed`. What is sent before leaves
    /// as soon as it can.
    ///
    /// # Errors
    ///
    /// When the system refuses at once, or all [`super::TcpSettings::outgoing`] are in use
    /// ([`io::ErrorKind::QuotaExceeded`]).
    pub fn connect(
        &mut self,
        peer: SocketAddr,
        source: Option<IpAddr>,
    ) -> io::Result<ConnectionId> {
        if self.outgoing >= self.capacity.settings.outgoing {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        let stream = match &self.poll {
            Some(_) => Some(sockets::connect(peer, source)?),
            None => None,
        };
        let phase = Phase::Connecting {
            service: self.caller,
        };
        let id = self.insert(stream, Origin::Connected, peer, phase)?;
        self.outgoing += 1;
        let limit = self.now + self.capacity.settings.connect_timeout;
        if let Some(connection) = self.get_mut(id) {
            connection.times.limit = Some(limit);
        }
        self.arm(id.index);
        Ok(id)
    }

    pub(super) fn get(&self, id: ConnectionId) -> Option<&Connection> {
        let slot = self.slots.get(id.index as usize)?;
        let connection = slot.connection.as_ref()?;
        (slot.generation == id.generation && connection.lives()).then_some(connection)
    }

    pub(super) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        live(&mut self.slots, id)
    }

    /// Who has the place and lives.
    pub(super) fn id_at(&self, index: u32) -> Option<ConnectionId> {
        let slot = self.slots.get(index as usize)?;
        slot.connection.as_ref().filter(|it| it.lives())?;
        Some(ConnectionId {
            index,
            generation: slot.generation,
        })
    }

    /// All that live.
    pub(super) fn ids(&self) -> impl Iterator<Item = ConnectionId> {
        (0..self.slots.len() as u32).filter_map(|index| self.id_at(index))
    }

    pub(super) fn insert(
        &mut self,
        mut stream: Option<TcpStream>,
        origin: Origin,
        peer: SocketAddr,
        phase: Phase,
    ) -> io::Result<ConnectionId> {
        let index = match self.free.last() {
            Some(&index) => index,
            None if self.slots.len() < self.capacity.settings.places() => self.slots.len() as u32,
            None => return Err(io::ErrorKind::QuotaExceeded.into()),
        };
        if let (Some(stream), Some(poll)) = (&mut stream, &self.poll) {
            let token = Token(poll.first_token + index as usize);
            let interest = Interest::READABLE | Interest::WRITABLE;
            poll.registry.register(stream, token, interest)?;
        }
        if self.free.pop().is_none() {
            self.add_slot();
        }
        let slot = self.slots.get_mut(index as usize);
        let slot = slot.ok_or(io::ErrorKind::QuotaExceeded)?;
        let output = std::mem::take(&mut slot.spare);
        slot.connection = Some(Connection::new(
            stream, origin, peer, phase, self.now, output,
        ));
        Ok(ConnectionId {
            index,
            generation: slot.generation,
        })
    }

    /// Makes one more place, and room for it in every list, so that connections allocate only
    /// when there are more at a time than ever before.
    fn add_slot(&mut self) {
        self.slots.push(Slot::default());
        let places = self.slots.capacity();
        self.listed.reserve(places - self.listed.len());
        for list in [
            &mut self.free,
            &mut self.dirty,
            &mut self.relieved,
            &mut self.ended,
        ] {
            list.reserve(places - list.len());
        }
    }

    /// Has the connection looked at in this turn or the next.
    pub(super) fn list(&mut self, index: u32) {
        if let Some(slot) = self.slots.get_mut(index as usize)
            && !slot.listed
        {
            slot.listed = true;
            self.listed.push_back(index);
        }
    }

    pub(super) fn next_listed(&mut self) -> Option<u32> {
        let index = self.listed.pop_front()?;
        if let Some(slot) = self.slots.get_mut(index as usize) {
            slot.listed = false;
        }
        Some(index)
    }

    pub(super) fn mark_dirty(&mut self, index: u32) {
        if let Some(slot) = self.slots.get_mut(index as usize)
            && !slot.dirty
        {
            slot.dirty = true;
            self.dirty.push(index);
        }
    }

    pub(super) fn next_dirty(&mut self) -> Option<u32> {
        let index = self.dirty.pop()?;
        if let Some(slot) = self.slots.get_mut(index as usize) {
            slot.dirty = false;
        }
        Some(index)
    }

    /// Sees to it that the earliest time of the connection is not missed. Times that moved on
    /// are found out when the earlier one comes.
    pub(super) fn arm(&mut self, index: u32) {
        let Some(id) = self.id_at(index) else { return };
        let settings = self.capacity.settings;
        let Some(connection) = self.get_mut(id) else {
            return;
        };
        let next = connection.deadline(&settings);
        let armed = connection.times.armed;
        if let Some(next) = next
            && armed.is_none_or(|armed| next < armed)
        {
            connection.times.armed = Some(next);
            self.deadlines.set(index, Some(next));
        }
    }

    /// Ends the connection now; its service is told before the turn is over.
    pub(super) fn end(&mut self, index: u32, ending: Ending) {
        let Some(slot) = self.slots.get_mut(index as usize) else {
            return;
        };
        let Some(connection) = slot.connection.as_mut().filter(|it| it.lives()) else {
            return;
        };
        let was_sending = connection.output.holds_blocks();
        let stream = connection.end(ending);
        self.capacity.note_sending(was_sending, false);
        match connection.origin {
            _ if ending == Ending::Parted => {}
            Origin::Accepted { .. } => self.capacity.leave(connection.peer.ip()),
            Origin::Connected => self.outgoing -= 1,
        }
        if let Some(reason) = ending.reason() {
            self.capacity.count_drop(reason, connection.peer, self.now);
        }
        if ending != Ending::Parted {
            self.capacity.metrics.connections_closed.add(1);
        }
        let source = connection.source.take();
        // What is counted is so before the peer sees the end.
        if let Some(mut stream) = stream {
            self.unwatch(&mut stream);
        }
        self.deadlines.set(index, None);
        self.ended.push(index);
        if let Some(source) = source
            && self.get(source).is_some()
        {
            self.release(source);
        }
    }

    /// Hears no more of a socket.
    pub(super) fn unwatch(&self, stream: &mut TcpStream) {
        if let Some(poll) = &self.poll {
            // A socket that cannot be taken off the list leaves it when it is closed.
            let _ = poll.registry.deregister(stream);
        }
    }

    /// Has a source read on that was held.
    pub(super) fn release(&mut self, source: ConnectionId) {
        if let Some(connection) = self.get_mut(source) {
            connection.offer_again = true;
            self.list(source.index);
        }
    }

    /// Whether nothing may be read from the connection.
    pub(super) fn is_held(&self, connection: &Connection) -> bool {
        connection.paused || connection.sink.is_some_and(|sink| self.is_congested(sink))
    }

    /// The next connection whose service has to hear of its end; its place stays taken until
    /// [`Connections::vacate`].
    pub(super) fn next_ended(&mut self) -> Option<(ConnectionId, Phase)> {
        let index = self.ended.pop()?;
        let slot = self.slots.get_mut(index as usize)?;
        let connection = slot.connection.take()?;
        slot.spare = connection.output;
        let id = ConnectionId {
            index,
            generation: slot.generation,
        };
        Some((id, connection.phase))
    }

    pub(super) fn vacate(&mut self, id: ConnectionId) {
        if let Some(slot) = self.slots.get_mut(id.index as usize) {
            slot.generation = slot.generation.wrapping_add(1);
            self.free.push(id.index);
        }
    }

    fn output(
        &mut self,
        id: ConnectionId,
        len: usize,
        add: impl FnOnce(&mut OutQueue, &mut dyn FnMut(bool) -> Option<Frame>) -> bool,
    ) -> Result<(), SendError> {
        let capacity = &self.capacity;
        let connection = live(&mut self.slots, id).filter(|it| it.takes_output());
        let connection = connection.ok_or(SendError::Gone)?;
        let output = &mut connection.output;
        if output.len().saturating_add(len) > capacity.settings.hard_cap {
            self.end(id.index, Ending::Overflow);
            return Err(SendError::Overflow);
        }
        if output.is_empty() {
            connection.times.moved = self.now;
        }
        let was_sending = output.holds_blocks();
        let added = add(output, &mut |first| capacity.block_out(first));
        capacity.note_sending(was_sending, output.holds_blocks());
        if !added {
            self.end(id.index, Ending::NoBlock);
            return Err(SendError::Overflow);
        }
        connection.congested |= output.len() > capacity.settings.high_mark;
        self.mark_dirty(id.index);
        Ok(())
    }
}

fn live(slots: &mut [Slot], id: ConnectionId) -> Option<&mut Connection> {
    let slot = slots.get_mut(id.index as usize)?;
    let connection = slot.connection.as_mut()?;
    (slot.generation == id.generation && connection.lives()).then_some(connection)
}
