//! One thread, its clients and their datagrams.

use crate::{
    measure::{Live, Tally},
    record::Traffic,
    run::{Part, Signals},
    wire::{Outgoing, Wire},
};
use samara::{net::Clock, timer::Time};
use std::{io, thread, time::Duration};

/// Waits are rounded up to this; what is due would be late.
const COARSE: Duration = Duration::from_millis(1);
pub(crate) const LONGEST_SLEEP: Duration = Duration::from_millis(50);
/// Clients leave one after the other, so far apart.
const LEAVE_EVERY: Duration = Duration::from_millis(1);
/// What is still under way at the end may take so long.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// What the clients of one thread do: a scenario's part.
pub(crate) trait Crowd: Send {
    /// How many clients there are on its wire.
    fn clients(&self) -> usize;

    /// How many of them say to [`Signals::arrive`] that the run may begin.
    fn awaited(&self) -> usize {
        self.clients()
    }

    /// Whether it is noise beside the load: it need not be on time, and what it sends is
    /// counted apart.
    fn is_noise(&self) -> bool {
        false
    }

    /// Does what is due.
    fn turn(&mut self, now: Time, out: &mut Outgoing);

    /// One of the clients received a datagram.
    fn receive(&mut self, client: usize, datagram: &[u8], now: Time, out: &mut Outgoing);

    /// When there is something to do if nothing comes.
    fn next(&self) -> Option<Time>;

    /// Whether everything that was due before the end has come. Not asked before the end, and
    /// not waited for longer than [`GRACE`].
    fn is_done(&self) -> bool;

    /// Counts what was due, at the end.
    fn sum_up(&mut self) {}

    /// A client says goodbye; false if nobody would hear it.
    fn leave(&mut self, client: usize, out: &mut Outgoing) -> bool;

    fn tally(&mut self) -> &mut Tally;
}

/// A crowd and its sockets, for datagrams.
pub(crate) struct Party<'a> {
    pub(crate) crowd: Box<dyn Crowd + 'a>,
    pub(crate) wire: Wire,
}

impl Part for Party<'_> {
    fn awaited(&self) -> usize {
        self.crowd.awaited()
    }

    fn live(&mut self) -> Live {
        self.crowd.tally().live()
    }

    fn attend(mut self: Box<Self>, clock: Clock, signals: &Signals) -> io::Result<Tally> {
        let Self { crowd, wire } = self.as_mut();
        loop {
            let now = clock.now();
            crowd.turn(now, wire.outgoing());
            wire.flush();
            let end = signals.end();
            if now >= end && (now.since(end) >= GRACE || crowd.is_done()) {
                break;
            }
            let mut traffic = Traffic::default();
            let wait = sleep(crowd.as_ref(), now);
            wire.receive(wait, |client, datagram, out| {
                traffic.packets_in += 1;
                traffic.bytes_in += datagram.len() as u64;
                crowd.receive(client, datagram, clock.now(), out);
            })?;
            wire.flush();
            let sent = wire.outgoing().take_sent();
            if !signals.counts(now) {
                continue;
            }
            if crowd.is_noise() {
                crowd.tally().noise += sent.packets;
            } else {
                traffic.packets_out = sent.packets;
                traffic.bytes_out = sent.bytes;
                crowd.tally().count(&traffic);
            }
        }
        crowd.sum_up();
        for client in 0..crowd.clients() {
            if crowd.leave(client, wire.outgoing()) {
                wire.flush();
                thread::sleep(LEAVE_EVERY);
            }
        }
        Ok(crowd.tally().clone())
    }
}

/// Until something is due; the last millisecond is not slept through, so that it is on time.
fn sleep(crowd: &dyn Crowd, now: Time) -> Duration {
    let next = crowd.next().map_or(LONGEST_SLEEP, |at| at.since(now));
    let early = if crowd.is_noise() {
        Duration::ZERO
    } else {
        COARSE
    };
    next.saturating_sub(early).min(LONGEST_SLEEP)
}
