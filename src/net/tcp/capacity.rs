//! What all loops share: how many connections there may be, and the blocks they use.

use super::{TcpSettings, endpoint::Stage};
use crate::{
    buffer::{Frame, FramePool},
    metrics::{Drops, Metrics, Reason},
    privacy::shown,
    timer::Time,
};
use foldhash::fast::RandomState;
use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
};

/// Caps, counts and blocks of the TCP connections of a server; one for all its loops.
///
/// Every connection can have one block to read into and one to send from, whatever the others
/// do; only the [`TcpSettings::extra_blocks`] are for whoever comes first.
#[derive(Debug)]
pub struct Capacity {
    pub(super) settings: TcpSettings,
    pub(super) metrics: Arc<Metrics>,
    pub(super) drops: Arc<Drops>,
    stage: AtomicU8,
    open: AtomicUsize,
    of_address: Mutex<HashMap<IpAddr, usize, RandomState>>,
    blocks_in: FramePool,
    blocks_out: FramePool,
    /// One block to send from for each connection there can be.
    reserved: usize,
    /// Connections that have theirs.
    sending: AtomicUsize,
}

impl Capacity {
    /// For so many loops; the blocks are made when they are first needed.
    pub fn new(
        settings: TcpSettings,
        loops: usize,
        metrics: Arc<Metrics>,
        drops: Arc<Drops>,
    ) -> Self {
        let reserved = settings.connections + settings.outgoing * loops;
        let blocks = |count| FramePool::new(count, settings.block);
        Self {
            settings,
            metrics,
            drops,
            stage: AtomicU8::new(0),
            open: AtomicUsize::new(0),
            of_address: Mutex::default(),
            // Each loop keeps one at hand.
            blocks_in: blocks(reserved + loops),
            blocks_out: blocks(reserved + settings.extra_blocks),
            reserved,
            sending: AtomicUsize::new(0),
        }
    }

    /// Accepted connections that are open.
    pub fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// Blocks to read into that nobody holds, and how many there are.
    pub fn blocks_in(&self) -> (usize, usize) {
        (self.blocks_in.available(), self.blocks_in.capacity())
    }

    /// Blocks to send from that nobody holds, and how many there are.
    pub fn blocks_out(&self) -> (usize, usize) {
        (self.blocks_out.available(), self.blocks_out.capacity())
    }

    /// Has every loop stop listening, and its services say their last words, in its next turn;
    /// whoever calls it wakes the loops.
    pub fn announce_stop(&self) {
        self.stage.fetch_max(1, Ordering::Relaxed);
    }

    /// Has every loop close its connections in good order, in its next turn.
    pub fn close_all(&self) {
        self.stage.fetch_max(2, Ordering::Relaxed);
    }

    pub(super) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Relaxed) {
            0 => Stage::Serving,
            1 => Stage::Announced,
            _ => Stage::Closing,
        }
    }

    /// Counts a connection from `address`, or says why there is no room for it.
    ///
    /// An IPv6 address counts by its first 64 bits: whoever has one has all that share them.
    pub(super) fn enter(&self, address: IpAddr) -> Result<(), Reason> {
        let address = network(address);
        let mut of_address = self.of_address();
        if self.open() >= self.settings.connections {
            return Err(Reason::TooManyConnections);
        }
        let here = of_address.get(&address).copied().unwrap_or(0);
        if here >= self.settings.connections_per_address {
            return Err(Reason::TooManyOfAddress);
        }
        of_address.insert(address, here + 1);
        self.open.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    pub(super) fn leave(&self, address: IpAddr) {
        let address = network(address);
        let mut of_address = self.of_address();
        let Some(here) = of_address.get_mut(&address) else {
            return;
        };
        *here -= 1;
        if *here == 0 {
            of_address.remove(&address);
        }
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn block_in(&self) -> Option<Frame> {
        self.blocks_in.try_take()
    }

    /// A block to send from; the `first` of a connection is always there.
    pub(super) fn block_out(&self, first: bool) -> Option<Frame> {
        if first {
            return self.blocks_out.try_take();
        }
        let unused = self
            .reserved
            .saturating_sub(self.sending.load(Ordering::Relaxed));
        self.blocks_out.try_take_sparing(unused)
    }

    /// A connection that had no block to send from has one, or the other way round.
    pub(super) fn note_sending(&self, before: bool, after: bool) {
        match (before, after) {
            (false, true) => _ = self.sending.fetch_add(1, Ordering::Relaxed),
            (true, false) => _ = self.sending.fetch_sub(1, Ordering::Relaxed),
            _ => {}
        }
    }

    /// Counts what was refused or cut off and, now and then, logs one.
    pub(super) fn count_drop(&self, reason: Reason, peer: SocketAddr, now: Time) {
        if let Some(count) = self.drops.record(reason, now) {
            let (what, peer) = (reason.text(), shown(peer));
            log::warn!("dropped: {what} (from {peer}; {count} so far)");
        }
    }

    /// No change to the table is left half done by a panic, so poison means nothing.
    fn of_address(&self) -> MutexGuard<'_, HashMap<IpAddr, usize, RandomState>> {
        self.of_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into()
        }
    }
}
