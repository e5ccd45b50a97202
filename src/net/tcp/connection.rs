//! One connection: its socket, the block it reads into, what waits to be sent, its times.

use super::{ConnectionId, Ending, Origin, TcpSettings, queue::OutQueue};
use crate::{buffer::Frame, timer::Time};
use mio::net::TcpStream;
use socket2::SockRef;
use std::{
    io::{self, Read},
    net::{Shutdown, SocketAddr},
    time::Duration,
};

/// How long a connection closed in good order waits for the peer to close too, after all was
/// sent.
const LINGER: Duration = Duration::from_secs(2);

/// Whether a read that was cut short says that nothing is left, as epoll promises; else only
/// [`io::ErrorKind::WouldBlock`] says so.
const SHORT_MEANS_EMPTY: bool = cfg!(target_os = "linux");

/// Everything about one connection.
#[derive(Debug)]
pub(super) struct Connection {
    /// `None` only in a rehearsal.
    pub(super) stream: Option<TcpStream>,
    pub(super) origin: Origin,
    pub(super) peer: SocketAddr,
    pub(super) local: Option<SocketAddr>,
    pub(super) phase: Phase,
    /// The system may have something to read.
    pub(super) readable: bool,
    /// The system may take something to send.
    pub(super) writable: bool,
    /// The system said that the peer's side is over, so there is an end to be read.
    pub(super) hung_up: bool,
    /// The system said that something went wrong.
    pub(super) failed: bool,
    /// What was received and not consumed; no block is held for nothing.
    pub(super) input: Option<Frame>,
    /// The service has to be offered its input though nothing was added.
    pub(super) offer_again: bool,
    pub(super) output: OutQueue,
    pub(super) sending: Sending,
    pub(super) hearing: Hearing,
    /// The service does not want to be offered anything.
    pub(super) paused: bool,
    /// The output passed the high mark and has not been below the low one since.
    pub(super) congested: bool,
    /// While this one is congested nothing is read.
    pub(super) sink: Option<ConnectionId>,
    /// Whom to read from again when no longer congested.
    pub(super) source: Option<ConnectionId>,
    pub(super) times: Times,
}

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Waits for the peer to take it; the service made it.
    Connecting { service: usize },
    /// Waits for the bytes that say whose it is.
    Sniffing,
    /// A service has it.
    Open { service: usize },
    /// Nothing is received any more; what waits is sent, then both sides close.
    Closing { service: usize, ending: Ending },
    /// Closed; whose it was has to be told.
    Ended {
        service: Option<usize>,
        ending: Ending,
    },
}

/// Our side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sending {
    Open,
    /// To be shut down when all that waits is sent.
    Finishing,
    Finished,
}

/// The peer's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hearing {
    Open,
    /// It has shut down; the service is to be told once it has been offered the rest.
    Ended,
    /// And has been told.
    Told,
}

/// What a connection has waited since and until when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// Until when silence does not count, on a port where it can.
    pub(super) silence: Option<Time>,
    /// Until when it must be admitted, connected, or has lingered enough.
    pub(super) limit: Option<Time>,
    pub(super) idle: Option<Duration>,
    /// When something was last received.
    pub(super) heard: Time,
    /// When the output last made progress, or began to wait.
    pub(super) moved: Time,
    /// The service's own.
    pub(super) timer: Option<Time>,
    /// The deadline that is set; never later than any of the others.
    pub(super) armed: Option<Time>,
}

/// What a time that has come means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    Silence,
    Limit,
    Idle,
    Stalled,
    Timer,
}

impl Connection {
    pub(super) fn new(
        stream: Option<TcpStream>,
        origin: Origin,
        peer: SocketAddr,
        phase: Phase,
        now: Time,
        output: OutQueue,
    ) -> Self {
        debug_assert!(output.is_empty());
        let local = stream.as_ref().and_then(|stream| stream.local_addr().ok());
        Self {
            stream,
            origin,
            peer,
            local,
            phase,
            readable: false,
            writable: false,
            hung_up: false,
            failed: false,
            input: None,
            offer_again: false,
            output,
            sending: Sending::Open,
            hearing: Hearing::Open,
            paused: false,
            congested: false,
            sink: None,
            source: None,
            times: Times {
                silence: None,
                limit: None,
                idle: None,
                heard: now,
                moved: now,
                timer: None,
                armed: None,
            },
        }
    }

    /// Whether it has not ended.
    pub(super) fn lives(&self) -> bool {
        !matches!(self.phase, Phase::Ended { .. })
    }

    /// Ends it: gives all blocks back, and the socket away to be closed.
    ///
    /// Where the other side would still wait for bytes that never come, it is told by a reset.
    pub(super) fn end(&mut self, ending: Ending) -> Option<TcpStream> {
        let is_cut = match ending {
            _ if self.phase == Phase::Sniffing => false,
            Ending::Idle | Ending::Handshake | Ending::Stopped => !self.output.is_empty(),
            Ending::Done | Ending::Service => {
                self.sending != Sending::Finished || self.hearing == Hearing::Open
            }
            _ => true,
        };
        let service = self.phase.service();
        self.phase = Phase::Ended { service, ending };
        self.input = None;
        self.output.clear();
        let stream = self.stream.take()?;
        if is_cut {
            // Without it the end is only less prompt.
            let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
        }
        Some(stream)
    }

