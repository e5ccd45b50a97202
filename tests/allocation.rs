//! Holds the server to allocating nothing while games run, and to giving back what users used.
//!
//! The test is one function, as the harness has no other thread that works while its only test
//! runs, and every thread that does not say otherwise counts as the server's.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "../tools/allocs/counting.rs"]
#[expect(dead_code, reason = "the tool uses more of it")]
mod counting;
#[path = "../tools/allocs/game.rs"]
#[expect(dead_code, reason = "the tool uses more of it")]
mod game;
#[path = "allocation/gateway.rs"]
mod gateway;
#[path = "allocation/minecraft.rs"]
mod minecraft;
#[path = "../tools/load/player.rs"]
#[expect(dead_code, reason = "the load tool uses more of it")]
mod player;
#[path = "allocation/transport.rs"]
mod transport;
#[path = "../tools/allocs/user.rs"]
#[expect(dead_code, reason = "the tool uses more of it")]
mod user;

use counting::Counting;
use samara::{
    config::Config,
    kaillera::{connect, message::ClientMessage},
    server::Server,
};
use std::{
    fmt::Debug,
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};
use user::User;

/// Frames during which nothing may be allocated.
const FRAMES: u32 = 10_000;
/// For anything that normally takes no time at all.
const PATIENCE: Duration = Duration::from_secs(20);

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn a_running_server_allocates_nothing_and_keeps_nothing() {
    counting::drive();
    the_count_can_fail();
    transport::allocates_nothing();
    gateway::allocates_nothing();
    minecraft::allocates_nothing();
    for (loops, workers) in [(1, 0), (2, 2)] {
        let server = start(loops, workers);
        let to = server.addresses()[0];
        for players in [2, 4, 8] {
            let names = (0..players).map(|n| format!("player {n}"));
            let mut users: Vec<_> = names.map(|it| User::log_in(to, &it).unwrap()).collect();
            game::begin(&mut users).unwrap();
            // A game's memory is made for the length of its first inputs.
            game::play(&mut users, 0).unwrap();
            let what = format!("{players} players, {loops} loops, {workers} workers");
            nothing_allocated(&what, || {
                (1..=FRAMES).for_each(|frame| game::play(&mut users, frame).unwrap());
            });
            users.into_iter().for_each(|user| user.log_out().unwrap());
        }
        nothing_allocated_for_the_idle(to);
        nothing_allocated_for_pages(to);
        assert_eq!(server.metrics().desyncs.get(), 0);
        nothing_kept(&server, to);
    }
}

/// A thread like the server's that does allocate is seen, the test's own is not.
fn the_count_can_fail() {
    let before = counting::of_the_server();
    let mine = std::hint::black_box(vec![1u8; 100]);
    assert_eq!(counting::of_the_server(), before);

    let live = counting::live_of_all();
    let server = thread::Builder::new().name("loop-0".into());
    let kept = server.spawn(|| std::hint::black_box(vec![2u8; 5000]));
    let kept = kept.unwrap().join().unwrap();
    assert!(counting::of_the_server().allocations > before.allocations);
    assert!(counting::of_the_server().bytes >= before.bytes + 5000);
    assert!(counting::live_of_all() >= live + 5000);
    drop((mine, kept));
}

fn nothing_allocated(what: &str, run: impl FnOnce()) {
    assert_eq!(allocations(run), 0, "allocations by the server: {what}");
}

fn allocations(run: impl FnOnce()) -> u64 {
    let before = counting::of_the_server().allocations;
    run();
    counting::of_the_server().allocations - before
}

/// Keepalives of users in the lobby, and the PINGs of anybody.
fn nothing_allocated_for_the_idle(to: SocketAddr) {
    let mut users = ["Ann", "Bob"].map(|name| User::log_in(to, name).unwrap());
    let anybody = user::socket(to).unwrap();
    let mut run = |rounds: u32| {
        for _ in 0..rounds {
            for user in &mut users {
                for _ in 0..8 {
                    user.say(&ClientMessage::KeepAlive).unwrap();
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
    // They may wait for a worker. Each loop then makes buffers once, and has enough of them for
    // whatever two inboxes take.
    let counts = [(); 3].map(|()| allocations(|| run(1000)));
    assert!(
        counts.contains(&0),
        "allocations by the server for keepalives and pings: {counts:?}"
    );
    users.into_iter().for_each(|user| user.log_out().unwrap());
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

/// Users come and go, and in the end 500 of them leave nothing behind.
///
/// The first ones may: buffers are made when more are needed at a time than ever before.
fn nothing_kept(server: &Server, to: SocketAddr) {
    // More at a time than ever after: seats are made when they are first used, each loop has its
    // own, and a wave may begin before the last one's seats are free again.
    wave(server, to, 6 * CROWD);
    let live_after_500 = |_| {
        for _ in 0..5 {
            wave(server, to, CROWD);
            (CROWD..100).for_each(|_| wave(server, to, 1));
        }
        at_rest()
    };
    let live: Vec<_> = (0..4).map(live_after_500).collect();
    assert!(
        live.windows(2).any(|pair| pair[0] == pair[1]),
        "live bytes after each 500 users: {live:?}"
    );
}

/// Live bytes once they have stayed the same for a while: a session counts as ended a moment
/// before its threads have put everything away.
fn at_rest() -> i64 {
    let mut live = counting::live_of_all();
    let mut since = Instant::now();
    while since.elapsed() < Duration::from_millis(300) {
        thread::sleep(Duration::from_millis(1));
        let new = counting::live_of_all();
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
    let mut users: Vec<_> = names.map(|name| User::knock(to, &name).unwrap()).collect();
    users.iter_mut().for_each(|user| user.enter().unwrap());
    users.into_iter().for_each(|user| user.log_out().unwrap());
    let witness = (server.metrics(), server.drops());
    wait_until(&witness, || server.sessions() == 0);
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

/// Waits; if in vain, `witness` tells of what.
fn wait_until(witness: &impl Debug, done: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "waited in vain for {witness:?}");
        thread::yield_now();
    }
}
