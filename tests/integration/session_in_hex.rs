//! The session of kaillera.md 19, byte for byte: two sockets send exactly what its clients
//! send, and what they are sent is compared message by message.
//!
//! Compared loosely, because the rules leave them open:
//! - the port in HELLOD00D is the server's own,
//! - pings are measured (but the delays that follow from them are exact, see [`Outcome`]),
//! - the words of the server's own lines: these are taken out on both sides, and so message
//!   numbers, which they shift, must only go up one by one,
//! - what both clients are sent at the same moment has no order between the two,
//! - the standard words for a Quit without words.
//!
//! Kinds, their order, names, ids, statuses, counts, lines of users, game data and cache
//! indices are exact.

use crate::support::{PATIENCE, config, serve};
use samara::kaillera::{
    bundle::{Bundle, MessageNumber},
    connect::{Reply, parse_reply},
    message::ServerMessage,
};
use serde_json::{Value, json};
use std::{
    net::{SocketAddr, UdpSocket},
    thread,
    time::{Duration, Instant},
};

const SESSION: &str = include_str!("../data/kaillera.json");

/// Milliseconds between Bob's acks, so that his delay is 2 as in the session.
const BOBS_PAUSE: u64 = 21;

/// How a run ended.
enum Outcome {
    Played,
    /// The machine was too busy for pings that give the delays of the session.
    OtherDelays,
}

/// One of the two sockets.
struct End {
    name: &'static str,
    socket: UdpSocket,
    last: Option<MessageNumber>,
    replies: Vec<Reply>,
    /// What it is compared by, oldest first.
    messages: Vec<Value>,
}

impl End {
    fn new(name: &'static str, server: SocketAddr) -> Self {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
        socket.connect(server).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_millis(20)))
            .unwrap();
        Self {
            name,
            socket,
            last: None,
            replies: Vec::new(),
            messages: Vec::new(),
        }
    }

    fn receive(&mut self) {
        let mut buffer = [0; 4096];
        if let Ok(length) = self.socket.recv(&mut buffer) {
            self.take(&buffer[..length]);
        }
    }

    fn take(&mut self, datagram: &[u8]) {
        if let Some(reply) = parse_reply(datagram) {
            self.replies.push(reply);
            return;
        }
        let bundle = Bundle::parse(datagram).unwrap();
        for raw in bundle.oldest_first() {
            if !raw.number.order_after(self.last).is_new() {
                continue;
            }
            let next = self.last.map_or(MessageNumber(0), MessageNumber::next);
            assert_eq!(raw.number, next, "{} misses something", self.name);
            self.last = Some(raw.number);
            let message = ServerMessage::decode(raw.kind, raw.body).unwrap();
            self.messages.extend(essence(&message));
        }
    }
}

/// What two messages are compared by; none for the server's own lines.
fn essence(message: &ServerMessage<'_>) -> Option<Value> {
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let body = match *message {
        ServerMessage::InformationMessage { .. } => return None,
        ServerMessage::GameChat {
            name: b"Server", ..
        } => return None,
        ServerMessage::Quit { name, id, message } => {
            let message = match message {
                b"Normal Client Exit" | b"Left the server" => "standard".to_owned(),
                other => text(other),
            };
            json!([text(name), id.0, message])
        }
        ServerMessage::UserJoined {
            name,
            id,
            connection_type,
            ..
        } => json!([text(name), id.0, connection_type as u8]),
        ServerMessage::ServerStatus { users, games, .. } => {
            let listed = message.users().map(|user| {
                let connection_type = user.connection_type as u8;
                json!([text(user.name), user.status, user.id.0, connection_type])
            });
            assert_eq!(games, 0, "the session has no room at a login");
            json!([users, games, listed.collect::<Vec<_>>()])
        }
        ServerMessage::JoinGame {
            game,
            name,
            id,
            connection_type,
            ..
        } => json!([game.0, text(name), id.0, connection_type as u8]),
        ServerMessage::PlayerInformation { players, .. } => {
            let listed = message.players().map(|player| {
                let connection_type = player.connection_type as u8;
                json!([text(player.name), player.id.0, connection_type])
            });
            json!([players, listed.collect::<Vec<_>>()])
        }
        // Nothing in the others is left open: all of their fields.
        _ => json!(format!("{message:?}")),
    };
    Some(json!([format!("{:?}", message.kind()), body]))
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap();
    let pairs = (0..digits.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

/// Waits until both ends have been sent as much as the session's have.
fn catch_up(ends: &mut [End; 2], session: &[End; 2]) {
    let deadline = Instant::now() + PATIENCE;
    for (end, expected) in ends.iter_mut().zip(session) {
        while end.messages.len() < expected.messages.len()
            || end.replies.len() < expected.replies.len()
        {
            end.receive();
            assert!(
                Instant::now() < deadline,
                "{} waits for {:?}",
                end.name,
                expected.messages[end.messages.len()..].first()
            );
        }
    }
}

/// Whether the delays are those of the session.
fn delays_fit(ends: &[End; 2], session: &[End; 2]) -> bool {
    let start = |end: &End| {
        let mut messages = end.messages.iter();
        messages.find(|it| it[0] == "StartGame").cloned()
    };
    ends.iter()
        .zip(session)
        .all(|(end, expected)| start(end).is_none() || start(end) == start(expected))
}

fn run(datagrams: &[Value]) -> Outcome {
    let (server, address) = serve(&config());
    let mut ends = ["Ann", "Bob"].map(|name| End::new(name, address));
    // What the session's two ends are sent, as far as it has come.
    let mut session = ["Ann", "Bob"].map(|name| End::new(name, address));
    let mut datagrams = datagrams.iter().peekable();
    let mut sent = 0;
    while let Some(datagram) = datagrams.next() {
        let index = usize::from(datagram["client"] == "B");
        let data = bytes(&datagram["hex"]);
        if datagram["direction"] == "server_to_client" {
            session[index].take(&data);
        } else {
            if index == 1 && datagram["newest"] == "ClientAck" {
                thread::sleep(Duration::from_millis(BOBS_PAUSE));
            }
            ends[index].socket.send(&data).unwrap();
            sent += 1;
        }
        let answered = datagrams
            .peek()
            .is_none_or(|next| next["direction"] == "client_to_server");
        if answered {
            catch_up(&mut ends, &session);
            if !delays_fit(&ends, &session) {
                return Outcome::OtherDelays;
            }
            for (end, expected) in ends.iter().zip(&session) {
                assert_eq!(end.messages, expected.messages, "{}", end.name);
            }
        }
    }
    assert_eq!(sent, 71, "datagrams of the session's clients");
    for end in &ends {
        let port = Reply::Port(address.port());
        assert_eq!(end.replies, [Reply::Pong, port]);
    }
    assert_eq!(server.drops().total(), 0);
    Outcome::Played
}

#[test]
fn the_derived_session_of_two_players() {
    let vectors: Value = serde_json::from_str(SESSION).unwrap();
    let session = &vectors["derived_two_player_session"];
    let datagrams = session["datagrams"].as_array().unwrap();
    for _ in 0..20 {
        if let Outcome::Played = run(datagrams) {
            return;
        }
    }
    panic!("no run of twenty had pings like those of the session");
}
