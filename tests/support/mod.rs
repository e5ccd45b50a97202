//! A server and blocking players over real loopback sockets, for any test binary.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "each test binary is a crate that uses a part"
)]

mod cache;
mod client;
mod conf;
mod identity;
mod inputs;
mod player;
mod program;
mod stub;
mod table;

pub use client::Client;
pub use conf::Conf;
pub use identity::Identity;
pub use inputs::{Recipe, hash};
pub use player::{PATIENCE, Player, Received, Start};
pub use program::Program;
pub use stub::{Asked, Stub, answer};
pub use table::Table;

use samara::{config::Config, server::Server};
use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

/// A server on a free loopback port, on one loop, without flood limits.
pub fn config() -> Config {
    let mut config = Config::default();
    config.net.bind = vec![Ipv4Addr::LOCALHOST.into()];
    config.net.port = 0;
    config.net.loops = 1;
    config.net.workers = 0;
    config.rules.chat_flood = Duration::ZERO;
    config.rules.create_game_flood = Duration::ZERO;
    config.limits.sessions = 256;
    config
}

/// The same on so many loops and workers.
pub fn threads(loops: usize, workers: usize) -> Config {
    let mut config = config();
    config.net.loops = loops;
    config.net.workers = workers;
    config
}

/// The server and where it listens.
pub fn serve(config: &Config) -> (Server, SocketAddr) {
    let server = Server::start(config).unwrap();
    let address = server.addresses()[0];
    (server, address)
}

/// Waits until `done`, in small steps; fails after [`PATIENCE`].
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = std::time::Instant::now() + PATIENCE;
    while !done() {
        assert!(std::time::Instant::now() < deadline, "never came: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// So many players in one room of the first one's, which takes them all.
pub fn room(server: SocketAddr, identities: &[Identity]) -> Vec<Player> {
    let mut players: Vec<Player> = Vec::with_capacity(identities.len());
    let mut game = None;
    for identity in identities {
        let mut player = Player::log_in(server, identity);
        match game {
            None => {
                game = Some(player.create(b"Game"));
                if identities.len() > 8 {
                    player.game_chat(b"/maxusers 16");
                    player.expect_game_chat(b"Server", |text| text.contains("16"));
                }
            }
            Some(game) => player.join(game),
        }
        players.push(player);
        players.iter_mut().for_each(Player::pump);
    }
    players
}
