use super::*;
use crate::{
    maple::{Decoder, Encoder, Hello, Profile},
    net::tcp::{Rehearsal, TcpSettings},
};
use proptest::prelude::*;
use std::{sync::Mutex, time::Duration};

/// Says back what it hears, to all if the packet's third byte says so; 0xFF ends the session.
#[derive(Clone, Debug, Default)]
struct Echo {
    told: Arc<Mutex<Vec<String>>>,
}

impl Echo {
    fn tell(&self, what: String) {
        self.told.lock().unwrap().push(what);
    }
}

impl Handler for Echo {
    fn opened(&mut self, _: Time, id: ConnectionId, _: &mut Sessions<'_>) {
        self.tell(format!("opened {}", id.index));
    }

    fn packet(&mut self, _: Time, id: ConnectionId, payload: &mut [u8], all: &mut Sessions<'_>) {
        match payload.get(2) {
            Some(0) => {
                let ids: Vec<_> = all.ids().collect();
                assert_eq!(all.broadcast(ids, payload), Ok(all.len()));
            }
            Some(0xFF) => {
                all.send(id, payload).unwrap();
                all.close(id);
                assert_eq!(all.send(id, payload), Err(PacketError::Gone));
            }
            _ => all.send(id, payload).unwrap(),
        }
    }

    fn closed(&mut self, _: Time, id: ConnectionId, _: Ending, _: &mut Sessions<'_>) {
        self.tell(format!("closed {}", id.index));
    }
}

struct Client {
    id: ConnectionId,
    encoder: Encoder,
    decoder: Decoder,
}

impl Client {
    fn open(net: &mut Rehearsal) -> Self {
        let id = net.open();
        let greeting = net.take_sent(id);
        let parsed = Hello::parse(Profile::GMS_83.hello, &greeting).unwrap();
        let (hello, len) = parsed.unwrap();
        assert_eq!(len, greeting.len());
        let codec = Codec::new(Profile::GMS_83);
        Self {
            id,
            encoder: codec.encoder(Direction::ToServer, hello.to_server),
            decoder: codec.decoder(Direction::ToClient, hello.to_client),
        }
    }

    fn frame(&mut self, payload: &[u8]) -> Vec<u8> {
        let mut frame = [&[0; 4], payload].concat();
        self.encoder.encode(&mut frame).unwrap();
        frame
    }

    fn say(&mut self, net: &mut Rehearsal, payload: &[u8]) {
        let frame = self.frame(payload);
        net.receive(self.id, &frame);
    }

    fn heard(&mut self, net: &mut Rehearsal) -> Vec<Vec<u8>> {
        let mut bytes = net.take_sent(self.id);
        let mut rest = &mut bytes[..];
        let mut heard = Vec::new();
        while let Decoded::Packet { payload, frame_len } = self.decoder.decode(rest).unwrap() {
            heard.push(payload.to_vec());
            rest = &mut rest[frame_len..];
        }
        assert!(rest.is_empty());
        heard
    }
}

fn world() -> (Rehearsal, Echo) {
    let echo = Echo::default();
    let settings = Settings::new(Profile::GMS_83);
    let service = MapleService::new(echo.clone(), settings, Arc::default());
    let settings = TcpSettings {
        connections_per_address: 200,
        ..TcpSettings::default()
    };
    (Rehearsal::new(service, settings), echo)
}

#[test]
fn a_broadcast_reaches_everybody_once_and_streams_go_on() {
    let (mut net, _) = world();
    let mut clients: Vec<_> = (0..150).map(|_| Client::open(&mut net)).collect();
    let long: Vec<u8> = [0x31, 0, 0].into_iter().chain(vec![7; 20_000]).collect();
    for payload in [&b"\x31\0\0hello"[..], &long, b"\x31\0\0"] {
        clients[3].say(&mut net, b"\x31\0\x01me");
        clients[3].say(&mut net, payload);
        for (n, client) in clients.iter_mut().enumerate() {
            let mut heard = client.heard(&mut net);
            assert_eq!(heard.pop().as_deref(), Some(payload));
            assert_eq!(heard.len(), usize::from(n == 3));
        }
    }
}

