//! One thread, one poll, the loop's own sockets.

use super::{
    Clock, Lost, Service,
    sys::{ReceiveBatch, SendBatch},
    tcp::{TcpEndpoint, TcpSetup},
};
use crate::{buffer::FramePool, metrics::Histogram, timer::Time};
use mio::{Events, Interest, Poll, Registry, Token, Waker, net::UdpSocket};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Datagrams read with one system call; a loop holds a buffer for each from the start.
const RECEIVE_BATCH: usize = 32;

/// Datagrams sent with one system call.
const SEND_BATCH: usize = 64;

/// The longest sleep, so that a missed wake is late and not lost.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

const WAKE: Token = Token(usize::MAX);

/// Turns a [`Service`] on sockets of its own until it is told to stop.
///
/// Each turn does, in this order: wait (not at all while something is left to do), read the
/// clock once, read at most one batch from each socket that has something, give the service
/// its turn, send what it has queued; then TCP has its turn, within budgets of its own. A
/// socket that had more than a batch stays on the ready list, for mio reports it only once.
#[derive(Debug)]
pub struct EventLoop<S> {
    poll: Poll,
    events: Events,
    endpoints: Vec<Endpoint>,
    receive: ReceiveBatch,
    send: SendBatch,
    clock: Clock,
    service: S,
    tcp: Option<TcpEndpoint>,
    turns: Option<Arc<Histogram>>,
    /// When the last turn began, if the next one follows at once.
    unfinished: Option<Time>,
}

#[derive(Debug)]
struct Endpoint {
    socket: UdpSocket,
    readable: bool,
    writable: bool,
}

impl Endpoint {
    /// Waits until the system takes datagrams again.
    ///
    /// It is asked only now: of a UDP socket it would tell that after each datagram that has
    /// left, and wake the loop for it.
    fn block(&mut self, registry: &Registry, token: Token) {
        let both = Interest::READABLE | Interest::WRITABLE;
        match registry.reregister(&mut self.socket, token, both) {
            Ok(()) => self.writable = false,
            Err(error) => log::error!("cannot wait for room to send: {error}"),
        }
    }

    fn unblock(&mut self, registry: &Registry, token: Token) {
        self.writable = true;
        let result = registry.reregister(&mut self.socket, token, Interest::READABLE);
        if let Err(error) = result {
            log::error!("cannot stop waiting for room to send: {error}");
        }
    }
}

impl<S: Service> EventLoop<S> {
    /// A loop that serves `service` on `sockets`, reading into buffers of `frames`.
    ///
    /// # Errors
    ///
    /// When the system refuses another poll or the sockets cannot be registered.
    pub fn new(
        sockets: Vec<UdpSocket>,
        frames: &FramePool,
        clock: Clock,
        service: S,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        let mut endpoints = Vec::with_capacity(sockets.len());
        for (index, mut socket) in sockets.into_iter().enumerate() {
            poll.registry()
                .register(&mut socket, Token(index), Interest::READABLE)?;
            endpoints.push(Endpoint {
                socket,
                readable: false,
                writable: true,
            });
        }
        Ok(Self {
            poll,
            events: Events::with_capacity(64),
            endpoints,
            receive: ReceiveBatch::new(frames, RECEIVE_BATCH),
            send: SendBatch::new(SEND_BATCH),
            clock,
            service,
            tcp: None,
            turns: None,
            unfinished: None,
        })
    }

    /// The same loop, which counts in `turns` how long it takes from reading the clock to having
    /// sent everything.
    ///
    /// The clock is not read for it: turns that leave nothing to wait for are not counted.
    pub fn with_turns(mut self, turns: Arc<Histogram>) -> Self {
        self.turns = Some(turns);
        self
    }

    /// The same loop, with TCP beside the datagrams.
    ///
    /// # Errors
    ///
    /// When the listeners cannot be registered.
    pub fn with_tcp(mut self, setup: TcpSetup) -> io::Result<Self> {
        let first_token = self.endpoints.len();
        let registry = self.poll.registry();
        self.tcp = Some(TcpEndpoint::new(setup, registry, first_token)?);
        Ok(self)
    }

