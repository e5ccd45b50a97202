//! What the server counts. One table; every name is written once.

#![forbid(unsafe_code)]

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// A number that only grows, counted by any thread.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds `amount`.
    pub fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    /// The count so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

macro_rules! counters {
    ($(#[$doc:meta])* $name:ident { $(#[doc = $help:literal] $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub struct $name {
            $(#[doc = $help] pub $field: Counter,)*
        }

        impl $name {
            /// Every counter's name and value.
            pub fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
                self.described().map(|(name, _, value)| (name, value))
            }

            /// Every counter's name, what it counts, and its value.
            pub fn described(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
                [$((stringify!($field), $help.trim_ascii(), self.$field.get()),)*].into_iter()
            }
        }
    };
}

counters! {
    /// Traffic and work since the start.
    Metrics {
        /// Datagrams received.
        datagrams_in,
        /// Bytes received.
        bytes_in,
        /// Datagrams sent.
        datagrams_out,
        /// Datagrams the system refused to send.
        send_failures,
        /// Sessions opened by a first login message.
        sessions_opened,
        /// Sessions ended.
        sessions_closed,
        /// Logins let in.
        logins,
        /// Logins refused.
        logins_refused,
        /// Games started.
        games_started,
        /// Players found out of sync.
        desyncs,
        /// Turns of an actor that met a bug.
        failed_turns,
        /// Reports that master lists took.
        list_reports,
        /// Reports that a master list did not take.
        list_failures,
        /// News of rooms that web hooks took.
        hook_posts,
        /// News of rooms that a web hook did not take.
        hook_failures,
        /// News of rooms that there was no room for, or that grew old.
        news_dropped,
        /// TCP connections accepted.
        connections_accepted,
        /// TCP connections made by services.
        connections_made,
        /// TCP connections ended, whoever began them.
        connections_closed,
        /// Bytes received over TCP.
        stream_bytes_in,
        /// Bytes sent over TCP.
        stream_bytes_out,
        /// Maple clients greeted.
        maple_sessions,
        /// Packets of Maple clients that sessions of our own took.
        maple_packets_in,
        /// Packets that sessions of our own sent to Maple clients.
        maple_packets_out,
        /// Packets of Maple clients that the gateway passed on.
        maple_relayed_in,
        /// Packets of Maple servers that the gateway passed on.
        maple_relayed_out,
        /// Maple clients sent to another server through us.
        maple_migrations,
        /// How often a Maple client had to wait because it said too much.
        maple_throttled,
        /// What handlers of Maple sessions had for other loops, and there was no room for.
        maple_mail_drops,
        /// Maple packets written to the packet log.
        maple_logged,
        /// Maple packets that the packet log had no room for.
        maple_log_drops,
        /// Answers to the server lists of Minecraft clients.
        minecraft_listings,
        /// Minecraft players who were not let in.
        minecraft_refused,
        /// How often a Minecraft player came into a session, or back into it.
        minecraft_attached,
        /// Sessions begun at a Minecraft server for a player.
        minecraft_sessions_begun,
        /// Sessions at a Minecraft server that could not begin, or ended.
        minecraft_failures,
        /// Packets of Minecraft clients that were passed on.
        minecraft_relayed_in,
        /// Packets of Minecraft servers that were passed on.
        minecraft_relayed_out,
        /// Columns, entities and other things a Minecraft session had no room to keep.
        minecraft_not_kept,
    }
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $reason:ident = $text:literal,)*) => {
        /// Why something from a peer was dropped.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reason { $($(#[$doc])* $reason,)* }

        impl Reason {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$reason,)*];

            /// What the log says.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$reason => $text,)* }
            }
        }
    };
}

