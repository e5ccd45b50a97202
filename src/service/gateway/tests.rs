use super::*;
use crate::{
    maple::{Codec, Decoded, Decoder, Encoder, Hello, IvPolicy, Lookahead, Profile, Release},
    net::tcp::{Rehearsal, TcpSettings},
};
use fuzz::settings;
use proptest::prelude::*;
use std::{net::SocketAddr, time::Duration};

/// What a client or a server of these tests knows.
struct Peer {
    id: ConnectionId,
    encoder: Encoder,
    decoder: Decoder,
}

impl Peer {
    fn frame(&mut self, payload: &[u8]) -> Vec<u8> {
        let mut frame = [&[0; 4], payload].concat();
        self.encoder.encode(&mut frame).unwrap();
        frame
    }

    fn say(&mut self, net: &mut Rehearsal, payload: &[u8]) {
        let frame = self.frame(payload);
        assert!(net.receive(self.id, &frame));
    }

    fn heard(&mut self, net: &mut Rehearsal) -> Vec<Vec<u8>> {
        let mut bytes = net.take_sent(self.id);
        self.decode(&mut bytes)
    }

    fn decode(&mut self, bytes: &mut [u8]) -> Vec<Vec<u8>> {
        let mut rest = bytes;
        let mut heard = Vec::new();
        while let Decoded::Packet { payload, frame_len } = self.decoder.decode(rest).unwrap() {
            heard.push(payload.to_vec());
            rest = &mut rest[frame_len..];
        }
        assert!(rest.is_empty());
        heard
    }
}

struct Stage {
    net: Rehearsal,
    metrics: Arc<Metrics>,
}

impl Stage {
    fn new(settings: Settings) -> Self {
        let metrics = Arc::new(Metrics::default());
        let service = GatewayService::new(Arc::new(settings), Arc::default(), metrics.clone());
        let tcp = TcpSettings {
            outgoing: 64,
            ..TcpSettings::default()
        };
        Self {
            net: Rehearsal::new(service, tcp),
            metrics,
        }
    }

    fn client(&mut self) -> Peer {
        let id = self.net.open();
        let greeting = self.net.take_sent(id);
        let parsed = Hello::parse(Profile::GMS_83.hello, &greeting).unwrap();
        let (hello, _) = parsed.unwrap();
        let codec = Codec::new(Profile::GMS_83);
        Peer {
            id,
            encoder: codec.encoder(Direction::ToServer, hello.to_server),
            decoder: codec.decoder(Direction::ToClient, hello.to_client),
        }
    }

    /// The connection that the gateway makes for the only client that waits for one.
    fn upstream(&self) -> ConnectionId {
        let ids = (0..64).map(|index| self.id_at(index));
        let mut made = ids.flatten().filter(|&id| self.is_made(id));
        made.next_back().unwrap()
    }

    fn id_at(&self, index: u32) -> Option<ConnectionId> {
        let ids = (0..16).map(|generation| ConnectionId { index, generation });
        ids.into_iter().find(|&id| self.net.is_open(id))
    }

    fn is_made(&self, id: ConnectionId) -> bool {
        self.net.peer(id).is_some_and(|peer| peer.port() >= 7000)
    }

    /// The server takes the connection and says hello.
    fn serve(&mut self) -> Peer {
        let id = self.upstream();
        self.net.take(id);
        let (greeting, server) = server(id);
        self.net.receive(id, &greeting);
        server
    }

    /// A client that has said `first`, and the server it got.
    fn joined(&mut self, first: &[u8]) -> (Peer, Peer) {
        let mut client = self.client();
        client.say(&mut self.net, first);
        let mut server = self.serve();
        assert_eq!(server.heard(&mut self.net), [first]);
        (client, server)
    }
}

fn server(id: ConnectionId) -> (Vec<u8>, Peer) {
    let (to_server, to_client) = IvPolicy::Random.choose([1, 2, 3, 4, 5, 6, 7, 8]);
    let mut room = [0; 16];
    let hello = Hello {
        version: 83,
        release: Release::Patch(b"1"),
        to_server,
        to_client,
        locale: 8,
        more: &[],
    };
    let mut writer = crate::buffer::Writer::new(&mut room);
    hello.write(&mut writer).unwrap();
    let codec = Codec::new(Profile::GMS_83);
    let peer = Peer {
        id,
        encoder: codec.encoder(Direction::ToClient, to_client),
        decoder: codec.decoder(Direction::ToServer, to_server),
    };
    (room.to_vec(), peer)
}

const LOGIN: &[u8] = b"\x01\0name and password";
const GO_TO_7575: &[u8] = b"\x0C\0\0\0\x7F\0\0\x01\x97\x1D\x31\x75\0\0\0\0\0\0\0";
const GO_TO_US: &[u8] = b"\x0C\0\0\0\xCB\0\x71\x0A\x24\x21\x31\x75\0\0\0\0\0\0\0";
const CHANNEL_7576: &[u8] = b"\x10\0\x01\x0A\0\0\x07\x98\x1D";
const CHANNEL_US: &[u8] = b"\x10\0\x01\xCB\0\x71\x0A\x24\x21";
const COMES_IN: &[u8] = b"\x14\0\x31\x75\0\0\0\0";

