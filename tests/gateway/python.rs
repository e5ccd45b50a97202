//! A peer written in another language from the protocol's description, so that both sides share
//! no code. Without `python3` on the machine these tests say so and do nothing.

use super::{World, config, start};
use samara::{maple::Profile, server::Server, service::maple::MapleService};
use std::{
    io::{BufRead, BufReader, Write},
    net::{Ipv4Addr, SocketAddr},
    process::{Child, ChildStdout, Command, Stdio},
};

struct Peer {
    process: Child,
    says: BufReader<ChildStdout>,
}

impl Peer {
    fn start(role: &str) -> Option<Self> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gateway/peer.py");
        let process = Command::new("python3")
            .args([script, role])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut process) = process else {
            eprintln!("skipped: there is no python3 on this machine");
            return None;
        };
        let says = BufReader::new(process.stdout.take().unwrap());
        Some(Self { process, says })
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.says.read_line(&mut line).unwrap();
        line
    }

    fn play(mut self, server: SocketAddr) {
        let stdin = self.process.stdin.as_mut().unwrap();
        writeln!(stdin, "{}", server.port()).unwrap();
        assert_eq!(self.line(), "well\n");
        assert!(self.process.wait().unwrap().success());
    }
}

#[test]
fn its_client_and_servers_play_through_the_gateway() {
    let Some(mut peer) = Peer::start("servers") else {
        return;
    };
    let ports = peer.line();
    let login = ports.split_whitespace().next().unwrap().parse().unwrap();
    let (_server, address) = start((Ipv4Addr::LOCALHOST, login).into());
    peer.play(address);
}

#[test]
fn its_client_plays_in_a_world_of_ours() {
    let Some(peer) = Peer::start("client") else {
        return;
    };
    let mut config = config((Ipv4Addr::LOCALHOST, 1).into());
    config.gateway.login = None;
    let server = Server::start_with(&config, |place| {
        let settings = samara::service::maple::Settings::new(Profile::GMS_83);
        vec![Box::new(MapleService::new(
            World::default(),
            settings,
            place.metrics.clone(),
        ))]
    });
    let server = server.unwrap();
    peer.play(server.addresses()[0]);
}