reasons! {
    /// A datagram that is no bundle.
    Malformed = "malformed bundle",
    /// A message whose body is not what its kind needs.
    BadMessage = "malformed message",
    /// A message of a kind nobody knows or only a server sends.
    UnknownKind = "unknown kind of message",
    /// Begins like a connect string but is none.
    BadConnect = "unanswered connect string",
    /// A HELLO of another protocol version.
    WrongVersion = "hello of another version",
    /// More HELLOs from one address than allowed.
    HelloFlood = "too many hellos from one address",
    /// Not a login, from an address without a session.
    Stranger = "not a login, from an unknown address",
    /// Longer than any datagram a client sends.
    TooLong = "datagram too long",
    /// Rules or a ban keep the address out.
    Barred = "address not allowed",
    /// Too many unfinished logins, from one address or in all.
    TooManyLogins = "too many unfinished logins",
    /// Too many sessions from one address or network.
    TooManySessions = "too many sessions from one address or network",
    /// No seat left.
    NoSeat = "no seat left",
    /// The user's inbox is full.
    InboxFull = "inbox full",
    /// No buffer left to read into.
    NoBufferIn = "no buffer to receive into",
    /// No buffer left to write into.
    NoBufferOut = "no buffer to send from",
    /// The queue to the socket is full.
    SendQueueFull = "send queue full",
    /// Too much waits for one user.
    BacklogFull = "too many messages wait for one user",
    /// The message has no meaning in the sender's state.
    WrongState = "message in the wrong state",
    /// A position in a cache that has no entry.
    BadIndex = "index beyond the input cache",
    /// An input of another length than the game's.
    OddLength = "input of another length",
    /// No room for another TCP connection.
    TooManyConnections = "too many connections",
    /// No room for another TCP connection from that address.
    TooManyOfAddress = "too many connections from one address",
    /// The system could not accept a TCP connection.
    AcceptFailed = "connection not accepted",
    /// First bytes that are no service's.
    UnknownProtocol = "unknown protocol",
    /// Not admitted by its service in time.
    HandshakeTimeout = "handshake not done in time",
    /// Nothing received for too long.
    IdleTimeout = "connection idle",
    /// Reads nothing of what it is sent.
    Stalled = "connection stalled",
    /// Reads too slowly for what it is sent.
    SlowReader = "too much waits for a slow reader",
    /// A message longer than a service can take.
    MessageTooLong = "message too long",
    /// Not the next packet of a stream, or one of a length that is not allowed.
    BadFrame = "bad packet header",
    /// A client that does not answer pings.
    PongTimeout = "ping not answered",
    /// A Maple client that comes in without having been sent.
    UnknownMove = "character not expected",
    /// Too many Maple clients of one address that have not said what they want.
    TooManyUndecided = "too many undecided clients of one address",
    /// A Maple packet that may not pass.
    DeniedOpcode = "opcode not allowed",
    /// A server behind that could not be reached, or does not speak as configured.
    BadUpstream = "upstream server not usable",
    /// A server behind that ended the connection.
    UpstreamGone = "upstream server gone",
    /// A Maple server that sends a client where it may not go.
    BadMove = "sent to a server that is not allowed",
    /// More Maple clients on their way than are remembered.
    TooManyMoves = "too many characters on their way",
    /// A Minecraft player who may not play, or not from there.
    NotInvited = "name or address not on the list",
}

/// How long something took, in buckets that double; recorded by any thread.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [Counter; BUCKETS],
    beyond: Counter,
    nanos: Counter,
}

/// The last one ends a little above half a second.
const BUCKETS: usize = 20;

/// Where the first bucket ends, in nanoseconds.
const FIRST_BOUND: u64 = 1 << 10;

impl Histogram {
    /// Counts one that took `time`.
    pub fn record(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let above = nanos.saturating_sub(1) / FIRST_BOUND;
        let bucket = above.checked_ilog2().map_or(0, |log| log as usize + 1);
        self.buckets.get(bucket).unwrap_or(&self.beyond).add(1);
        self.nanos.add(nanos);
    }