    /// Reads once behind what `input` holds, as much as fits; answers how much it was.
    pub(super) fn read(&mut self, input: &mut Frame) -> io::Result<usize> {
        let len = input.len();
        let room = input.buffer_mut().get_mut(len..).unwrap_or_default();
        let Some(stream) = &mut self.stream else {
            self.readable = false;
            return Ok(0);
        };
        if room.is_empty() {
            return Ok(0);
        }
        match stream.read(room) {
            Ok(0) => {
                self.readable = false;
                self.hearing = Hearing::Ended;
                Ok(0)
            }
            Ok(count) => {
                if count < room.len() && SHORT_MEANS_EMPTY && !self.hung_up {
                    self.readable = false;
                }
                input.set_len(len + count);
                Ok(count)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.readable = false;
                Ok(0)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// Sends what waits, as far as the system takes it; answers how much it was.
    pub(super) fn flush(&mut self, now: Time) -> io::Result<usize> {
        let Some(stream) = self.stream.as_mut().filter(|_| self.writable) else {
            return Ok(0);
        };
        let flushed = self.output.flush(stream)?;
        self.writable = !flushed.would_block;
        if flushed.bytes > 0 {
            self.times.moved = now;
        }
        Ok(flushed.bytes)
    }

    /// Tells the peer that no more will come, if all has been sent and the service wants it.
    pub(super) fn shut_down(&mut self, now: Time) {
        if self.sending != Sending::Finishing || !self.output.is_empty() {
            return;
        }
        self.sending = Sending::Finished;
        if let Phase::Closing { .. } = self.phase {
            self.times.limit = Some(now + LINGER);
        }
        if let Some(stream) = &self.stream {
            // A peer that is gone already has no need to know.
            let _ = stream.shutdown(Shutdown::Write);
        }
    }

    /// Whether a connection that we make has come about; an error if it cannot.
    pub(super) fn connected(&mut self) -> io::Result<bool> {
        if let Some(error) = self.take_error() {
            return Err(error);
        }
        let Some(stream) = &self.stream else {
            return Ok(true);
        };
        match stream.peer_addr() {
            Ok(_) => {
                self.local = stream.local_addr().ok();
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What went wrong with the socket since it was last asked.
    pub(super) fn take_error(&self) -> Option<io::Error> {
        self.stream.as_ref()?.take_error().ok()?
    }

    /// Whether nothing has been received.
    pub(super) fn is_silent(&self) -> bool {
        self.phase == Phase::Sniffing && self.input.is_none() && !self.readable
    }

    /// Whether what comes in is for somebody.
    pub(super) fn is_heard(&self) -> bool {
        matches!(self.phase, Phase::Sniffing | Phase::Open { .. })
    }

    /// Whether the service may still say something.
    pub(super) fn takes_output(&self) -> bool {
        let alive = matches!(self.phase, Phase::Open { .. } | Phase::Connecting { .. });
        alive && self.sending == Sending::Open
    }

    /// Nothing more is offered; what waits is sent, then the sending side is shut down.
    pub(super) fn close(&mut self, now: Time) {
        let Phase::Open { service } = self.phase else {
            return;
        };
        let ending = match self.hearing {
            Hearing::Open => Ending::Service,
            Hearing::Ended | Hearing::Told => Ending::Done,
        };
        self.phase = Phase::Closing { service, ending };
        self.input = None;
        self.finish();
        let has_finished = self.sending == Sending::Finished;
        self.times = Times {
            silence: None,
            limit: has_finished.then_some(now + LINGER),
            timer: None,
            idle: None,
            ..self.times
        };
    }

    pub(super) fn finish(&mut self) {
        if self.sending == Sending::Open {
            self.sending = Sending::Finishing;
        }
    }

    /// Whether both sides have said all they had to.
    pub(super) fn is_done(&self) -> bool {
        let told = match self.phase {
            Phase::Open { .. } => self.hearing == Hearing::Told,
            Phase::Closing { .. } => self.hearing != Hearing::Open,
            _ => false,
        };
        told && self.sending == Sending::Finished
    }

    /// When there is something to do at the latest.
    pub(super) fn deadline(&self, settings: &TcpSettings) -> Option<Time> {
        let times = &self.times;
        let all = [
            times.silence,
            times.limit,
            times.timer,
            times.idle.map(|idle| times.heard + idle),
            self.stalls_at(settings),
        ];
        all.into_iter().flatten().min()
    }

    /// The first of the times that have come, the weightiest first.
    pub(super) fn due(&self, now: Time, settings: &TcpSettings) -> Option<Due> {
        let times = &self.times;
        let has_come = |at: Option<Time>| at.is_some_and(|at| at <= now);
        if has_come(times.limit) {
            Some(Due::Limit)
        } else if has_come(self.stalls_at(settings)) {
            Some(Due::Stalled)
        } else if has_come(times.idle.map(|idle| times.heard + idle)) {
            Some(Due::Idle)
        } else if has_come(times.silence) {
            Some(Due::Silence)
        } else if has_come(times.timer) {
            Some(Due::Timer)
        } else {
            None
        }
    }

    fn stalls_at(&self, settings: &TcpSettings) -> Option<Time> {
        let waits = !self.output.is_empty() && !matches!(self.phase, Phase::Connecting { .. });
        waits.then(|| self.times.moved + settings.stall_timeout)
    }
}

impl Phase {
    pub(super) fn service(self) -> Option<usize> {
        match self {
            Self::Connecting { service }
            | Self::Open { service }
            | Self::Closing { service, .. } => Some(service),
            Self::Sniffing => None,
            Self::Ended { service, .. } => service,
        }
    }
}