fn port_of(stage: &Stage, server: &Peer) -> u16 {
    stage.net.peer(server.id).unwrap().port()
}

#[test]
fn a_client_logs_in_and_changes_channels() {
    for lookahead in [0, 8] {
        let mut stage = Stage::new(Settings {
            lookahead: Lookahead {
                packets: lookahead,
                bytes: 64,
            },
            ..settings()
        });
        let (mut client, mut login) = stage.joined(LOGIN);
        assert_eq!(port_of(&stage, &login), 8484);
        login.say(&mut stage.net, b"\0\0welcome");
        login.say(&mut stage.net, GO_TO_7575);
        let heard = client.heard(&mut stage.net);
        assert_eq!(heard, [b"\0\0welcome", GO_TO_US]);
        stage.net.half_close(client.id);
        assert!(stage.net.is_shut(login.id) || !stage.net.is_open(login.id));

        let (mut client, mut first) = stage.joined(COMES_IN);
        assert_eq!(port_of(&stage, &first), 7575);
        first.say(&mut stage.net, CHANNEL_7576);
        assert_eq!(client.heard(&mut stage.net), [CHANNEL_US]);

        // The new connection may come before the old one goes.
        let (mut again, mut second) = stage.joined(COMES_IN);
        assert_eq!(port_of(&stage, &second), 7576);
        second.say(&mut stage.net, b"\x11\0");
        assert_eq!(again.heard(&mut stage.net), [b"\x11\0"]);
        again.say(&mut stage.net, b"\x18\0");
        assert_eq!(second.heard(&mut stage.net), [b"\x18\0"]);
        assert_eq!(stage.metrics.maple_migrations.get(), 2);
        // Whoever was sent away and does not go is sent away.
        stage.net.wait(Duration::from_secs(11));
        assert!(stage.net.is_shut(client.id) || !stage.net.is_open(client.id));
        assert!(!stage.net.is_shut(again.id) && stage.net.is_open(again.id));
    }
}

#[test]
fn nobody_comes_in_unexpected_or_twice() {
    let mut stage = Stage::new(settings());
    let mut stranger = stage.client();
    let frame = stranger.frame(COMES_IN);
    stage.net.receive(stranger.id, &frame);
    assert!(!stage.net.is_open(stranger.id));
    let (_, mut login) = stage.joined(LOGIN);
    login.say(&mut stage.net, GO_TO_7575);
    stage.net.wait(Duration::from_secs(61));
    let mut late = stage.client();
    let frame = late.frame(COMES_IN);
    stage.net.receive(late.id, &frame);
    assert!(!stage.net.is_open(late.id));
}

#[test]
fn what_leads_nowhere_is_left_alone_or_ends() {
    for close_unrouted in [false, true] {
        let login = SocketAddr::from(([127, 0, 0, 1], 8484));
        let mut stage = Stage::new(Settings {
            routes: Routes::new(login, vec!["10.0.0.7:7576".parse().unwrap()]),
            close_unrouted,
            ..settings()
        });
        let (mut client, mut server) = stage.joined(LOGIN);
        server.say(&mut stage.net, GO_TO_7575);
        let heard = client.heard(&mut stage.net);
        match close_unrouted {
            true => assert!(heard.is_empty() || heard == [GO_TO_7575]),
            false => assert_eq!(heard, [GO_TO_7575]),
        }
        let is_over = !stage.net.is_open(server.id) || stage.net.is_shut(server.id);
        assert_eq!(is_over, close_unrouted);
    }
}

#[test]
fn a_dead_server_is_an_orderly_end() {
    let mut stage = Stage::new(settings());
    let (mut client, mut login) = stage.joined(LOGIN);
    login.say(&mut stage.net, b"\0\0last words");
    stage.net.reset(login.id);
    assert_eq!(client.heard(&mut stage.net), [b"\0\0last words"]);
    assert!(stage.net.is_shut(client.id) || !stage.net.is_open(client.id));

    let mut client = stage.client();
    client.say(&mut stage.net, LOGIN);
    let refuses = stage.upstream();
    stage.net.reset(refuses);
    assert!(stage.net.is_shut(client.id) || !stage.net.is_open(client.id));
    for says_half_a_hello in [None, Some(false), Some(true)] {
        let mut client = stage.client();
        client.say(&mut stage.net, LOGIN);
        if let Some(half) = says_half_a_hello {
            let id = stage.upstream();
            stage.net.take(id);
            let len = if half { 15 } else { 0 };
            stage.net.receive(id, &server(id).0[..len]);
        }
        stage.net.wait(Duration::from_secs(4));
        assert!(!stage.net.is_shut(client.id) && stage.net.is_open(client.id));
        stage.net.wait(Duration::from_secs(1));
        assert!(stage.net.is_shut(client.id) || !stage.net.is_open(client.id));
    }
}

