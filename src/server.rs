//! Builds the rooms, names and starts the threads, and stops them in order.

#![forbid(unsafe_code)]

use crate::{
    actor::Bell,
    buffer::FramePool,
    config::Config,
    metrics::{Drops, Metrics},
    net::{Clock, EventLoop, sys},
    service::kaillera::{self, Control, FRAME_SIZE, LoopPart, MAX_THREADS, WorkerPart},
};
use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How long users can read that the server stops before they are sent away.
const FAREWELL_NOTICE: Duration = Duration::from_millis(400);
/// How long their last messages may take to leave.
const FAREWELL_SEND: Duration = Duration::from_millis(900);

/// Serves until SIGINT or SIGTERM, then says goodbye to every user; a second signal ends the
/// process at once.
///
/// # Errors
///
/// When the server does not start.
pub fn run(config: Config) -> Result<(), StartError> {
    let stopping = Arc::new(AtomicBool::new(false));
    watch_for_second_signal(&stopping).map_err(|error| StartError {
        what: "cannot watch for signals".to_owned(),
        error,
    })?;
    // Before the server says that it listens: whoever reads that may stop it at once.
    let wait_for_signal = watch_for_first_signal().map_err(|error| StartError {
        what: "cannot wait for signals".to_owned(),
        error,
    })?;
    let server = Server::start(&config)?;
    wait_for_signal();
    stopping.store(true, Ordering::Relaxed);
    log::info!("stopping: {} users are told", server.users());
    server.stop();
    log::info!("stopped");
    Ok(())
}

/// A running server. Dropping it stops it at once; [`Server::stop`] says goodbye first.
#[derive(Debug)]
pub struct Server {
    addresses: Vec<SocketAddr>,
    control: Control,
    bells: Vec<Arc<Bell>>,
    stopped: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// Why a server did not start.
#[derive(Debug)]
pub struct StartError {
    what: String,
    error: io::Error,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.error)
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl Server {
    /// Binds the port and starts the threads. When this returns, datagrams are answered.
    ///
    /// # Errors
    ///
    /// When an address cannot be bound or the system refuses threads or polls.
    pub fn start(config: &Config) -> Result<Self, StartError> {
        let loops = loops(config.net.loops);
        let sockets = bind(&config.net.bind, config.net.port, loops)?;
        let addresses = sockets.addresses;
        let ports: Vec<u16> = addresses.iter().map(SocketAddr::port).collect();
        let parts = kaillera::build(config.settings(), loops, config.net.workers, &ports);
        let mut server = Self {
            addresses,
            control: parts.control,
            bells: Vec::new(),
            stopped: Arc::new(AtomicBool::new(false)),
            threads: Vec::new(),
        };
        let clock = Clock::start();
        for (index, part) in parts.workers.into_iter().enumerate() {
            server.start_worker(index, part, clock)?;
        }
        let of_loops = parts.loops.into_iter().zip(sockets.of_loops);
        for (index, (part, sockets)) in of_loops.enumerate() {
            let frames = FramePool::new(config.limits.frames_in.div_ceil(loops), FRAME_SIZE);
            server.start_loop(index, part, sockets, &frames, clock)?;
        }
        let list: Vec<String> = server.addresses.iter().map(ToString::to_string).collect();
        let threads = match config.net.workers {
            0 => String::new(),
            workers => format!(", workers: {workers}"),
        };
        log::info!(
            "listening on udp {} (event loops: {loops}{threads})",
            list.join(" and ")
        );
        Ok(server)
    }

    /// Where the server listens, in the order of the configuration; ports are the real ones.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Users that are logged in.
    pub fn users(&self) -> usize {
        self.control.users()
    }

    /// Sessions, logged in or not.
    pub fn sessions(&self) -> usize {
        self.control.sessions()
    }

    /// What the server counts.
    pub fn metrics(&self) -> Arc<Metrics> {
        self.control.metrics()
    }

    /// What it dropped, by reason.
    pub fn drops(&self) -> Arc<Drops> {
        self.control.drops()
    }

    /// Tells every user, sends all away, and stops; takes less than two seconds.
    pub fn stop(self) {
        self.control.announce_stop();
        wait(FAREWELL_NOTICE, || self.users() == 0);
        self.control.close_all();
        wait(FAREWELL_SEND, || self.sessions() == 0);
    }

    fn start_worker(
        &mut self,
        index: usize,
        mut part: WorkerPart,
        clock: Clock,
    ) -> Result<(), StartError> {
        let bell = part.bell().clone();
        let stopped = self.stopped.clone();
        self.start_thread(format!("worker-{index}"), bell.clone(), move || {
            let me = thread::current();
            bell.install(move || me.unpark());
            while !stopped.load(Ordering::Relaxed) {
                let progress = part.turn(clock.now());
                if progress.more {
                    continue;
                }
                bell.about_to_sleep();
                if part.is_idle() && !stopped.load(Ordering::Relaxed) {
                    let sleep = progress.deadline.map_or(Duration::from_secs(1), |at| {
                        at.since(clock.now()).min(Duration::from_secs(1))
                    });
                    thread::park_timeout(sleep);
                }
                bell.awake();
            }
        })
    }

    fn start_loop(
        &mut self,
        index: usize,
        part: LoopPart,
        sockets: Vec<mio::net::UdpSocket>,
        frames: &FramePool,
        clock: Clock,
    ) -> Result<(), StartError> {
        let failed = |error| StartError {
            what: format!("cannot set up loop {index}"),
            error,
        };
        let bell = part.bell().clone();
        let mut event_loop = EventLoop::new(sockets, frames, clock, part).map_err(failed)?;
        let waker = event_loop.waker().map_err(failed)?;
        bell.install(move || {
            if let Err(error) = waker.wake() {
                log::error!("cannot wake loop {index}: {error}");
            }
        });
        let stopped = self.stopped.clone();
        self.start_thread(format!("loop-{index}"), bell, move || {
            if let Err(error) = event_loop.run(&stopped) {
                log::error!("loop {index} failed: {error}");
            }
        })
    }

    fn start_thread(
        &mut self,
        name: String,
        bell: Arc<Bell>,
        run: impl FnOnce() + Send + 'static,
    ) -> Result<(), StartError> {
        let thread = thread::Builder::new().name(name.clone()).spawn(run);
        let thread = thread.map_err(|error| StartError {
            what: format!("cannot start {name}"),
            error,
        })?;
        self.threads.push(thread);
        self.bells.push(bell);
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        for bell in &self.bells {
            bell.ring();
        }
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                log::error!("a thread of the server failed");
            }
        }
    }
}

