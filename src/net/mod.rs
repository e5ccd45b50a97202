//! Sockets and event loops. Knows no protocol: a [`Service`] is told what came in and asked
//! what goes out.
//!
//! Everything here is edge-triggered: whoever stops reading or writing before the system says
//! that it would block has to come back by itself, as nothing will wake it.

mod clock;
mod event_loop;
mod sniff;
pub mod sys;
pub mod tcp;

pub use clock::Clock;
pub use event_loop::EventLoop;
pub use sniff::Sniff;

use crate::{buffer::Frame, timer::Time};
use std::collections::VecDeque;
use sys::{Arrival, Transmit};

/// What a loop serves. Calls come in turns: datagrams, then one [`Service::turn`], then its
/// queues are sent.
pub trait Service {
    /// One datagram came in on the loop's socket at position `socket`.
    fn datagram(&mut self, now: Time, socket: usize, arrival: Arrival, frame: Frame);

    /// So much came in with the last batch.
    fn received(&mut self, now: Time, datagrams: usize, bytes: usize, lost: Lost);

    /// So many datagrams went out, and so many the system refused.
    fn sent(&mut self, datagrams: usize, failed: usize);

    /// Does what there is to do.
    fn turn(&mut self, now: Time) -> Progress;

    /// What goes out through the socket at position `socket`, oldest first.
    fn queue(&mut self, socket: usize) -> Option<&mut VecDeque<Transmit>>;

    /// The loop wants to sleep: true if there is nothing to do, and then whoever brings work
    /// wakes it.
    fn about_to_sleep(&mut self) -> bool;

    /// The loop does not sleep any more.
    fn awake(&mut self);
}

/// What a turn left behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// There is more to do at once.
    pub more: bool,
    /// When there is something to do without anything coming in.
    pub deadline: Option<Time>,
}

/// Datagrams that were not handed out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Longer than a buffer.
    pub truncated: usize,
    /// No buffer was left.
    pub starved: usize,
}

/// Serves nothing over UDP, for loops that have only TCP.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDatagrams;

impl Service for NoDatagrams {
    fn datagram(&mut self, _: Time, _: usize, _: Arrival, _: Frame) {}

    fn received(&mut self, _: Time, _: usize, _: usize, _: Lost) {}

    fn sent(&mut self, _: usize, _: usize) {}

    fn turn(&mut self, _: Time) -> Progress {
        Progress::default()
    }

    fn queue(&mut self, _: usize) -> Option<&mut VecDeque<Transmit>> {
        None
    }

    fn about_to_sleep(&mut self) -> bool {
        true
    }

    fn awake(&mut self) {}
}
