//! The way to sessions and handlers of other loops: a bounded mailbox for each, and a bell that
//! wakes its loop.

use super::{
    PacketError,
    sessions::{LONGEST, Sessions},
};
use crate::{
    actor::Bell,
    buffer::{Frame, FramePool},
    metrics::Metrics,
    net::tcp::ConnectionId,
};
use arrayvec::ArrayVec;
use crossbeam_queue::ArrayQueue;
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// Loops that there can be.
const MOST_LOOPS: usize = 64;

/// What waits for one loop at most.
const MAILBOX: usize = 4096;

/// Sessions that one copy of a broadcast is for.
const TOGETHER: usize = 64;

/// Bytes of an id in front of a broadcast's payload.
const ID: usize = 8;

/// How many buffers there may be of each size: most packets are short.
const BUFFERS: [(usize, usize); 2] = [(2 * MAILBOX, 1024), (256, TOGETHER * ID + LONGEST)];

/// A session, wherever it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The number of its loop.
    pub home: u16,
    /// Its name there.
    pub id: ConnectionId,
}

/// The way to the sessions of all loops, for any thread; clones are the same.
///
/// Nobody waits: what a mailbox has no room for is refused and counted. What one thread says to
/// one loop is done there in that order, in a later turn of that loop. No lock is held while a
/// loop is woken, and it is woken once for however much it is told while it sleeps.
#[derive(Clone)]
pub struct Post {
    shared: Arc<Shared>,
}

struct Shared {
    homes: [OnceLock<Mailbox>; MOST_LOOPS],
    /// Shortest first.
    buffers: [FramePool; 2],
}

struct Mailbox {
    queue: ArrayQueue<Mail>,
    bell: Arc<Bell>,
    metrics: Arc<Metrics>,
}

/// What one loop is told by others.
pub(super) enum Mail {
    Packet {
        to: ConnectionId,
        payload: Frame,
    },
    /// So many ids, then the payload.
    Broadcast {
        ids: usize,
        frame: Frame,
    },
    Everybody {
        payload: Frame,
    },
    Close {
        id: ConnectionId,
    },
    Word {
        bytes: Frame,
    },
}