const SIGNALS: [i32; 2] = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];

fn watch_for_second_signal(stopping: &Arc<AtomicBool>) -> io::Result<()> {
    for signal in SIGNALS {
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, stopping.clone())?;
    }
    Ok(())
}

/// Catches signals from here on; the closure waits for one.
#[cfg(unix)]
fn watch_for_first_signal() -> io::Result<impl FnOnce()> {
    let mut signals = signal_hook::iterator::Signals::new(SIGNALS)?;
    Ok(move || {
        signals.forever().next();
    })
}

#[cfg(not(unix))]
fn watch_for_first_signal() -> io::Result<impl FnOnce()> {
    let signalled = Arc::new(AtomicBool::new(false));
    for signal in SIGNALS {
        signal_hook::flag::register(signal, signalled.clone())?;
    }
    Ok(move || {
        while !signalled.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(100));
        }
    })
}

/// How often a free port is looked for that all addresses have.
const FREE_PORT_ATTEMPTS: usize = 16;

/// Waits until `done`, but no longer than `most`; looks every few milliseconds.
fn wait(most: Duration, done: impl Fn() -> bool) {
    let deadline = Instant::now() + most;
    while Instant::now() < deadline && !done() {
        thread::sleep(Duration::from_millis(5));
    }
}

/// How many loops to start: several share a port only where the system spreads its load.
///
/// Left to the server it is half the cores. One loop carries a thousand players, and players
/// of one game on different loops cost a wake for each message between them.
fn loops(configured: usize) -> usize {
    match configured {
        _ if !sys::REUSE_PORT_BALANCES => 1,
        0 => thread::available_parallelism()
            .map_or(1, |cores| (cores.get() / 2).clamp(1, MAX_THREADS)),
        loops => loops,
    }
}

struct Sockets {
    addresses: Vec<SocketAddr>,
    /// Per loop, one socket per address.
    of_loops: Vec<Vec<mio::net::UdpSocket>>,
}

/// Binds every address once per loop, all on the same port.
///
/// The default asks for IPv4 and IPv6; a machine without one of them is served on the other.
fn bind(hosts: &[IpAddr], port: u16, loops: usize) -> Result<Sockets, StartError> {
    let mut attempts = if port == 0 { FREE_PORT_ATTEMPTS } else { 1 };
    loop {
        attempts -= 1;
        match bind_all(hosts, port, loops) {
            // The port that was free for the first address is taken for the second.
            Err(StartError { error, .. })
                if error.kind() == io::ErrorKind::AddrInUse && attempts > 0 => {}
            done => return done,
        }
    }
}

fn bind_all(hosts: &[IpAddr], mut port: u16, loops: usize) -> Result<Sockets, StartError> {
    let mut sockets = Sockets {
        addresses: Vec::new(),
        of_loops: std::iter::repeat_with(Vec::new).take(loops).collect(),
    };
    let wildcard = hosts.len() > 1 && hosts.iter().all(IpAddr::is_unspecified);
    let mut missing = None;
    for &host in hosts {
        let address = SocketAddr::new(host, port);
        match bind_address(address, loops) {
            Ok((bound, of_loops)) => {
                port = bound.port();
                sockets.addresses.push(bound);
                for (of_loop, socket) in sockets.of_loops.iter_mut().zip(of_loops) {
                    of_loop.push(socket);
                }
            }
            Err(error) if wildcard && error.kind() != io::ErrorKind::AddrInUse => {
                log::warn!("not listening on udp {address}: {error}");
                missing = Some((address, error));
            }
            Err(error) => return Err(cannot_listen(address, error)),
        }
    }
    match missing {
        Some((address, error)) if sockets.addresses.is_empty() => {
            Err(cannot_listen(address, error))
        }
        _ => Ok(sockets),
    }
}

fn cannot_listen(address: SocketAddr, error: io::Error) -> StartError {
    StartError {
        what: format!("cannot listen on udp {address}"),
        error,
    }
}

fn bind_address(
    mut address: SocketAddr,
    loops: usize,
) -> io::Result<(SocketAddr, Vec<mio::net::UdpSocket>)> {
    let shared = loops > 1;
    if shared {
        // Asked for a free port to share, the system may name one that others share already.
        address = sys::probe(address)?;
    }
    let mut sockets = Vec::with_capacity(loops);
    for _ in 0..loops {
        let socket = sys::bind(address, sys::BindOptions { reuse_port: shared })?;
        address = socket.local_addr()?;
        sockets.push(socket);
    }
    Ok((address, sockets))
}
