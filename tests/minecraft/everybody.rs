//! Kaillera, Maple and Minecraft on one port.

use super::{
    NAME, Upstream,
    listing::description,
    maple::{LOGIN, Stream, Upstream as MapleServer},
    play,
    support::{Identity, Player},
};
use samara::{
    config::Config,
    minecraft::{Text, packets::play::serverbound},
    server::Server,
};
use std::{
    io::{Read, Write},
    net::TcpStream,
};

#[test]
fn one_port_serves_everybody() {
    let maple = MapleServer::start(None);
    let minecraft = Upstream::start();
    let text = format!(
        "[net]\nbind = [\"127.0.0.1\"]\nport = 0\n[tcp]\nsniff_delay_ms = 1\n\
         [gateway]\nlogin = \"{}\"\n[minecraft]\nupstream = \"{}\"\nplayers = [\"{NAME}\"]\n",
        maple.address, minecraft.address
    );
    let config = Config::parse("test", &text).unwrap();
    let server = Server::start(&config).unwrap();
    let to = server.addresses()[0];

    let mut emulator = Player::log_in(to, &Identity::new("Ann"));
    emulator.create(b"Game");
    let mut adventurer = Stream::connect(to);
    let (mut miner, mut world) = play(&minecraft, to);
    for _ in 0..100 {
        emulator.ping();
        assert_eq!(adventurer.ask(LOGIN).as_deref(), Some(LOGIN));
        miner.send(&serverbound::Chat {
            message: Text::cut("hello"),
        });
        world.receive_id(2);
    }
    let json = description(to, 340, usize::MAX);
    assert_eq!(json["players"]["online"], 1);
    assert_eq!(json["description"]["text"], "Samara: 1 users in 1 rooms");
    let request = b"GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let mut browser = TcpStream::connect(to).unwrap();
    browser.write_all(request).unwrap();
    let mut page = String::new();
    browser.read_to_string(&mut page).unwrap();
    for line in [
        "samara_maple_relayed_in_total 100",
        "samara_minecraft_sessions 1",
        "samara_minecraft_sessions_begun_total 1",
        "samara_minecraft_relayed_in_total 100",
    ] {
        assert!(page.contains(&format!("\n{line}\n")), "{line}: {page}");
    }
}