#[test]
fn a_session_ends_in_order() {
    let (mut net, echo) = world();
    let mut client = Client::open(&mut net);
    let mut frames = client.frame(b"\x31\0\xFF");
    frames.extend(client.frame(b"\x31\0\x01too late"));
    net.receive(client.id, &frames);
    assert_eq!(client.heard(&mut net), [b"\x31\0\xFF"]);
    net.wait(Duration::from_secs(5));
    assert_eq!(*echo.told.lock().unwrap(), ["opened 0", "closed 0"]);
}

#[test]
fn garbage_and_oversize_end_the_session() {
    let (mut net, echo) = world();
    let good = Client::open(&mut net);
    let bad = Client::open(&mut net);
    net.receive(bad.id, b"GET / HTTP/1.1\r\n\r\n");
    let mut long = Client::open(&mut net);
    let mut frame = long.frame(&vec![0; 33_000]);
    frame.truncate(100);
    net.receive(long.id, &frame);
    let told = echo.told.lock().unwrap().clone();
    assert_eq!(told[2..], ["closed 1", "opened 1", "closed 1"]);
    assert!(net.is_open(good.id));
}

#[test]
fn the_silent_are_asked_and_then_sent_away() {
    let (mut net, echo) = world();
    let mut answers = Client::open(&mut net);
    let mut silent = Client::open(&mut net);
    for round in 0..4 {
        net.wait(Duration::from_secs(30));
        assert_eq!(answers.heard(&mut net), [[0x11, 0]]);
        if round == 0 {
            assert_eq!(silent.heard(&mut net), [[0x11, 0]]);
        }
        answers.say(&mut net, &[0x18, 0]);
        assert!(answers.heard(&mut net).is_empty());
        net.wait(Duration::from_secs(14));
        answers.say(&mut net, b"\x31\0\x01");
        answers.heard(&mut net);
    }
    assert_eq!(echo.told.lock().unwrap()[2..], ["closed 1"]);
}

#[test]
fn a_packet_may_be_written_in_place() {
    #[derive(Debug)]
    struct Writes;

    impl Handler for Writes {
        fn packet(&mut self, _: Time, id: ConnectionId, _: &mut [u8], all: &mut Sessions<'_>) {
            let too_long = all.write(id, 2, |writer| writer.u32_le(1));
            assert_eq!(too_long, Err(PacketError::TooLong));
            all.write(id, 60_000, |writer| writer.u32_le(0x31)).unwrap();
        }
    }

    let service = MapleService::new(Writes, Settings::new(Profile::GMS_83), Arc::default());
    let mut net = Rehearsal::new(service, TcpSettings::default());
    let mut client = Client::open(&mut net);
    client.say(&mut net, b"\x31\0");
    assert_eq!(client.heard(&mut net), [[0x31, 0, 0, 0]]);
}

/// A world that does with other loops what a packet's third byte says, to the addresses it knows.
#[derive(Debug)]
struct Wide {
    known: Arc<Mutex<Vec<Address>>>,
    post: Post,
}

impl Handler for Wide {
    fn opened(&mut self, _: Time, id: ConnectionId, all: &mut Sessions<'_>) {
        self.known.lock().unwrap().push(all.address(id));
    }

    fn packet(&mut self, _: Time, _: ConnectionId, payload: &mut [u8], all: &mut Sessions<'_>) {
        let known = self.known.lock().unwrap().clone();
        match payload[2] {
            0 => _ = all.broadcast_all(payload).unwrap(),
            1 => assert_eq!(all.broadcast_to(known, payload), Ok(3)),
            2 => known
                .iter()
                .for_each(|&to| all.send_to(to, payload).unwrap()),
            3 => known.iter().for_each(|&of| all.close_at(of).unwrap()),
            _ => self
                .post
                .homes()
                .for_each(|home| self.post.tell(home, payload).unwrap()),
        }
    }

