//! The sessions of one event loop, as their handler reaches them.

use crate::{
    buffer::{Full, Writer},
    maple::{Decoder, EncodeError, Encoder, Lanes, Recipient},
    metrics::Metrics,
    net::tcp::{ConnectionId, Connections, SendError},
    timer::Time,
};
use arrayvec::ArrayVec;
use std::{error::Error, fmt, net::SocketAddr, sync::Arc, time::Duration};

/// Sessions whose frames of a broadcast are made together.
const TOGETHER: usize = 64;

/// Bytes of a broadcast's frames that are made together; four of the longest at least.
const BENCH: usize = 4 * (8 + LONGEST);

/// The longest payload of a broadcast, and what every header can say.
const LONGEST: usize = u16::MAX as usize;

/// What a handler can do: send to sessions, and end them.
#[derive(Debug)]
pub struct Sessions<'s> {
    pub(super) table: &'s mut Table,
    pub(super) net: &'s mut Connections,
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
        let session = self.table.get_mut(id).ok_or(PacketError::Gone)?;
        let encoder = session.encoder.as_mut().ok_or(PacketError::Gone)?;
        let header_len = encoder.header_len(most);
        let mut result = Err(PacketError::TooLong);
        self.net.write(id, header_len + most, |room| {
            let len = compose(encoder, header_len, room, fill);
            if len.is_some() {
                result = Ok(());
            }
            len.unwrap_or(0)
        })?;
        self.table
            .metrics
            .maple_packets_out
            .add(u64::from(result.is_ok()));
        result
    }

    /// Sends one packet to all of `to`, which names each of them once, and says how many it went
    /// to. Shanda is done once and the keystreams are made side by side ([`Lanes::seal_many`]).
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
            receivers.push(Receiver { id, encoder, frame });
            if rest.len() < 8 + payload.len() {
                break;
            }
        }
        let sealed = lanes.seal_many(payload, receivers.iter_mut());
        let mut sent = 0;
        for receiver in receivers {
            if let Some(session) = get_mut(slots, receiver.id) {
                session.encoder = Some(receiver.encoder);
            }
            // Whoever did not get it is closed, or is being closed.
            if sealed.is_ok() && self.net.send(receiver.id, receiver.frame).is_ok() {
                sent += 1;
            }
        }
        sealed?;
        Ok(sent)
    }

    /// Everybody, in no order.
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

/// Why a packet was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketError {
    /// The session is closed or being closed.
    Gone,
    /// Too much waits for the peer; the session ends.
    Overflow,
    /// The payload is too long, or was not written.
    TooLong,
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
        })
    }
}

impl Error for PacketError {}

/// Who gets a broadcast, while it is made.
struct Receiver<'f> {
    id: ConnectionId,
    encoder: Box<Encoder>,
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

/// One client.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) generation: u32,
    pub(super) decoder: Decoder,
    /// Away while a broadcast is made, and once the session is being closed.
    pub(super) encoder: Option<Box<Encoder>>,
    pub(super) heard: Time,
    /// When it was asked whether it is there, if it has said nothing since.
    pub(super) pinged: Option<Time>,
    /// It is on the list of those whose keystreams were used.
    pub(super) thirsty: bool,
}

impl Session {
    /// Whether anything it says still counts.
    pub(super) fn is_open(&self) -> bool {
        self.encoder.is_some()
    }

    /// How long it has said nothing.
    pub(super) fn silence(&self, now: Time) -> Duration {
        now.since(self.heard)
    }
}

/// All sessions of a loop, by the place of their connection.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<Option<Session>>,
    open: usize,
    lanes: Lanes,
    bench: Box<[u8]>,
    pub(super) metrics: Arc<Metrics>,
}

impl Table {
    pub(super) fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            slots: Vec::new(),
            open: 0,
            lanes: Lanes::new(LONGEST),
            bench: vec![0; BENCH].into(),
            metrics,
        }
    }

    pub(super) fn insert(&mut self, index: u32, session: Session) {
        let index = index as usize;
        if self.slots.len() <= index {
            self.slots.resize_with(index + 1, || None);
        }
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Some(session);
            self.open += 1;
        }
    }

    pub(super) fn remove(&mut self, id: ConnectionId) -> Option<Session> {
        get(&self.slots, id)?;
        self.open -= 1;
        self.slots.get_mut(id.index as usize)?.take()
    }

    pub(super) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Session> {
        get_mut(&mut self.slots, id)
    }

    /// Makes all keystreams ahead that a session may have.
    pub(super) fn prefetch(&mut self, id: ConnectionId) {
        if let Some(session) = self.get_mut(id) {
            session.thirsty = false;
            session.decoder.prefetch();
            if let Some(encoder) = &mut session.encoder {
                encoder.prefetch();
            }
        }
    }
}

fn get(slots: &[Option<Session>], id: ConnectionId) -> Option<&Session> {
    let session = slots.get(id.index as usize)?.as_ref()?;
    (session.generation == id.generation).then_some(session)
}

fn get_mut(slots: &mut [Option<Session>], id: ConnectionId) -> Option<&mut Session> {
    let session = slots.get_mut(id.index as usize)?.as_mut()?;
    (session.generation == id.generation).then_some(session)
}