#[test]
fn every_cut_of_both_streams_is_the_same() {
    let downward: [&[u8]; 4] = [b"\x11\0", &[0x31; 20], GO_TO_7575, b"\x41\0last"];
    let upward = [LOGIN, b"\x18\0", &[0x31; 40]];
    let expected = [downward[0], downward[1], GO_TO_US, downward[3]];
    let longest = 16 + downward.iter().map(|it| it.len() + 4).sum::<usize>();
    for cut in 0..=longest {
        let mut stage = Stage::new(settings());
        let mut client = stage.client();
        let stream: Vec<u8> = upward.iter().flat_map(|it| client.frame(it)).collect();
        let (early, late) = stream.split_at(cut.min(stream.len()));
        assert!(stage.net.receive(client.id, early));
        // Nothing is read while there is no server, so a late part comes when there is one.
        let is_known = cut >= LOGIN.len() + 4;
        if !is_known {
            assert!(stage.net.receive(client.id, late));
        }
        let id = stage.upstream();
        stage.net.take(id);
        let (greeting, mut server) = server(id);
        let frames = downward.iter().flat_map(|it| server.frame(it));
        let stream: Vec<u8> = greeting.into_iter().chain(frames).collect();
        let (first, second) = stream.split_at(cut);
        for piece in [first, second] {
            assert!(stage.net.receive(id, piece));
        }
        if is_known {
            assert!(stage.net.receive(client.id, late));
        }
        assert_eq!(client.heard(&mut stage.net), expected, "cut at {cut}");
        assert_eq!(server.heard(&mut stage.net), upward, "cut at {cut}");
    }
}

#[test]
fn a_server_of_another_version_is_not_used() {
    for at in [2, 15] {
        let mut stage = Stage::new(settings());
        let mut client = stage.client();
        client.say(&mut stage.net, LOGIN);
        let id = stage.upstream();
        stage.net.take(id);
        let (mut greeting, _) = server(id);
        greeting[at] ^= 1;
        stage.net.receive(id, &greeting);
        assert!(client.heard(&mut stage.net).is_empty());
        assert!(stage.net.is_shut(client.id) || !stage.net.is_open(client.id));
    }
}

#[test]
fn packets_that_may_not_pass_do_not_and_the_rest_does() {
    let mut stage = Stage::new(Settings {
        filter: Filter::Deny(vec![0x27]),
        ..settings()
    });
    let (mut client, mut server) = stage.joined(LOGIN);
    let frames = [&b"\x26\0a"[..], b"\x27\0b", b"\x27\0c", b"\x28\0d"].map(|it| client.frame(it));
    stage.net.receive(client.id, &frames.concat());
    let heard = server.heard(&mut stage.net);
    assert_eq!(heard, [b"\x26\0a", b"\x28\0d"]);
}

#[test]
fn who_says_too_much_waits() {
    let mut stage = Stage::new(Settings {
        rate: Rate {
            packets: 10,
            bytes: 0,
        },
        ..settings()
    });
    let (mut client, mut server) = stage.joined(LOGIN);
    let frames: Vec<_> = (0..30).flat_map(|n| client.frame(&[0x26, 0, n])).collect();
    stage.net.receive(client.id, &frames);
    let mut heard = server.heard(&mut stage.net);
    assert_eq!(heard.len(), 9);
    for _ in 0..30 {
        stage.net.wait(Duration::from_millis(100));
        heard.extend(server.heard(&mut stage.net));
    }
    assert!(heard.iter().map(|it| it[2]).eq(0..30));
    assert!(stage.metrics.maple_throttled.get() > 0);
}

#[test]
fn the_undecided_are_few_and_do_not_stay() {
    let mut stage = Stage::new(Settings {
        undecided_per_address: 2,
        ..settings()
    });
    let one = stage.client();
    let mut other = stage.client();
    let third = stage.net.open();
    assert!(!stage.net.is_open(third));
    other.say(&mut stage.net, LOGIN);
    let third = stage.client();
    stage.net.wait(Duration::from_secs(601));
    assert!(!stage.net.is_open(one.id) && !stage.net.is_open(third.id));
    stage.client();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn pieces_do_not_matter(
        packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 2..400), 1..12),
        cuts in prop::collection::vec(1..500_usize, 1..12),
    ) {
        let mut stage = Stage::new(settings());
        let (mut client, mut server) = stage.joined(LOGIN);
        for is_up in [true, false] {
            let (from, to) = match is_up {
                true => (&mut client, &mut server),
                false => (&mut server, &mut client),
            };
            let stream: Vec<u8> = packets.iter().flat_map(|it| from.frame(it)).collect();
            let mut heard = Vec::new();
            let mut rest = &stream[..];
            for cut in cuts.iter().cycle() {
                let (now, later) = rest.split_at((*cut).min(rest.len()));
                prop_assert!(stage.net.receive(from.id, now));
                heard.extend(to.heard(&mut stage.net));
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(&heard, &packets);
        }
    }

    #[test]
    fn hostile_peers_break_nothing(input in prop::collection::vec(any::<u8>(), 0..600)) {
        fuzz::gateway(&input);
    }
}
