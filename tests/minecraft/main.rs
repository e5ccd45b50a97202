//! Minecraft as its clients and a server behind see it, all of them with sockets of their own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod everybody;
mod hostile;
mod listing;
mod login;
#[path = "../gateway/peer.rs"]
#[expect(dead_code, reason = "the gateway's tests use more of it")]
mod maple;
mod peer;
mod playing;
#[path = "../support/mod.rs"]
mod support;

use peer::{NAME, PATIENCE, Peer, Upstream};
use samara::{config::Config, server::Server};
use std::{
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

/// A server on a free port with these lines in its section for Minecraft.
fn start(minecraft: &str) -> (Server, SocketAddr) {
    start_with("loops = 1", minecraft)
}

fn start_with(net: &str, minecraft: &str) -> (Server, SocketAddr) {
    let text = format!(
        "[net]\nbind = [\"127.0.0.1\"]\nport = 0\n{net}\n\
         [tcp]\nconnections_per_address = 4096\n[minecraft]\n{minecraft}\n"
    );
    let config = Config::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let server = Server::start(&config).unwrap();
    let address = server.addresses()[0];
    (server, address)
}

/// In front of `upstream`, for the player of these tests.
fn start_idle(upstream: &Upstream, more: &str) -> (Server, SocketAddr) {
    let address = upstream.address;
    let keys = format!("upstream = \"{address}\"\nplayers = [\"{NAME}\"]\n{more}");
    start(&keys)
}

/// A player and its upstream, with a world between them.
fn play(upstream: &Upstream, to: SocketAddr) -> (Peer, Peer) {
    let mut client = Peer::login(to, NAME);
    let server = upstream.welcome();
    client.enter();
    client.receive_until(0x2F);
    (client, server)
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let since = Instant::now();
    while !done() {
        assert!(since.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}
