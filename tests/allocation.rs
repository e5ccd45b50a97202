//! Holds the server to allocating nothing while games run, and to giving back what users used.
//!
//! Every thread but the test's own is the server's: whatever thread it starts is counted, and
//! from its first instruction. The test is one function, as the harness has no other thread
//! that works while its only test runs.

#![allow(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "../tools/load/player.rs"]
#[expect(dead_code, reason = "the load tool uses more of it")]
mod player;
#[path = "allocation/transport.rs"]
mod transport;

use player::{HELLO, Player, Told};
use samara::{
    config::Config,
    kaillera::{
        connect,
        message::{ClientMessage, ConnectionType, GameId},
    },
    server::Server,
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket},
    ptr,
    sync::atomic::{AtomicIsize, AtomicPtr, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Frames of a game before it is looked at: more than the caches hold.
const WARM_UP: u32 = 600;
/// Frames during which nothing may be allocated.
const FRAMES: u32 = 10_000;
/// For anything that normally takes no time at all.
const PATIENCE: Duration = Duration::from_secs(20);
/// The same for the server's answer to a Quit.
const LAST_WORD: Duration = Duration::from_secs(2);

#[global_allocator]
static COUNTING: Counting = Counting;

/// The system's allocator, with two numbers.
struct Counting;

/// Allocations by threads that are not the test's.
static OF_THE_SERVER: AtomicUsize = AtomicUsize::new(0);
/// Bytes nobody has freed, of all threads: memory may be freed on another than its own.
static LIVE: AtomicIsize = AtomicIsize::new(0);
/// Where the harness's own thread, the first of the process to allocate, keeps [`MINE`].
static FIRST: AtomicPtr<Cell<bool>> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// Whether the thread is one of the test's. Constant and without a destructor, so that
    /// looking at it allocates nothing and works from a thread's first to its last moment.
    static MINE: Cell<bool> = const { Cell::new(false) };
}

fn count(old: usize, new: usize) {
    LIVE.fetch_add(new as isize - old as isize, Ordering::Relaxed);
    let mine = MINE.with(|mine| {
        let here = ptr::from_ref(mine).cast_mut();
        let nowhere = ptr::null_mut();
        let first = FIRST.compare_exchange(nowhere, here, Ordering::Relaxed, Ordering::Relaxed);
        mine.get() || first.map_or_else(|first| first == here, |_| true)
    });
    if new > 0 && !mine {
        OF_THE_SERVER.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator with the caller's own arguments, and its
// answer is the caller's; counting neither allocates nor touches the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        // SAFETY: the caller keeps the contract of this very method.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(layout.size(), new_size);
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, new_size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(layout.size(), 0);
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[test]
fn a_running_server_allocates_nothing_and_keeps_nothing() {
    MINE.set(true);
    the_count_can_fail();
    transport::allocates_nothing();
    for (loops, workers) in [(1, 0), (2, 2)] {
        let server = start(loops, workers);
        let to = server.addresses()[0];
        for players in [2, 4, 8] {
            let mut room = Room::start(to, players);
            room.play(WARM_UP);
            let what = format!("{players} players, {loops} loops, {workers} workers");
            nothing_allocated(&what, || room.play(FRAMES));
            room.leave();
        }
        nothing_allocated_for_the_idle(to);
        nothing_allocated_for_pages(to);
        assert_eq!(server.metrics().desyncs.get(), 0);
        nothing_kept(&server, to);
    }
}

/// A thread like the server's that does allocate is seen, the test's own is not.
fn the_count_can_fail() {
    let before = OF_THE_SERVER.load(Ordering::Relaxed);
    let mine = std::hint::black_box(vec![1u8; 100]);
    assert_eq!(OF_THE_SERVER.load(Ordering::Relaxed), before);

    let live = LIVE.load(Ordering::Relaxed);
    let server = thread::Builder::new().name("loop-0".into());
    let kept = server.spawn(|| std::hint::black_box(vec![2u8; 5000]));
    let kept = kept.unwrap().join().unwrap();
    assert!(OF_THE_SERVER.load(Ordering::Relaxed) > before);
    assert!(LIVE.load(Ordering::Relaxed) >= live + 5000);
    drop((mine, kept));
}

fn nothing_allocated(what: &str, run: impl FnOnce()) {
    let before = OF_THE_SERVER.load(Ordering::Relaxed);
    run();
    let allocations = OF_THE_SERVER.load(Ordering::Relaxed) - before;
    assert_eq!(allocations, 0, "allocations by the server: {what}");
}

/// Keepalives of users in the lobby, and the PINGs of anybody.
fn nothing_allocated_for_the_idle(to: SocketAddr) {
    let mut users = [User::log_in(to, "Ann"), User::log_in(to, "Bob")];
    let anybody = socket(to);
    let mut run = |rounds: u32| {
        for _ in 0..rounds {
            for user in &mut users {
                for _ in 0..8 {
                    user.say(&ClientMessage::KeepAlive);
                }
            }
            // The answer keeps the keepalives from outrunning the server.
            anybody.send(connect::PING).unwrap();
            let mut answer = [0; 16];
            let length = anybody.recv(&mut answer).unwrap();
            assert_eq!(&answer[..length], connect::PONG);
        }
    };
    run(50);
    nothing_allocated("keepalives and pings", || run(1000));
    users.into_iter().for_each(User::log_out);
}

/// Requests over TCP.
fn nothing_allocated_for_pages(to: SocketAddr) {
    let mut stream = TcpStream::connect(to).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut answer = vec![0; 64 << 10];
    let mut ask = |page: &str| {
        let request = format!("GET {page} HTTP/1.1\r\nHost: a\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        while !is_answer(&answer[..length]) {
            length += stream.read(&mut answer[length..]).unwrap();
        }
    };
    let mut run = |rounds: u32| {
        for _ in 0..rounds {
            ask("/health");
            ask("/metrics");
        }
    };
    run(20);
    nothing_allocated("pages", || run(500));
}

fn is_answer(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).unwrap();
    text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
        let length = head.split_once("Content-Length: ").unwrap().1;
        length.lines().next().unwrap().parse() == Ok(body.len())
    })
}