    fn told(&mut self, _: Time, bytes: &[u8], all: &mut Sessions<'_>) {
        assert_eq!(
            all.broadcast(all.ids().collect::<Vec<_>>(), bytes),
            Ok(all.len())
        );
    }
}

/// Two loops, with two clients on the first and one on the second.
fn two_loops() -> (Post, [Rehearsal; 2], Arc<Metrics>) {
    let (post, known) = (Post::new(), Arc::default());
    let metrics = Arc::new(Metrics::default());
    let nets = [0, 1].map(|home| {
        let handler = Wide {
            known: Arc::clone(&known),
            post: post.clone(),
        };
        let settings = Settings::new(Profile::GMS_83);
        let service = MapleService::new(handler, settings, metrics.clone());
        let service = service.reachable(&post, home, Arc::default());
        Rehearsal::new(service, TcpSettings::default())
    });
    (post, nets, metrics)
}

#[test]
fn handlers_reach_sessions_of_other_loops() {
    let (post, [mut near, mut far], metrics) = two_loops();
    let mut clients = [
        Client::open(&mut near),
        Client::open(&mut near),
        Client::open(&mut far),
    ];
    for what in [0, 1, 2, 4] {
        let payload = [&[0x31, 0, what][..], &[7; 2000]].concat();
        clients[0].say(&mut near, &payload);
        for (client, net) in clients.iter_mut().zip([true, true, false]) {
            let net = if net { &mut near } else { &mut far };
            net.wait(Duration::ZERO);
            assert_eq!(client.heard(net), [&payload[..]], "{what}");
        }
    }
    post.broadcast_all(b"\x44\0from outside").unwrap();
    near.wait(Duration::ZERO);
    far.wait(Duration::ZERO);
    for (client, net) in clients.iter_mut().zip([true, true, false]) {
        let net = if net { &mut near } else { &mut far };
        assert_eq!(client.heard(net), [b"\x44\0from outside"]);
    }

    clients[0].say(&mut near, b"\x31\0\x03");
    far.wait(Duration::ZERO);
    for (client, net) in clients.iter().zip([&near, &near, &far]) {
        assert!(net.is_shut(client.id) || !net.is_open(client.id));
    }
    let gone = Address {
        home: 2,
        id: clients[0].id,
    };
    assert_eq!(post.send(gone, b"\x31\0"), Err(PacketError::Gone));
    assert_eq!(metrics.maple_mail_drops.get(), 0);
}

#[test]
fn a_full_mailbox_refuses_and_counts() {
    let (post, [_, mut far], metrics) = two_loops();
    let mut client = Client::open(&mut far);
    let to = Address {
        home: 1,
        id: client.id,
    };
    let sent = (0..10_000).take_while(|_| post.send(to, b"\x31\0").is_ok());
    let sent = sent.count();
    assert!((1000..10_000).contains(&sent));
    assert_eq!(metrics.maple_mail_drops.get(), 1);
    assert_eq!(post.close(to), Err(PacketError::Full));
    far.wait(Duration::ZERO);
    assert_eq!(client.heard(&mut far).len(), sent);
    let long = vec![0; 65_536];
    assert_eq!(post.send(to, &long), Err(PacketError::TooLong));
    let held = (0..300).filter(|_| post.send(to, &long[..65_535]).is_ok());
    assert_eq!(held.count(), 256, "buffers for long ones are few");
    assert!(post.send(to, b"\x31\0").is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn pieces_do_not_matter(
        packets in prop::collection::vec(prop::collection::vec(1..=254_u8, 3..300), 1..20),
        cuts in prop::collection::vec(1..400_usize, 1..20),
    ) {
        let (mut net, _) = world();
        let mut client = Client::open(&mut net);
        let stream: Vec<u8> = packets.iter().flat_map(|packet| client.frame(packet)).collect();
        let mut rest = &stream[..];
        for cut in cuts.iter().cycle() {
            let (now, later) = rest.split_at((*cut).min(rest.len()));
            net.receive(client.id, now);
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(client.heard(&mut net), packets);
    }
}
