use super::*;
use crate::{
    kaillera::{
        bundle::{Bundle, BundleWriter, MessageNumber},
        client::{Client, Habits},
        message::{ClientMessage, ConnectionType},
    },
    net::{
        Service as _,
        sys::{Arrival, Transmit},
    },
    timer::Time,
};
use std::net::SocketAddr;

/// The service's parts, turned by hand.
struct Bench {
    parts: Parts,
    received: FramePool,
}

impl Bench {
    fn new(loops: usize, workers: usize, limits: Limits) -> Self {
        let settings = Settings {
            limits,
            ..Settings::default()
        };
        Self {
            parts: build(settings, loops, workers, &[27888]),
            received: FramePool::new(1024, FRAME_SIZE),
        }
    }

    fn datagram(&mut self, peer: SocketAddr, bytes: &[u8]) {
        let mut frame = self.received.try_take().unwrap();
        frame.copy_from(bytes).unwrap();
        self.parts.loops[0].datagram(Time::ZERO, 0, Arrival { peer, local: None }, frame);
    }

    fn turn_all(&mut self) {
        self.sent_at(Time::ZERO);
    }

    /// Turns everything and takes what goes out.
    fn sent_at(&mut self, now: Time) -> Vec<Transmit> {
        let mut sent = Vec::new();
        for _ in 0..10 {
            for worker in &mut self.parts.workers {
                worker.turn(now);
            }
            self.parts.loops[0].turn(now);
            sent.extend(self.parts.loops[0].queue(0).unwrap().drain(..));
        }
        sent
    }

    fn log_in(&mut self, peer: SocketAddr, name: &[u8]) -> Client {
        let mut client = Client::new(Habits::default());
        let mut out = [0; 2048];
        let login = ClientMessage::UserInformation {
            name,
            emulator: b"emulator",
            connection_type: ConnectionType::Lan,
        };
        for message in [login, ClientMessage::ClientAck, ClientMessage::ClientAck] {
            let length = client.send(&message, &mut out).unwrap();
            self.datagram(peer, &out[..length]);
            self.turn_all();
        }
        for _ in 0..2 {
            let length = client.send(&ClientMessage::ClientAck, &mut out).unwrap();
            self.datagram(peer, &out[..length]);
            self.turn_all();
        }
        client
    }
}

#[test]
fn a_flood_of_full_bundles_leaves_the_buffers_of_games_alone() {
    let limits = Limits {
        sessions: 4,
        frames_out: 256,
        ..Limits::default()
    };
    let mut bench = Bench::new(1, 2, limits);
    let address = |port| SocketAddr::from(([127, 0, 0, 1], port));
    bench.log_in(address(1), b"bystander");
    bench.log_in(address(2), b"flooder");
    assert_eq!(bench.parts.control.users(), 2);
    let chat = [0x07, 0, b'x', 0];
    for bundle in 0..100u16 {
        let mut out = [0; 2048];
        let mut writer = BundleWriter::new(&mut out);
        for age in 0..32 {
            writer
                .push(MessageNumber(5 + bundle * 32 + 31 - age), &chat)
                .unwrap();
        }
        let length = writer.finish();
        bench.datagram(address(2), &out[..length]);
    }
    // Only the flooder's worker runs: the lobby, on the other one, takes nothing.
    for _ in 0..20 {
        bench.parts.workers[1].turn(Time::ZERO);
    }
    let (available, capacity) = bench.parts.control.frames();
    assert!(available > capacity / 2, "{available} of {capacity}");
}

#[test]
fn one_that_leaves_is_told_so_however_much_waited_for_it() {
    let mut bench = Bench::new(1, 0, Limits::default());
    let address = |port| SocketAddr::from(([127, 0, 0, 1], port));
    let mut leaver = bench.log_in(address(1), b"leaver");
    for port in 2..60 {
        bench.log_in(address(port), format!("user {port}").as_bytes());
    }
    let mut out = [0; 2048];
    let quit = ClientMessage::Quit { message: b"bye" };
    let length = leaver.send(&quit, &mut out).unwrap();
    bench.datagram(address(1), &out[..length]);
    let told = (0..4).any(|n| {
        let sent = bench.sent_at(Time::from_millis(n * 25));
        sent.iter().any(|transmit| {
            let bundle = Bundle::parse(&transmit.frame).unwrap();
            transmit.peer == address(1) && bundle.newest_first().any(|message| message.kind == 1)
        })
    });
    assert!(told);
    bench.sent_at(Time::from_millis(200));
    assert_eq!(bench.parts.control.sessions(), 58);
}

#[test]
fn shorter_timeouts_count_within_a_minute_for_who_is_online() {
    let mut bench = Bench::new(1, 0, Limits::default());
    let second = |seconds: u64| Time::from_millis(seconds * 1000);
    bench.log_in(([127, 0, 0, 1], 1).into(), b"silent");
    let rules = Rules {
        keepalive_timeout: Duration::from_secs(20),
        ..Rules::default()
    };
    bench.sent_at(second(1));
    assert!(bench.parts.control.set_rules(rules));
    bench.sent_at(second(2));
    assert_eq!(bench.parts.control.users(), 1);
    bench.sent_at(second(61));
    assert_eq!(bench.parts.control.users(), 0);
}
