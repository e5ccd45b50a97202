//! The server's real parts, turned by hand in place of its threads.
//!
//! A thread sleeps as the real ones do: it announces it, looks once more, and is turned again
//! only by a datagram, its deadline or its bell. There is no other wake, so a lost one shows.

use crate::{
    network::{Datagram, SERVER},
    rng::{Odds, Rng, mix},
};
use samara::{
    buffer::FramePool,
    lobby::Lobby,
    net::{Lost, Service, sys::Arrival},
    service::kaillera::{self, Control, FRAME_SIZE, LoopPart, Settings, WorkerPart},
    timer::Time,
};
use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Turns at one moment after which the server is taken to go in circles.
const TURNS_AT_ONCE: usize = 20_000;

/// Turns at one moment after which nobody is held back any more: some wait for each other.
const PATIENCE: usize = 500;

/// How unfair the scheduler is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfairness {
    /// A thread that could run is held back...
    pub(crate) hold: Odds,
    /// ... for up to this many milliseconds.
    pub(crate) hold_ms: u64,
    /// Most datagrams read before a turn.
    pub(crate) batch: u64,
    /// The socket takes only a part of what there is to send.
    pub(crate) half_sent: Odds,
}

impl Unfairness {
    pub(crate) const NONE: Self = Self {
        hold: 0,
        hold_ms: 0,
        batch: 64,
        half_sent: 0,
    };
}

/// How the server is built.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    pub(crate) loops: usize,
    /// None is inline mode.
    pub(crate) workers: usize,
    pub(crate) settings: Settings,
    /// Buffers of each loop for what comes in.
    pub(crate) frames_in: usize,
    pub(crate) unfairness: Unfairness,
}

/// The server without its threads.
pub(crate) struct Machine {
    threads: Vec<Thread>,
    pub(crate) control: Control,
    pools: Vec<FramePool>,
    loops: usize,
    unfairness: Unfairness,
    /// The sockets take nothing.
    pub(crate) blocked: bool,
    rng: Rng,
}

struct Thread {
    body: Body,
    rung: Arc<AtomicBool>,
    asleep: bool,
    deadline: Option<Time>,
    held_until: Time,
    /// Whether the scheduler has had its way with this wake.
    tempted: bool,
}

enum Body {
    Loop {
        part: Box<LoopPart>,
        pool: FramePool,
        arrived: VecDeque<Datagram>,
    },
    Worker(Box<WorkerPart>),
}

impl Machine {
    pub(crate) fn new(build: &Build, rng: Rng) -> Self {
        let ports = [SERVER.port()];
        let parts = kaillera::build(build.settings.clone(), build.loops, build.workers, &ports);
        let mut pools = Vec::new();
        let loops = parts.loops.into_iter().map(|part| {
            let pool = FramePool::new(build.frames_in, FRAME_SIZE);
            pools.push(pool.clone());
            Body::Loop {
                part: Box::new(part),
                pool,
                arrived: VecDeque::new(),
            }
        });
        let mut threads: Vec<Thread> = loops.map(Thread::new).collect();
        let workers = parts.workers.into_iter();
        threads.extend(workers.map(|part| Thread::new(Body::Worker(Box::new(part)))));
        Self {
            threads,
            control: parts.control,
            pools,
            loops: build.loops,
            unfairness: build.unfairness,
            blocked: false,
            rng,
        }
    }

    /// From here on the scheduler is fair.
    pub(crate) fn calm_down(&mut self) {
        self.unfairness = Unfairness::NONE;
    }

    /// Whether the scheduler may let a datagram wait inside the server.
    pub(crate) fn is_fair(&self) -> bool {
        self.unfairness.hold == 0 && self.unfairness.half_sent == 0
    }

    /// A datagram reaches the socket that the sender's address belongs to, always the same.
    pub(crate) fn arrive(&mut self, datagram: Datagram) {
        let index = loop_of(datagram.from, self.loops);
        if let Body::Loop { arrived, .. } = &mut self.threads[index].body {
            arrived.push_back(datagram);
        }
    }

    /// When a thread is due, if nothing comes in.
    pub(crate) fn next(&self) -> Option<Time> {
        self.threads.iter().filter_map(Thread::next).min()
    }

    /// Runs threads in a random order until none can run, and collects what they send.
    pub(crate) fn run(&mut self, now: Time, out: &mut Vec<Datagram>) {
        let unfairness = self.unfairness;
        for turns in 0.. {
            assert!(turns < TURNS_AT_ONCE, "the server does not come to rest");
            if turns == PATIENCE {
                self.threads
                    .iter_mut()
                    .for_each(|thread| thread.held_until = now);
            }
            let ready: Vec<usize> = (0..self.threads.len())
                .filter(|&index| self.threads[index].is_ready(now))
                .collect();
            if ready.is_empty() {
                return;
            }
            let chosen = self.rng.pick(&ready);
            let thread = &mut self.threads[chosen];
            if !thread.tempted {
                thread.tempted = true;
                if turns < PATIENCE && self.rng.chance(unfairness.hold) {
                    thread.held_until = now + self.rng.millis(0..=unfairness.hold_ms);
                    continue;
                }
            }
            thread.turn(now, &unfairness, self.blocked, &mut self.rng, out);
        }
    }

    /// The sockets take what there is again.
    pub(crate) fn unblock(&mut self) {
        self.blocked = false;
        self.threads
            .iter_mut()
            .for_each(|thread| thread.asleep = false);
    }