    /// The longest time of each bucket.
    pub fn bounds() -> impl Iterator<Item = Duration> {
        (0..BUCKETS as u32).map(|bucket| Duration::from_nanos(FIRST_BOUND << bucket))
    }

    /// How many were counted in this bucket, and not in the ones before.
    pub fn bucket(&self, bucket: usize) -> u64 {
        self.buckets.get(bucket).map_or(0, Counter::get)
    }

    /// How many took longer than the last bucket's.
    pub fn beyond(&self) -> u64 {
        self.beyond.get()
    }

    /// What all took together, in nanoseconds.
    pub fn sum_nanos(&self) -> u64 {
        self.nanos.get()
    }
}

/// Counts drops by [`Reason`] and says when one is worth a line in the log.
#[derive(Debug)]
pub struct Drops {
    counts: Box<[(Counter, AtomicU64)]>,
}

/// At most one line per reason in this time.
const LOG_EVERY_NANOS: u64 = 10_000_000_000;

impl Drops {
    /// All counts zero.
    pub fn new() -> Self {
        Self {
            counts: Reason::ALL.iter().map(|_| Default::default()).collect(),
        }
    }

    /// Counts one drop; `Some(count so far)` when it is time for a line in the log.
    pub fn record(&self, reason: Reason, now: crate::timer::Time) -> Option<u64> {
        let (count, silent_until) = self.counts.get(reason as usize)?;
        count.add(1);
        let now = now.as_nanos();
        let until = silent_until.load(Ordering::Relaxed);
        let due = until <= now
            && silent_until
                .compare_exchange(
                    until,
                    now.saturating_add(LOG_EVERY_NANOS),
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                )
                .is_ok();
        due.then(|| count.get())
    }

    /// How many were dropped for `reason`.
    pub fn count(&self, reason: Reason) -> u64 {
        self.counts
            .get(reason as usize)
            .map_or(0, |(count, _)| count.get())
    }

    /// How many were dropped in all.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|(count, _)| count.get()).sum()
    }
}

impl Default for Drops {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timer::Time;

    #[test]
    fn drops_are_counted_and_seldom_logged() {
        let drops = Drops::new();
        let lines = (0..50_000u64)
            .filter_map(|n| drops.record(Reason::Stranger, Time::from_millis(n)))
            .collect::<Vec<_>>();
        assert_eq!(lines, [1, 10_001, 20_001, 30_001, 40_001]);
        assert_eq!(drops.count(Reason::Stranger), 50_000);
        assert_eq!(drops.count(Reason::Malformed), 0);
        assert_eq!(drops.total(), 50_000);
    }

    #[test]
    fn times_are_in_the_first_bucket_that_holds_them() {
        let bounds: Vec<_> = Histogram::bounds().collect();
        let nano = Duration::from_nanos(1);
        for (bucket, &bound) in bounds.iter().enumerate() {
            let histogram = Histogram::default();
            let before = bucket
                .checked_sub(1)
                .map_or(Duration::ZERO, |it| bounds[it]);
            histogram.record(bound);
            histogram.record(before + nano);
            assert_eq!(histogram.bucket(bucket), 2, "{bound:?}");
            histogram.record(bound + nano);
            assert_eq!(histogram.bucket(bucket), 2, "{bound:?}");
            let sum = 2 * bound + before + 2 * nano;
            assert_eq!(u128::from(histogram.sum_nanos()), sum.as_nanos());
        }
        let histogram = Histogram::default();
        histogram.record(Duration::ZERO);
        histogram.record(Duration::MAX);
        assert_eq!((histogram.bucket(0), histogram.beyond()), (1, 1));
    }

    #[test]
    fn every_counter_is_listed() {
        let metrics = Metrics::default();
        metrics.logins.add(3);
        assert!(metrics.all().any(|entry| entry == ("logins", 3)));
        assert_eq!(metrics.all().count(), 39);
        let help = "Logins let in.";
        assert!(
            metrics
                .described()
                .any(|entry| entry == ("logins", help, 3))
        );
    }
}