/// What 500 users left behind is what 2,000 did.
fn nothing_kept(server: &Server, to: SocketAddr) {
    // More at a time than ever after: seats are made when they are first used, each loop has its
    // own, and a wave may begin before the last one's seats are free again.
    wave(server, to, 6 * CROWD);
    let live_after = |users: usize| {
        for _ in 0..users / 100 {
            wave(server, to, CROWD);
            (CROWD..100).for_each(|_| wave(server, to, 1));
        }
        at_rest()
    };
    let after_500 = live_after(500);
    let after_2000 = live_after(1500);
    assert_eq!(
        after_2000, after_500,
        "live bytes after 2,000 and 500 users"
    );
}

/// Live bytes once they have stayed the same for a while: a session counts as ended a moment
/// before its threads have put everything away.
fn at_rest() -> isize {
    let mut live = LIVE.load(Ordering::Relaxed);
    let mut since = Instant::now();
    while since.elapsed() < Duration::from_millis(300) {
        thread::sleep(Duration::from_millis(1));
        let new = LIVE.load(Ordering::Relaxed);
        if new != live {
            (live, since) = (new, Instant::now());
        }
    }
    live
}

/// Users of which each sees all the others come.
const CROWD: usize = 10;

fn wave(server: &Server, to: SocketAddr, users: usize) {
    let names = (0..users).map(|n| format!("user {n}"));
    let mut users: Vec<_> = names.map(|name| User::knock(to, &name)).collect();
    users.iter_mut().for_each(User::enter);
    users.into_iter().for_each(User::log_out);
    wait_until(|| server.sessions() == 0);
}

fn start(loops: usize, workers: usize) -> Server {
    let mut config = Config::default();
    config.net.bind = vec![Ipv4Addr::LOCALHOST.into()];
    config.net.port = 0;
    config.net.loops = loops;
    config.net.workers = workers;
    config.limits.hello_per_second_per_address = 100_000;
    Server::start(&config).unwrap()
}

fn socket(to: SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.connect(to).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}

fn wait_until(done: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "waited in vain");
        thread::yield_now();
    }
}

/// A player and its socket.
struct User {
    player: Player,
    socket: UdpSocket,
}