impl Post {
    /// One that leads nowhere yet; [`super::MapleService::reachable`] tells it of a loop.
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                homes: std::array::from_fn(|_| OnceLock::new()),
                buffers: BUFFERS.map(|(count, size)| FramePool::new(count, size)),
            }),
        }
    }

    /// The numbers of the loops it leads to.
    pub fn homes(&self) -> impl Iterator<Item = u16> {
        let homes = self.shared.homes.iter().zip(0..);
        homes.filter_map(|(home, number)| home.get().map(|_| number))
    }

    /// Sends a packet to a session: its opcode and what follows.
    ///
    /// # Errors
    ///
    /// [`PacketError::Full`], [`PacketError::TooLong`] above 65,535 bytes, and
    /// [`PacketError::Gone`] if there is no such loop. A session that is gone is passed over.
    pub fn send(&self, to: Address, payload: &[u8]) -> Result<(), PacketError> {
        let home = self.home(to.home)?;
        let payload = self.buffer(home, &[], payload)?;
        home.put(Mail::Packet { to: to.id, payload })
    }

    /// Sends one packet to all of `to`, which names each of them once; says to how many it is on
    /// its way.
    ///
    /// # Errors
    ///
    /// [`PacketError::TooLong`]; then nobody gets anything.
    pub fn broadcast<I>(&self, to: I, payload: &[u8]) -> Result<usize, PacketError>
    where
        I: IntoIterator<Item = Address, IntoIter: Clone>,
    {
        if payload.len() > LONGEST {
            return Err(PacketError::TooLong);
        }
        let to = to.into_iter();
        let mut sent = 0;
        for number in self.homes() {
            let Ok(home) = self.home(number) else {
                continue;
            };
            let mut here = to.clone().filter(|to| to.home == number);
            loop {
                let some = here.by_ref().take(TOGETHER).map(|to| to.id);
                let some: ArrayVec<ConnectionId, TOGETHER> = some.collect();
                if some.is_empty() {
                    break;
                }
                let ids = some.len();
                let mail = self.buffer(home, &some, payload);
                let put = mail.and_then(|frame| home.put(Mail::Broadcast { ids, frame }));
                sent += if put.is_ok() { ids } else { 0 };
            }
        }
        Ok(sent)
    }

    /// Sends one packet to all sessions of all loops.
    ///
    /// # Errors
    ///
    /// [`PacketError::TooLong`]; then nobody gets anything. [`PacketError::Full`] if a loop's
    /// mailbox is; then the sessions there do not get it.
    pub fn broadcast_all(&self, payload: &[u8]) -> Result<(), PacketError> {
        self.broadcast_all_but(None, payload)
    }

    pub(super) fn broadcast_all_but(
        &self,
        without: Option<u16>,
        payload: &[u8],
    ) -> Result<(), PacketError> {
        let mut result = Ok(());
        for number in self.homes().filter(|&it| Some(it) != without) {
            let home = self.home(number)?;
            let mail = self.buffer(home, &[], payload);
            let put = mail.and_then(|payload| home.put(Mail::Everybody { payload }));
            result = result.and(put);
        }
        result
    }

    /// Ends a session in good order: what was sent to it before still arrives.
    ///
    /// # Errors
    ///
    /// As [`Post::send`].
    pub fn close(&self, of: Address) -> Result<(), PacketError> {
        self.home(of.home)?.put(Mail::Close { id: of.id })
    }

    /// Says something to a loop's handler, [`super::Handler::told`]; the bytes are for it to
    /// understand.
    ///
    /// # Errors
    ///
    /// As [`Post::send`].
    pub fn tell(&self, home: u16, bytes: &[u8]) -> Result<(), PacketError> {
        let home = self.home(home)?;
        let bytes = self.buffer(home, &[], bytes)?;
        home.put(Mail::Word { bytes })
    }

    /// A loop can be reached from here on; only the first of a number counts.
    pub(super) fn open(&self, home: u16, bell: Arc<Bell>, metrics: Arc<Metrics>) {
        if let Some(place) = self.shared.homes.get(usize::from(home)) {
            place.get_or_init(|| Mailbox {
                queue: ArrayQueue::new(MAILBOX),
                bell,
                metrics,
            });
        }
    }

    /// What waits longest for a loop.
    pub(super) fn take(&self, home: u16) -> Option<Mail> {
        self.home(home).ok()?.queue.pop()
    }

    /// Whether nothing waits for a loop.
    pub(super) fn is_empty(&self, home: u16) -> bool {
        self.home(home).is_ok_and(|home| home.queue.is_empty())
    }

    fn home(&self, number: u16) -> Result<&Mailbox, PacketError> {
        let home = self.shared.homes.get(usize::from(number));
        home.and_then(OnceLock::get).ok_or(PacketError::Gone)
    }

    /// A buffer with these ids and the payload behind them.
    fn buffer(
        &self,
        home: &Mailbox,
        ids: &[ConnectionId],
        payload: &[u8],
    ) -> Result<Frame, PacketError> {
        if payload.len() > LONGEST {
            return Err(PacketError::TooLong);
        }
        let len = ids.len() * ID + payload.len();
        let mut fitting = self.shared.buffers.iter();
        let taken = fitting.find_map(|pool| {
            let fits = pool.frame_size() >= len;
            fits.then(|| pool.try_take()).flatten()
        });
        let Some(mut frame) = taken else {
            home.metrics.maple_mail_drops.add(1);
            return Err(PacketError::Full);
        };
        let room = frame.buffer_mut();
        if let Some((front, back)) = room.split_at_mut_checked(ids.len() * ID) {
            for (place, id) in front.as_chunks_mut::<ID>().0.iter_mut().zip(ids) {
                let both = u64::from(id.index) | u64::from(id.generation) << 32;
                *place = both.to_le_bytes();
            }
            if let Some(place) = back.get_mut(..payload.len()) {
                place.copy_from_slice(payload);
            }
        }
        frame.set_len(len);
        Ok(frame)
    }
}

impl Mailbox {
    fn put(&self, mail: Mail) -> Result<(), PacketError> {
        if self.queue.push(mail).is_err() {
            self.metrics.maple_mail_drops.add(1);
            return Err(PacketError::Full);
        }
        self.bell.ring();
        Ok(())
    }
}

impl Mail {
    /// Does what was asked for; gives back what is for the handler.
    pub(super) fn deliver(self, sessions: &mut Sessions<'_>) -> Option<Frame> {
        // Whoever is gone, or being closed, gets nothing.
        match self {
            Self::Packet { to, payload } => _ = sessions.send(to, &payload),
            Self::Broadcast { ids, frame } => {
                let (ids, payload) = frame.split_at_checked(ids * ID)?;
                let ids = ids.as_chunks::<ID>().0.iter().map(|&id| {
                    let both = u64::from_le_bytes(id);
                    ConnectionId {
                        index: both as u32,
                        generation: (both >> 32) as u32,
                    }
                });
                _ = sessions.broadcast(ids, payload);
            }
            Self::Everybody { payload } => _ = sessions.broadcast_here(&payload),
            Self::Close { id } => sessions.close(id),
            Self::Word { bytes } => return Some(bytes),
        }
        None
    }
}

impl Default for Post {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let homes: Vec<u16> = self.homes().collect();
        f.debug_struct("Post").field("homes", &homes).finish()
    }
}
