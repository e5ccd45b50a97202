//! The sessions of one event loop, as their handler reaches them, and the way to all others.

use super::{
    Address, Post,
    table::{Table, get, get_mut},
};
use crate::{
    buffer::{Full, Writer},
    maple::{Direction, EncodeError, Encoder, Iv, Recipient},
    net::tcp::{ConnectionId, Connections, SendError},
    timer::Time,
};
use arrayvec::ArrayVec;
use std::{error::Error, fmt, net::SocketAddr};

/// Sessions whose frames of a broadcast are made together.
const TOGETHER: usize = 64;

/// Bytes of a broadcast's frames that are made together; four of the longest at least.
pub(super) const BENCH: usize = 4 * (8 + LONGEST);

/// The longest payload of a broadcast, and what every header can say.
pub(super) const LONGEST: usize = u16::MAX as usize;

/// What a handler can do: send to sessions, and end them.
#[derive(Debug)]
pub struct Sessions<'s> {
    pub(super) now: Time,
    pub(super) table: &'s mut Table,
    pub(super) net: &'s mut Connections,
    pub(super) home: Option<&'s (Post, u16)>,
}

impl Sessions<'_> {
    /// Sends a packet: its opcode and what follows.
    ///
    /// # Errors
    ///
    /// When the session is gone or being closed, its peer reads too slowly, or the payload is
    /// longer than 65,535 bytes.
    pub fn send(&mut self, id: ConnectionId, payload: &[u8]) -> Result<(), PacketError> {
        self.write(id, payload.len(), |writer| writer.bytes(payload))
    }

    /// Sends what `fill` writes, at most `most` bytes, without a copy.
    ///
    /// # Errors
    ///
    /// As [`Sessions::send`], and [`PacketError::TooLong`] if `fill` fails; then nothing is
    /// sent.
    pub fn write(
        &mut self,
        id: ConnectionId,
        most: usize,
        fill: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>,
    ) -> Result<(), PacketError> {
        if most > LONGEST {
            return Err(PacketError::TooLong);
        }
        let session = get_mut(&mut self.table.slots, id).ok_or(PacketError::Gone)?;
        let logged = session.logged;
        let encoder = session.encoder.as_mut().ok_or(PacketError::Gone)?;
        let header_len = encoder.header_len(most);
        let (iv, now) = (encoder.iv(), self.now);
        let log = self.table.log.as_ref();
        let mut result = Err(PacketError::TooLong);
        self.net.write(id, header_len + most, |room| {
            let Some(len) = compose(encoder, header_len, room, fill) else {
                return 0;
            };
            if let Some((log, logged)) = log.zip(logged) {
                let frame = room.get(..len).unwrap_or_default();
                log.record(logged.record(now, Direction::ToClient, iv), frame);
            }
            result = Ok(());
            len
        })?;
        self.table
            .metrics
            .maple_packets_out
            .add(u64::from(result.is_ok()));
        result
    }

    /// Sends one packet to all of `to`, which names each of them once, and says how many it went
    /// to. Shanda is done once and the keystreams are made side by side
    /// ([`crate::maple::Lanes::seal_many`]).
    ///
    /// Whoever is gone is passed over, and whoever reads too slowly is cut off.
    ///
    /// # Errors
    ///
    /// [`PacketError::TooLong`] above 65,535 bytes; then nobody gets anything.
    pub fn broadcast(
        &mut self,
        to: impl IntoIterator<Item = ConnectionId>,
        payload: &[u8],
    ) -> Result<usize, PacketError> {
        if payload.len() > LONGEST {
            return Err(PacketError::TooLong);
        }
        let mut to = to.into_iter().peekable();
        let mut sent = 0;
        while to.peek().is_some() {
            sent += self.broadcast_some(&mut to, payload)?;
        }
        self.table.metrics.maple_packets_out.add(sent as u64);
        Ok(sent)
    }

    fn broadcast_some(
        &mut self,
        to: &mut impl Iterator<Item = ConnectionId>,
        payload: &[u8],
    ) -> Result<usize, PacketError> {
        let Table {
            slots,
            lanes,
            bench,
            log,
            ..
        } = &mut *self.table;
        let mut receivers: ArrayVec<Receiver<'_>, TOGETHER> = ArrayVec::new();
        let mut rest = &mut bench[..];
        while !receivers.is_full()
            && let Some(id) = to.next()
        {
            // Whose encoder is away is among them already.
            let encoder = get_mut(slots, id).and_then(|session| session.encoder.take());
            let Some(encoder) = encoder else { continue };
            let frame_len = encoder.header_len(payload.len()) + payload.len();
            let (frame, others) = std::mem::take(&mut rest).split_at_mut(frame_len);
            rest = others;
            let iv = encoder.iv();
            receivers.push(Receiver {
                id,
                encoder,
                iv,
                frame,
            });
            if rest.len() < 8 + payload.len() {
                break;
            }
        }
        let sealed = lanes.seal_many(payload, receivers.iter_mut());
        let mut sent = 0;
        for receiver in receivers {
            let mut logged = None;
            if let Some(session) = get_mut(slots, receiver.id) {
                session.encoder = Some(receiver.encoder);
                logged = session.logged;
            }
            if let Some((log, logged)) = log.as_ref().zip(logged).filter(|_| sealed.is_ok()) {
                let record = logged.record(self.now, Direction::ToClient, receiver.iv);
                log.record(record, receiver.frame);
            }
            // Whoever did not get it is closed, or is being closed.
            if sealed.is_ok() && self.net.send(receiver.id, receiver.frame).is_ok() {
                sent += 1;
            }
        }
        sealed?;
        Ok(sent)
    }

    /// Sends a packet to a session of any loop.
    ///
    /// # Errors
    ///
    /// As [`Sessions::send`] for a session of this loop; for others [`PacketError::Full`] if
    /// the mailbox of its loop is, and [`PacketError::Gone`] if there is no such loop. Whether
    /// the session is still there is not known here.
    pub fn send_to(&mut self, to: Address, payload: &[u8]) -> Result<(), PacketError> {
        match self.home {
            Some((post, home)) if *home != to.home => post.send(to, payload),
            _ => self.send(to.id, payload),
        }
    }

    /// Sends one packet to all of `to`, which names each of them once, whatever loops they are
    /// on; says how many it went to, or is on its way to.
    ///
    /// # Errors
    ///
    /// [`PacketError::TooLong`]; then nobody gets anything.
    pub fn broadcast_to<I>(&mut self, to: I, payload: &[u8]) -> Result<usize, PacketError>
    where
        I: IntoIterator<Item = Address, IntoIter: Clone>,
    {
        let to = to.into_iter();
        let Some((post, home)) = self.home else {
            return self.broadcast(to.map(|to| to.id), payload);
        };
        let own = to.clone().filter(|to| to.home == *home).map(|to| to.id);
        let sent = self.broadcast(own, payload)?;
        let others = to.filter(|to| to.home != *home);
        Ok(sent + post.broadcast(others, payload)?)
    }

    /// Sends one packet to all sessions of all loops; says how many of this loop's it went to.
    ///
    /// # Errors
    ///
    /// [`PacketError::TooLong`]; then nobody gets anything. [`PacketError::Full`] if the mailbox
    /// of another loop is; then the sessions there do not get it.
    pub fn broadcast_all(&mut self, payload: &[u8]) -> Result<usize, PacketError> {
        let sent = self.broadcast_here(payload)?;
        if let Some((post, home)) = self.home {
            post.broadcast_all_but(Some(*home), payload)?;
        }
        Ok(sent)
    }

    /// Sends one packet to all sessions of this loop.
    pub(super) fn broadcast_here(&mut self, payload: &[u8]) -> Result<usize, PacketError> {
        let mut everybody = std::mem::take(&mut self.table.everybody);
        everybody.clear();
        everybody.extend(self.ids());
        let sent = self.broadcast(everybody.iter().copied(), payload);
        self.table.everybody = everybody;
        sent
    }

    /// Ends a session of any loop in good order, [`Sessions::close`].
    ///
    /// # Errors
    ///
    /// Those of [`Sessions::send_to`] for sessions of other loops.
    pub fn close_at(&mut self, of: Address) -> Result<(), PacketError> {
        match self.home {
            Some((post, home)) if *home != of.home => post.close(of),
            _ => {
                self.close(of.id);
                Ok(())
            }
        }
    }

    /// What other loops know a session of this one by.
    pub fn address(&self, id: ConnectionId) -> Address {
        let home = self.home.map_or(0, |(_, home)| *home);
        Address { home, id }
    }

    /// Everybody of this loop, in no order.
    pub fn ids(&self) -> impl Iterator<Item = ConnectionId> {
        let ids = self.table.slots.iter().enumerate();
        ids.filter_map(|(index, session)| {
            Some(ConnectionId {
                index: index as u32,
                generation: session.as_ref()?.generation,
            })
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.table.open
    }

    /// Whether nobody is there.
    pub fn is_empty(&self) -> bool {
        self.table.open == 0
    }

    /// Ends a session in good order: what was sent still arrives, nothing more is received.
    pub fn close(&mut self, id: ConnectionId) {
        if let Some(session) = self.table.get_mut(id) {
            session.encoder = None;
            self.net.close(id);
        }
    }

    /// Whether so much waits for it that it should get less; its own packets wait meanwhile.
    pub fn is_congested(&self, id: ConnectionId) -> bool {
        self.net.is_congested(id)
    }

    /// Who is on the other side.
    pub fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        self.net.peer(id)
    }

    /// When the session last said something.
    pub fn last_heard(&self, id: ConnectionId) -> Option<Time> {
        Some(get(&self.table.slots, id)?.heard)
    }
}