impl User {
    fn log_in(to: SocketAddr, name: &str) -> Self {
        let mut user = Self::knock(to, name);
        user.enter();
        user
    }

    /// Begins to log in.
    fn knock(to: SocketAddr, name: &str) -> Self {
        let socket = socket(to);
        socket.send(HELLO).unwrap();
        let mut answer = [0; 32];
        let length = socket.recv(&mut answer).unwrap();
        let port = connect::parse_reply(&answer[..length]);
        assert_eq!(port, Some(connect::Reply::Port(to.port())));
        let mut user = Self {
            player: Player::new(name.as_bytes(), ConnectionType::Lan),
            socket,
        };
        user.player.log_in(|it| send(&user.socket, it)).unwrap();
        user
    }

    fn enter(&mut self) {
        self.wait_for(|told| matches!(told, Told::LoggedIn).then_some(()));
    }

    fn say(&mut self, message: &ClientMessage<'_>) {
        self.player
            .say(message, |it| send(&self.socket, it))
            .unwrap();
    }

    /// Receives until one of the things told is what is waited for.
    fn wait_for<T>(&mut self, mut wanted: impl FnMut(Told<'_>) -> Option<T>) -> T {
        let mut found = None;
        let mut datagram = [0; 8192];
        while found.is_none() {
            let length = self.socket.recv(&mut datagram).unwrap();
            let each = |told: Told<'_>| {
                assert!(!matches!(told, Told::Lost(_)), "{told:?}");
                found = found.take().or_else(|| wanted(told));
            };
            self.player
                .receive(&datagram[..length], |it| send(&self.socket, it), each)
                .unwrap();
        }
        found.unwrap()
    }

    /// Quits, and listens until the server says so too. A last word can be lost; whether the
    /// session is gone is for the server to tell.
    fn log_out(mut self) {
        self.say(&ClientMessage::Quit { message: b"" });
        self.socket.set_read_timeout(Some(LAST_WORD)).unwrap();
        let mut datagram = [0; 8192];
        let mut out = false;
        while !out && let Ok(length) = self.socket.recv(&mut datagram) {
            let each = |told: Told<'_>| out |= matches!(told, Told::Out);
            let answer = |it: &[u8]| send(&self.socket, it);
            self.player
                .receive(&datagram[..length], answer, each)
                .unwrap();
        }
    }
}

fn send(socket: &UdpSocket, datagram: &[u8]) {
    socket.send(datagram).unwrap();
}

/// A game that runs.
struct Room {
    users: Vec<User>,
    frame: u32,
}

impl Room {
    fn start(to: SocketAddr, players: u32) -> Self {
        let users = (0..players).map(|n| User::log_in(to, &format!("player {n}")));
        let mut users: Vec<_> = users.collect();
        users[0].say(&ClientMessage::CreateGame { rom: b"a game" });
        let game: GameId = users[0].wait_for(|told| match told {
            Told::Opened(game) => Some(game),
            _ => None,
        });
        for user in &mut users[1..] {
            user.say(&ClientMessage::JoinGame { game });
            user.wait_for(|told| matches!(told, Told::Entered).then_some(()));
        }
        users[0].say(&ClientMessage::StartGame);
        for user in &mut users {
            user.wait_for(|told| matches!(told, Told::Starts { .. }).then_some(()));
        }
        for user in &mut users {
            user.wait_for(|told| matches!(told, Told::Go).then_some(()));
        }
        Self { users, frame: 0 }
    }

    /// Plays in lockstep: two in three inputs are held, the others are new or seldom.
    fn play(&mut self, frames: u32) {
        for _ in 0..frames {
            for (index, User { player, socket }) in self.users.iter_mut().enumerate() {
                let step = self.frame / 3 + index as u32;
                let value = if step.is_multiple_of(2) {
                    step
                } else {
                    step % 500
                };
                player
                    .play(&value.to_le_bytes(), |it| send(socket, it))
                    .unwrap();
            }
            for user in &mut self.users {
                user.wait_for(|told| matches!(told, Told::Frames(_)).then_some(()));
            }
            self.frame += 1;
        }
    }

    fn leave(self) {
        self.users.into_iter().for_each(User::log_out);
    }
}