    /// What wakes the loop from its sleep.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn waker(&self) -> io::Result<Waker> {
        Waker::new(self.poll.registry(), WAKE)
    }

    /// Serves until `stop` is set and the loop is woken.
    ///
    /// # Errors
    ///
    /// When waiting itself fails; errors of single datagrams are counted and survived.
    pub fn run(&mut self, stop: &AtomicBool) -> io::Result<()> {
        let mut sleep = Some(Duration::ZERO);
        while !stop.load(Ordering::Relaxed) {
            self.wait(sleep, stop)?;
            sleep = self.turn();
        }
        Ok(())
    }

    fn wait(&mut self, sleep: Option<Duration>, stop: &AtomicBool) -> io::Result<()> {
        let sleep = match sleep {
            Some(Duration::ZERO) => Duration::ZERO,
            _ if !self.service.about_to_sleep()
                || self.tcp.as_ref().is_some_and(|tcp| !tcp.is_idle())
                || stop.load(Ordering::Relaxed) =>
            {
                Duration::ZERO
            }
            // Between two pieces of what can wait, the loop looks whether something cannot.
            _ if self.tcp.as_mut().is_some_and(TcpEndpoint::idle) => Duration::ZERO,
            some => some.unwrap_or(LONGEST_SLEEP).min(LONGEST_SLEEP),
        };
        let polled = self.poll.poll(&mut self.events, Some(sleep));
        self.service.awake();
        match polled {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
        for event in &self.events {
            if let Some(endpoint) = self.endpoints.get_mut(event.token().0) {
                endpoint.readable |= event.is_readable() || event.is_error();
                if event.is_writable() && !endpoint.writable {
                    endpoint.unblock(self.poll.registry(), event.token());
                }
            } else if let Some(tcp) = &mut self.tcp
                && event.token() != WAKE
            {
                tcp.event(event);
            }
        }
        Ok(())
    }

    /// One turn; says how long nothing needs to be done, `None` is until something comes in.
    fn turn(&mut self) -> Option<Duration> {
        let now = self.clock.now();
        if let Some(began) = self.unfinished.take() {
            self.record(now.since(began));
        }
        let mut more = false;
        for (index, endpoint) in self.endpoints.iter_mut().enumerate() {
            if !endpoint.readable {
                continue;
            }
            let service = &mut self.service;
            let mut bytes = 0;
            let received = self.receive.receive(&endpoint.socket, |arrival, frame| {
                bytes += frame.len();
                service.datagram(now, index, arrival, frame);
            });
            match received {
                Ok(received) => {
                    let lost = Lost {
                        truncated: received.truncated,
                        starved: received.starved,
                    };
                    service.received(now, received.datagrams, bytes, lost);
                    endpoint.readable = received.more;
                    more |= received.more;
                }
                Err(error) => {
                    log::error!("cannot receive: {error}");
                    endpoint.readable = false;
                }
            }
        }
        let progress = self.service.turn(now);
        self.flush();
        more |= progress.more;
        let mut deadline = progress.deadline;
        if let Some(tcp) = &mut self.tcp {
            let progress = tcp.turn(now);
            more |= progress.more;
            deadline = deadline.into_iter().chain(progress.deadline).min();
        }
        if more {
            self.unfinished = Some(now);
            return Some(Duration::ZERO);
        }
        let deadline = deadline?;
        let after = self.clock.now();
        self.record(after.since(now));
        Some(deadline.since(after))
    }

    fn record(&self, time: Duration) {
        if let Some(turns) = &self.turns {
            turns.record(time);
        }
    }

    fn flush(&mut self) {
        for (index, endpoint) in self.endpoints.iter_mut().enumerate() {
            if !endpoint.writable {
                continue;
            }
            let Some(queue) = self.service.queue(index) else {
                continue;
            };
            if queue.is_empty() {
                continue;
            }
            let sent = self.send.send(&endpoint.socket, queue);
            if sent.would_block {
                endpoint.block(self.poll.registry(), Token(index));
            }
            if let Some(error) = &sent.error {
                log::debug!("{} datagrams could not be sent: {error}", sent.failed);
            }
            self.service.sent(sent.datagrams, sent.failed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(poll: &mut Poll, wait: Duration) -> Vec<(bool, bool)> {
        let mut events = Events::with_capacity(4);
        poll.poll(&mut events, Some(wait)).unwrap();
        let states = events.iter().map(|it| (it.is_readable(), it.is_writable()));
        states.collect()
    }

    #[test]
    fn room_to_send_is_news_only_to_who_waits_for_it() {
        let mut poll = Poll::new().unwrap();
        let mut socket = UdpSocket::bind(([127, 0, 0, 1], 0).into()).unwrap();
        let peer = UdpSocket::bind(([127, 0, 0, 1], 0).into()).unwrap();
        let token = Token(0);
        poll.registry()
            .register(&mut socket, token, Interest::READABLE)
            .unwrap();
        let mut endpoint = Endpoint {
            socket,
            readable: false,
            writable: true,
        };
        let send = |endpoint: &Endpoint| {
            endpoint
                .socket
                .send_to(b"frame", peer.local_addr().unwrap())
                .unwrap();
            peer.recv(&mut [0; 8]).unwrap();
        };
        send(&endpoint);
        assert_eq!(events(&mut poll, Duration::ZERO), []);

        endpoint.block(poll.registry(), token);
        assert!(!endpoint.writable);
        assert_eq!(events(&mut poll, Duration::from_secs(10)), [(false, true)]);

        endpoint.unblock(poll.registry(), token);
        assert!(endpoint.writable);
        send(&endpoint);
        assert_eq!(events(&mut poll, Duration::ZERO), []);
    }
}