    /// Whether nothing is left to do before the next deadline.
    pub(crate) fn is_at_rest(&self) -> bool {
        !self.blocked
            && self.threads.iter().all(|thread| {
                let read = match &thread.body {
                    Body::Loop { arrived, .. } => arrived.is_empty(),
                    Body::Worker(_) => true,
                };
                thread.asleep && !thread.rung.load(Ordering::Relaxed) && read
            })
    }

    /// Buffers that are not at home: those for receiving, those for sending.
    pub(crate) fn frames_held(&self) -> (usize, usize) {
        let held = |pool: &FramePool| pool.capacity() - pool.available();
        let (available, capacity) = self.control.frames();
        (self.pools.iter().map(held).sum(), capacity - available)
    }

    /// The lobby, wherever it is.
    pub(crate) fn lobby(&self) -> &Lobby {
        let mut lobbies = self.threads.iter().filter_map(|thread| match &thread.body {
            Body::Loop { part, .. } => part.actors()?.lobby(),
            Body::Worker(part) => part.lobby(),
        });
        lobbies.next().expect("worker 0 has the lobby")
    }
}

impl Thread {
    fn new(body: Body) -> Self {
        let rung = Arc::new(AtomicBool::new(false));
        let wake = rung.clone();
        let bell = match &body {
            Body::Loop { part, .. } => part.bell(),
            Body::Worker(part) => part.bell(),
        };
        bell.install(move || wake.store(true, Ordering::Relaxed));
        Self {
            body,
            rung,
            asleep: false,
            deadline: None,
            held_until: Time::ZERO,
            tempted: false,
        }
    }

    fn wants_to_run(&self) -> bool {
        let read = match &self.body {
            Body::Loop { arrived, .. } => arrived.is_empty(),
            Body::Worker(_) => true,
        };
        !self.asleep || !read || self.rung.load(Ordering::Relaxed)
    }

    fn is_ready(&self, now: Time) -> bool {
        let due = self.deadline.is_some_and(|at| at <= now);
        self.held_until <= now && (due || self.wants_to_run())
    }

    fn next(&self) -> Option<Time> {
        match self.wants_to_run() {
            true => Some(self.held_until),
            false => self.deadline.map(|at| at.max(self.held_until)),
        }
    }

    fn turn(
        &mut self,
        now: Time,
        unfairness: &Unfairness,
        blocked: bool,
        rng: &mut Rng,
        out: &mut Vec<Datagram>,
    ) {
        self.rung.store(false, Ordering::Relaxed);
        let (progress, idle) = match &mut self.body {
            Body::Loop {
                part,
                pool,
                arrived,
            } => {
                part.awake();
                let batch = rng.within(1..=unfairness.batch) as usize;
                receive(part, pool, arrived, now, batch);
                let mut progress = part.turn(now);
                progress.more |= !arrived.is_empty();
                if !blocked {
                    let half = rng.chance(unfairness.half_sent);
                    progress.more |= !send(part, half, out);
                }
                let idle = !progress.more && part.about_to_sleep();
                (progress, idle)
            }
            Body::Worker(part) => {
                part.bell().awake();
                let progress = part.turn(now);
                let mut idle = false;
                if !progress.more {
                    part.bell().about_to_sleep();
                    idle = part.is_idle();
                    if !idle {
                        part.bell().awake();
                    }
                }
                (progress, idle)
            }
        };
        assert!(
            progress.more || progress.deadline.is_none_or(|at| at > now),
            "a deadline is behind after the turn that should have handled it"
        );
        self.deadline = progress.deadline;
        self.asleep = idle;
        self.tempted = false;
    }
}

fn receive(
    part: &mut LoopPart,
    pool: &FramePool,
    arrived: &mut VecDeque<Datagram>,
    now: Time,
    batch: usize,
) {
    let mut lost = Lost::default();
    let (mut datagrams, mut bytes) = (0, 0);
    for _ in 0..batch {
        let Some(datagram) = arrived.pop_front() else {
            break;
        };
        let Some(mut frame) = pool.try_take() else {
            lost.starved += 1;
            continue;
        };
        if frame.copy_from(&datagram.bytes).is_err() {
            lost.truncated += 1;
            continue;
        }
        datagrams += 1;
        bytes += datagram.bytes.len();
        let arrival = Arrival {
            peer: datagram.from,
            local: Some(SERVER.ip()),
        };
        part.datagram(now, 0, arrival, frame);
    }
    part.received(now, datagrams, bytes, lost);
}

/// Says whether all of it went out.
fn send(part: &mut LoopPart, half: bool, out: &mut Vec<Datagram>) -> bool {
    let queue = part.queue(0).expect("a loop has a socket");
    let count = if half { queue.len() / 2 } else { queue.len() };
    for transmit in queue.drain(..count) {
        assert_eq!(transmit.local, Some(SERVER.ip()), "answered from elsewhere");
        out.push(Datagram {
            from: SERVER,
            to: transmit.peer,
            bytes: transmit.frame.to_vec(),
        });
    }
    let done = queue.is_empty();
    part.sent(count, 0);
    done
}

/// Which loop an address belongs to, as the system decides it: for good.
fn loop_of(address: SocketAddr, loops: usize) -> usize {
    let SocketAddr::V4(address) = address else {
        return 0;
    };
    let ip = u64::from(u32::from(*address.ip()));
    (mix(ip << 16 | u64::from(address.port())) % loops as u64) as usize
}
