//! The server under count, and the users that keep it busy.

use crate::{
    counting::{self, Heap},
    options::Threads,
    record::Phase,
    usage,
    user::{Failure, User},
};
use samara::{config::Config, server::Server};
use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    thread,
    time::{Duration, Instant},
};

/// The server is at rest when nothing was sent, counted or freed for so long: longer than lobby
/// messages wait for their turn.
const REST: Duration = Duration::from_millis(60);
/// For a server that does not come to rest.
const PATIENCE: Duration = Duration::from_secs(20);

/// One server, and who is on it.
#[derive(Debug)]
pub(crate) struct Stage {
    threads: Threads,
    server: Option<Server>,
    /// Logged in, unless a phase says otherwise.
    pub(crate) users: Vec<User>,
    /// Processor time of the server before its threads ran.
    cpu_of_start: Option<Duration>,
}

/// What has been counted up to a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    heap: Heap,
    datagrams_in: u64,
    datagrams_out: u64,
}

impl Stage {
    /// Nobody, and no server yet.
    pub(crate) fn new(threads: Threads) -> Self {
        Self {
            threads,
            server: None,
            users: Vec::new(),
            cpu_of_start: None,
        }
    }

    /// Starts the server as its binary does: on its built-in configuration, but on this
    /// machine's own addresses and without pauses between a user's lines and rooms.
    pub(crate) fn start(&mut self) -> Result<(), Failure> {
        let has_ipv6 = UdpSocket::bind((Ipv6Addr::LOCALHOST, 0)).is_ok();
        let Threads { loops, workers } = self.threads;
        let before = usage::cpu_of_this_thread();
        let server = counting::as_server(|| {
            let mut config = Config::default();
            config.net.bind = vec![Ipv4Addr::LOCALHOST.into()];
            if has_ipv6 {
                config.net.bind.push(Ipv6Addr::LOCALHOST.into());
            }
            config.net.port = 0;
            config.net.loops = loops;
            config.net.workers = workers;
            config.rules.chat_flood = Duration::ZERO;
            config.rules.create_game_flood = Duration::ZERO;
            Server::start(&config)
        });
        self.server = Some(server.map_err(|error| Failure(error.to_string()))?);
        let after = usage::cpu_of_this_thread();
        self.cpu_of_start = after.zip(before).map(|(after, before)| after - before);
        Ok(())
    }

    /// Stops the server: its threads end, its memory is given back.
    pub(crate) fn stop(&mut self) {
        let server = self.server.take();
        counting::as_server(|| server.map(Server::stop));
    }

    /// Where the server listens on IPv4.
    pub(crate) fn address(&self) -> Result<SocketAddr, Failure> {
        let addresses = self.server.as_ref().map(Server::addresses);
        let first = addresses.and_then(|them| them.first());
        first
            .copied()
            .ok_or_else(|| Failure("no server runs".into()))
    }

    /// Processor time of the server's threads so far; `None` where the system does not tell.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        Some(self.cpu_of_start? + usage::cpu_of_other_threads()?)
    }

    /// What the server asks for while `run` keeps it busy and until it rests; `run` says how
    /// many messages it took.
    pub(crate) fn count(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<u64, Failure>,
    ) -> Result<Phase, Failure> {
        counting::new_peak();
        let before = self.look();
        let messages = run(self)?;
        let after = self.rest()?;
        let heap = after.heap;
        Ok(Phase {
            messages,
            datagrams_in: after.datagrams_in.saturating_sub(before.datagrams_in),
            datagrams_out: after.datagrams_out.saturating_sub(before.datagrams_out),
            allocations: heap.allocations - before.heap.allocations,
            bytes: heap.bytes - before.heap.bytes,
            live: heap.live,
            peak: heap.peak,
            ..Phase::default()
        })
    }

    /// Lets the users receive until the server has nothing to say or to do.
    fn rest(&mut self) -> Result<Count, Failure> {
        let began = Instant::now();
        let mut since = began;
        let mut last = self.look();
        while since.elapsed() < REST {
            if began.elapsed() > PATIENCE {
                return Err(Failure("the server does not come to rest".into()));
            }
            thread::sleep(Duration::from_millis(1));
            for user in &mut self.users {
                user.catch_up()?;
            }
            let new = self.look();
            if new != last {
                (last, since) = (new, Instant::now());
            }
        }
        Ok(last)
    }

    /// Waits until the server says so.
    pub(crate) fn wait_until(&self, is_so: impl Fn(&Server) -> bool) -> Result<(), Failure> {
        let began = Instant::now();
        while !self.server.as_ref().is_none_or(&is_so) {
            if began.elapsed() > PATIENCE {
                return Err(Failure("the server does not get done".into()));
            }
            thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }

    /// Datagrams the server has received.
    pub(crate) fn received(&self) -> u64 {
        self.look().datagrams_in
    }

    fn look(&self) -> Count {
        let metrics = self.server.as_ref().map(Server::metrics);
        Count {
            heap: counting::of_the_server(),
            datagrams_in: metrics.as_ref().map_or(0, |it| it.datagrams_in.get()),
            datagrams_out: metrics.as_ref().map_or(0, |it| it.datagrams_out.get()),
        }
    }
}
