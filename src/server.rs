//! Builds the rooms, names and starts the threads, and stops them in order.

#![forbid(unsafe_code)]

mod hourly;
mod log_file;
mod logger;
mod ports;
mod reload;
mod tcp;

pub use logger::Log;
pub use reload::Source;

use crate::{
    access::Epoch,
    actor::Bell,
    buffer::FramePool,
    config::{Config, Upstream},
    metrics::{Drops, Histogram, Metrics},
    net::{
        Clock, EventLoop, sys,
        tcp::{Capacity, TcpService, TcpSetup},
    },
    service::{
        kaillera::{self, Control, FRAME_SIZE, LoopPart, MAX_THREADS, NamesThread, WorkerPart},
        lists::ListsThread,
        packet_log::{LogThread, PacketLog},
    },
};
use hourly::{Hourly, State};
use reload::Reloader;
use std::{
    fmt, io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime},
};

/// How long users can read that the server stops before they are sent away.
const FAREWELL_NOTICE: Duration = Duration::from_millis(400);
/// How often the configuration's files are looked at.
const LOOK: Duration = Duration::from_secs(1);
/// How long their last messages may take to leave.
const FAREWELL_SEND: Duration = Duration::from_millis(900);

/// Serves until SIGINT or SIGTERM, then says goodbye to every user; a second signal ends the
/// process at once. On SIGHUP, and when one of the configuration's files changes, the
/// configuration is read again from `source`, and what can be taken on is.
///
/// # Errors
///
/// When the server does not start.
pub fn run(config: Config, source: Source) -> Result<(), StartError> {
    let stopping = Arc::new(AtomicBool::new(false));
    watch_for_second_signal(&stopping).map_err(|error| StartError {
        what: "cannot watch for signals".to_owned(),
        error,
    })?;
    // Before the server says that it listens: whoever reads that may stop it at once.
    let signals = watch_for_first_signal().map_err(|error| StartError {
        what: "cannot wait for signals".to_owned(),
        error,
    })?;
    // So is a file that changes from then on seen.
    let mut reloader = Reloader::new(config, source);
    let mut server = Server::start(reloader.running())?;
    let mut hourly = Hourly::new(Instant::now());
    loop {
        if hourly.is_due(Instant::now()) {
            log::info!("{}", State::of(&server.control.census()));
        }
        match signals.recv_timeout(LOOK) {
            Ok(Signal::Reload) => reloader.reload(&mut server),
            Ok(Signal::Stop) => break,
            Err(RecvTimeoutError::Timeout) if reloader.watch.has_changed() => {
                reloader.reload(&mut server);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    stopping.store(true, Ordering::Relaxed);
    let drain = reloader.running().drain;
    if !drain.is_zero() {
        server.drain(drain);
    }
    log::info!("stopping: {} users are told", server.users());
    server.stop();
    log::info!("stopped");
    Ok(())
}

/// A running server. Dropping it stops it at once; [`Server::stop`] says goodbye first.
#[derive(Debug)]
pub struct Server {
    addresses: Vec<SocketAddr>,
    http: Vec<SocketAddr>,
    gateway: Vec<SocketAddr>,
    minecraft: Vec<SocketAddr>,
    control: Control,
    tcp: Option<Arc<Capacity>>,
    bells: Vec<Arc<Bell>>,
    stopped: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    /// Ends after the loops that leave something for it.
    _packet_log: Option<LogThread>,
    _lists: Option<ListsThread>,
    /// There is one once a rule has a host name.
    names: Option<NamesThread>,
}

/// One of a server's event loops, for services that will live there.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its number, from 0.
    pub index: usize,
    /// How many there are.
    pub loops: usize,
    /// What the server counts in.
    pub metrics: Arc<Metrics>,
    /// Wakes the loop, for threads that bring its services work; those then say so by
    /// [`TcpService::is_idle`].
    pub bell: Arc<Bell>,
    /// The packet log, if the configuration asks for one.
    pub packet_log: Option<PacketLog>,
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
        Self::start_with(config, |_| Vec::new())
    }

    /// The same with services of one's own beside the server's: `services` is asked once for each
    /// loop. They are asked for a connection's first bytes after the server's own.
    ///
    /// # Errors
    ///
    /// As for [`Server::start`].
    pub fn start_with(
        config: &Config,
        mut services: impl FnMut(&Place) -> Vec<Box<dyn TcpService>>,
    ) -> Result<Self, StartError> {
        let loops = loops(config.net.loops);
        let ports = ports::bind(config, loops)?;
        let numbers: Vec<u16> = ports.addresses.iter().map(SocketAddr::port).collect();
        let clock = Clock::start();
        let settings = settings(config)?;
        let parts = kaillera::build(settings, loops, config.net.workers, &numbers);
        let frames = config.limits.frames_in.div_ceil(loops);
        let frames_in = std::iter::repeat_with(|| FramePool::new(frames, FRAME_SIZE));
        let shown = tcp::Shown {
            census: parts.control.census(),
            identity: config.identity(numbers.first().copied().unwrap_or_default()),
            frames_in: frames_in.take(loops).collect(),
            turns: (0..loops).map(|_| Arc::default()).collect(),
            bells: parts.loops.iter().map(|it| it.bell().clone()).collect(),
        };
        let (frames_in, turns) = (shown.frames_in.clone(), shown.turns.clone());
        let told = config.world_settings(shown.identity.clone());
        let tcp = tcp::build(config, ports.tcp, shown, clock, &mut services)?;
        let mut server = Self {
            addresses: ports.addresses,
            http: tcp.http,
            gateway: tcp.gateway,
            minecraft: tcp.minecraft,
            control: parts.control,
            tcp: tcp.capacity,
            bells: Vec::new(),
            stopped: Arc::new(AtomicBool::new(false)),
            threads: Vec::new(),
            _packet_log: tcp.packet_log,
            _lists: None,
            names: None,
        };
        for (index, part) in parts.workers.into_iter().enumerate() {
            server.start_worker(index, part, clock)?;
        }
        let mut setups = tcp.setups.into_iter();
        let kept = frames_in.into_iter().zip(turns);
        let of_loops = parts.loops.into_iter().zip(ports.udp).zip(kept);
        for (index, ((part, sockets), (frames, turns))) in of_loops.enumerate() {
            let event_loop = LoopSetup {
                part,
                sockets,
                frames,
                turns,
                tcp: setups.next(),
            };
            server.start_loop(index, event_loop, clock)?;
        }
        if told.is_needed() {
            let started = {
                let (census, herald) = (server.control.census(), server.control.herald());
                ListsThread::start(told, census, herald, clock)
            };
            server._lists = Some(started.map_err(|error| StartError {
                what: "cannot start lists".to_owned(),
                error,
            })?);
        }
        server.look_up_names(config)?;
        server.log_start(config, loops);
        Ok(server)
    }

    /// Puts the access rules of `config` in the place of those there are; answers whether the
    /// lobby could be told.
    fn set_access(&mut self, config: &Config) -> bool {
        if let Err(error) = self.look_up_names(config) {
            log::error!("{error}");
        }
        self.control.set_access_rules(config.access.rules.clone())
    }

    fn look_up_names(&mut self, config: &Config) -> Result<(), StartError> {
        let hosts: Vec<String> = config.access.rules.hosts().map(str::to_owned).collect();
        if self.names.is_none() && !hosts.is_empty() {
            let thread = self.control.look_up_names(kaillera::resolve);
            self.names = Some(thread.map_err(|error| StartError {
                what: "cannot start names".to_owned(),
                error,
            })?);
        }
        if let Some(names) = &self.names {
            names.set_hosts(hosts);
        }
        Ok(())
    }

    /// Where the server listens, in the order of the configuration; ports are the real ones.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where HTTP alone is answered, in the order of the configuration; ports are the real ones.
    pub fn http_addresses(&self) -> &[SocketAddr] {
        &self.http
    }

    /// Where there is nothing but the gateway, in the order of the configuration; ports are the
    /// real ones.
    pub fn gateway_addresses(&self) -> &[SocketAddr] {
        &self.gateway
    }

    /// Where there is nothing but Minecraft, in the order of the configuration; ports are the real
    /// ones.
    pub fn minecraft_addresses(&self) -> &[SocketAddr] {
        &self.minecraft
    }

    /// TCP connections that were accepted and are open.
    pub fn connections(&self) -> usize {
        self.tcp.as_ref().map_or(0, |tcp| tcp.open())
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

    /// Tells every user that the server stops when the games that run are over, and waits for
    /// that, but no longer than `most`. Meanwhile nobody is let in, and no room opens and no game
    /// starts.
    pub fn drain(&self, most: Duration) {
        log::info!(
            "stopping when {} games are over, or in {most:?}",
            self.games_playing()
        );
        self.control.announce_drain();
        wait(most, || self.games_playing() == 0);
    }

    /// Rooms whose game runs or is about to.
    pub fn games_playing(&self) -> usize {
        self.control.games_playing()
    }

    /// Tells every user, sends all away, and stops; takes less than two seconds.
    pub fn stop(self) {
        self.control.announce_stop();
        self.tell_tcp(Capacity::announce_stop);
        wait(FAREWELL_NOTICE, || self.users() == 0);
        self.control.close_all();
        self.tell_tcp(Capacity::close_all);
        wait(FAREWELL_SEND, || {
            let is_over = self.sessions() == 0 && self.connections() == 0;
            is_over && !self.control.is_saving()
        });
    }

    fn tell_tcp(&self, word: impl FnOnce(&Capacity)) {
        if let Some(tcp) = &self.tcp {
            word(tcp);
            self.bells.iter().for_each(|bell| bell.ring());
        }
    }

    fn log_start(&self, config: &Config, loops: usize) {
        let list = |addresses: &[SocketAddr]| {
            let list: Vec<String> = addresses.iter().map(ToString::to_string).collect();
            list.join(" and ")
        };
        let threads = match config.net.workers {
            0 => String::new(),
            workers => format!(", workers: {workers}"),
        };
        let addresses = list(&self.addresses);
        log::info!("Samara, version {}", env!("CARGO_PKG_VERSION"));
        if config.tcp.enabled {
            log::info!("listening on tcp {addresses}");
        }
        if !self.http.is_empty() {
            log::info!("listening on tcp {} for http", list(&self.http));
        }
        if !self.gateway.is_empty() {
            log::info!("listening on tcp {} for maple", list(&self.gateway));
        }
        if !self.minecraft.is_empty() {
            log::info!("listening on tcp {} for minecraft", list(&self.minecraft));
        }
        if let Some(login) = config.gateway.login {
            let version = config.maple.profile.version;
            log::info!("maple clients of version {version} are taken to {login}");
        }
        if let Some(Upstream { host, port }) = &config.minecraft.upstream {
            log::info!("minecraft players keep their sessions at {host}, port {port}");
        }
        log::info!("listening on udp {addresses} (event loops: {loops}{threads})");
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
        setup: LoopSetup,
        clock: Clock,
    ) -> Result<(), StartError> {
        let failed = |error| StartError {
            what: format!("cannot set up loop {index}"),
            error,
        };
        let bell = setup.part.bell().clone();
        let mut event_loop = setup.build(clock).map_err(failed)?;
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

/// The service's settings, with what moderators had decided before.
fn settings(config: &Config) -> Result<kaillera::Settings, StartError> {
    let mut settings = config.settings();
    let access = &mut settings.access;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    access.epoch = Epoch(now.unwrap_or_default().as_secs());
    if let Some(path) = &access.state {
        access.saved = kaillera::read_saved(path).map_err(|error| StartError {
            what: format!("cannot read bans and silences from {}", path.display()),
            error,
        })?;
    }
    Ok(settings)
}

/// What one event loop is made of.
struct LoopSetup {
    part: LoopPart,
    sockets: Vec<mio::net::UdpSocket>,
    frames: FramePool,
    turns: Arc<Histogram>,
    tcp: Option<TcpSetup>,
}

impl LoopSetup {
    fn build(self, clock: Clock) -> io::Result<EventLoop<LoopPart>> {
        let event_loop = EventLoop::new(self.sockets, &self.frames, clock, self.part)?;
        let event_loop = event_loop.with_turns(self.turns);
        match self.tcp {
            Some(setup) => event_loop.with_tcp(setup),
            None => Ok(event_loop),
        }
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

/// What a signal asks for.
enum Signal {
    Stop,
    Reload,
}

/// Catches signals from here on.
#[cfg(unix)]
fn watch_for_first_signal() -> io::Result<Receiver<Signal>> {
    use signal_hook::consts::SIGHUP;
    let mut signals = signal_hook::iterator::Signals::new(SIGNALS.into_iter().chain([SIGHUP]))?;
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                let signal = match signal {
                    SIGHUP => Signal::Reload,
                    _ => Signal::Stop,
                };
                // Nobody listens any more when the server stops.
                if sender.send(signal).is_err() {
                    break;
                }
            }
        })?;
    Ok(receiver)
}

#[cfg(not(unix))]
fn watch_for_first_signal() -> io::Result<Receiver<Signal>> {
    let signalled = Arc::new(AtomicBool::new(false));
    for signal in SIGNALS {
        signal_hook::flag::register(signal, signalled.clone())?;
    }
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            while !signalled.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(100));
            }
            // Nobody listens any more when the server stops.
            let _ = sender.send(Signal::Stop);
        })?;
    Ok(receiver)
}

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
