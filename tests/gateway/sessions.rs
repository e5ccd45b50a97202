//! Sessions of a server of one's own, on several loops and in the packet log.

use super::{config, wait_until};
use crate::peer::{COMES_IN, LOGIN, Stream};
use samara::{
    config::Config,
    maple::Profile,
    net::tcp::ConnectionId,
    server::{Place, Server},
    service::maple::{Address, Handler, MapleService, Post, Sessions, Settings},
    timer::Time,
};
use std::{
    collections::BTreeSet,
    fs,
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex},
};

/// Says back what it hears: to all for opcode 0x32, by way of a number of its list for 0x33; ends
/// the session of that number for 0x34.
#[derive(Clone, Debug, Default)]
struct Square {
    everybody: Arc<Mutex<Vec<Address>>>,
}

impl Handler for Square {
    fn opened(&mut self, _: Time, id: ConnectionId, all: &mut Sessions<'_>) {
        self.everybody.lock().unwrap().push(all.address(id));
    }

    fn packet(&mut self, _: Time, id: ConnectionId, payload: &mut [u8], all: &mut Sessions<'_>) {
        let everybody = self.everybody.lock().unwrap().clone();
        match payload {
            [0x32, ..] => _ = all.broadcast_to(everybody, payload).unwrap(),
            [0x33, _, number, ..] => {
                let to = everybody[usize::from(*number)];
                all.send_to(to, payload).unwrap();
            }
            [0x34, _, number] => all.close_at(everybody[usize::from(*number)]).unwrap(),
            _ => all.send(id, payload).unwrap(),
        }
    }
}

fn serve(config: &Config, square: &Square, post: &Post) -> Server {
    let server = Server::start_with(config, |place: &Place| {
        let settings = Settings::new(Profile::GMS_83);
        let service = MapleService::new(square.clone(), settings, place.metrics.clone())
            .reachable(post, place.index as u16, place.bell.clone())
            .with_log(place.packet_log.as_ref());
        vec![Box::new(service)]
    });
    server.unwrap()
}

fn without_gateway() -> Config {
    let mut config = config(SocketAddr::from(([127, 0, 0, 1], 1)));
    config.gateway.login = None;
    config
}

#[test]
fn sessions_of_all_loops_are_reached() {
    const CLIENTS: usize = 24;
    let mut config = without_gateway();
    config.net.loops = 3;
    let (square, post) = (Square::default(), Post::new());
    let server = serve(&config, &square, &post);
    let address = server.addresses()[0];
    // One after the other, so that their order is that of the list.
    let mut clients: Vec<_> = (0..CLIENTS)
        .map(|n| {
            let client = Stream::connect(address);
            wait_until("it is listed", || {
                square.everybody.lock().unwrap().len() > n
            });
            client
        })
        .collect();
    let everybody = square.everybody.lock().unwrap().clone();
    let homes: BTreeSet<u16> = everybody.iter().map(|it| it.home).collect();
    if cfg!(target_os = "linux") {
        assert!(homes.len() > 1, "all are on one loop: {homes:?}");
    }

    let long = [&b"\x32\0"[..], &[9; 5000]].concat();
    for payload in [&b"\x32\0to all"[..], &long] {
        clients[5].send(payload);
        for client in &mut clients {
            assert_eq!(client.receive().as_deref(), Some(payload));
        }
    }
    for number in 0..CLIENTS {
        let payload = [0x33, 0, number as u8, 77];
        clients[1].send(&payload);
        assert_eq!(clients[number].receive().as_deref(), Some(&payload[..]));
    }
    post.broadcast_all(b"\x44\0from a thread").unwrap();
    for client in &mut clients {
        let heard = client.receive();
        assert_eq!(heard.as_deref(), Some(&b"\x44\0from a thread"[..]));
    }
    for number in (1..CLIENTS as u8).rev() {
        clients[0].send(&[0x34, 0, number]);
        assert_eq!(clients[usize::from(number)].receive(), None);
        clients.pop();
    }
    wait_until("their sessions end", || server.connections() == 1);
    assert_eq!(clients[0].ask(b"\x31\0").as_deref(), Some(&b"\x31\0"[..]));
    assert_eq!(server.metrics().maple_mail_drops.get(), 0);
}

#[test]
fn sessions_are_logged_without_passwords() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("session-packets.json");
    let _ = fs::remove_file(&path);
    let text = format!("[packet_log]\nfile = {:?}\n", path.display().to_string());
    let mut config = without_gateway();
    config.packet_log = Config::parse("test", &text).unwrap().packet_log;
    let server = serve(&config, &Square::default(), &Post::new());
    let address = server.addresses()[0];
    let (hi, all) = (&b"\x31\0hi"[..], &b"\x32\0all"[..]);
    // Who does not begin by coming in from elsewhere may still say a password.
    for says in [[LOGIN, hi], [COMES_IN, all]] {
        let mut client = Stream::connect(address);
        for packet in says {
            assert_eq!(client.ask(packet).as_deref(), Some(packet));
        }
        drop(client);
        wait_until("its session ends", || server.connections() == 0);
    }
    drop(server);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 8, "{text}");
    let is = |line: usize, session: u32, direction: &str, shown: &str| {
        let line = lines[line];
        let head = format!(
            r#""service":"maple","version":83,"session":{session},"direction":"{direction}""#
        );
        assert!(line.contains(&head) && line.contains(shown), "{line}");
    };
    is(0, 1, "to_server", r#""payload":"0100","masked":true"#);
    is(1, 1, "to_client", r#""payload":"01006E616D65"#);
    is(2, 1, "to_server", r#""payload":"3100","masked":true"#);
    is(3, 1, "to_client", r#""payload":"31006869"}"#);
    is(4, 2, "to_server", r#""payload":"1400","masked":true"#);
    is(5, 2, "to_client", r#""payload":"140031750000"#);
    is(6, 2, "to_server", r#""payload":"3200616C6C"}"#);
    is(7, 2, "to_client", r#""payload":"3200616C6C"}"#);
    fs::remove_file(&path).unwrap();
}