/// Writes a payload behind room for its header and makes it a frame; gives the frame's length.
fn compose(
    encoder: &mut Encoder,
    header_len: usize,
    room: &mut [u8],
    fill: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>,
) -> Option<usize> {
    let mut writer = Writer::new(room.get_mut(header_len..)?);
    fill(&mut writer).ok()?;
    let len = writer.len();
    // It may turn out short enough for a shorter header.
    let shorter = encoder.header_len(len);
    if shorter != header_len {
        room.copy_within(header_len..header_len + len, shorter);
    }
    encoder.encode(room.get_mut(..shorter + len)?).ok()?;
    Some(shorter + len)
}

/// Why a packet was not sent, or a word not passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketError {
    /// The session is closed or being closed.
    Gone,
    /// Too much waits for the peer; the session ends.
    Overflow,
    /// The payload is too long, or was not written.
    TooLong,
    /// The mailbox of another loop has no room, or there is no buffer for the packet.
    Full,
}

impl From<SendError> for PacketError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Gone => Self::Gone,
            SendError::Overflow => Self::Overflow,
            SendError::TooLong => Self::TooLong,
        }
    }
}

impl From<EncodeError> for PacketError {
    fn from(_: EncodeError) -> Self {
        Self::TooLong
    }
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gone => "the session is closed",
            Self::Overflow => "too much waits for the peer",
            Self::TooLong => "the packet is too long",
            Self::Full => "too much waits for the session's loop",
        })
    }
}

impl Error for PacketError {}

/// Who gets a broadcast, while it is made.
struct Receiver<'f> {
    id: ConnectionId,
    encoder: Box<Encoder>,
    /// What the frame is made with.
    iv: Iv,
    frame: &'f mut [u8],
}

impl Recipient for Receiver<'_> {
    fn encoder(&mut self) -> &mut Encoder {
        &mut self.encoder
    }

    fn outlet(&mut self, frame_len: usize) -> Option<(&mut Encoder, &mut [u8])> {
        Some((&mut self.encoder, self.frame.get_mut(..frame_len)?))
    }
}
