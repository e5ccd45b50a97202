use super::*;
use crate::{
    actor::Bell,
    minecraft::{
        Framing, Json, MAX_FRAME, Packet, Received, Text, Uuid, VarInt,
        idle::{AntiAfk, Limits},
        packets::{
            handshaking::Handshake,
            login::{Disconnect, LoginStart, LoginSuccess, SetCompression},
            play::{
                clientbound::{self, JoinGame, PositionLook},
                serverbound,
            },
        },
    },
    net::tcp::{Rehearsal, TcpSettings},
};
use proptest::prelude::*;
use std::time::Duration;

const NAME: &str = "Tester";
const FIRST: ConnectionId = upstream(0);

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// The upstream's connection is the only other one, as long as one player is there.
const fn upstream(generation: u32) -> ConnectionId {
    ConnectionId {
        index: 1,
        generation,
    }
}

fn idle() -> Idle {
    Idle {
        address: ([127, 0, 0, 1], 25566).into(),
        host: "localhost".to_owned(),
        players: vec![LoginName::new(NAME).unwrap()],
        clients: Vec::new(),
        sessions: 4,
        reconnect: false,
        away_limit: None,
        view_distance: 4,
        anti_afk: None,
        limits: Limits::for_view_distance(4),
    }
}

/// A service between a player and an upstream that are not there.
struct Stage {
    net: Rehearsal,
    metrics: Arc<Metrics>,
    crossing: Arc<Crossing>,
    zlib: Zlib,
}

impl Stage {
    fn new(idle: Idle) -> Self {
        let metrics = Arc::new(Metrics::default());
        let crossing = Arc::new(Crossing::new([Arc::new(Bell::new())]));
        let settings = Settings {
            motd: String::new(),
            favicon: None,
            idle: Some(idle),
        };
        let (settings, numbers) = (Arc::new(settings), Numbers::default());
        let (counts, way) = (metrics.clone(), crossing.clone());
        let service = MinecraftService::new(settings, numbers, counts, way, 0);
        let tcp = TcpSettings {
            outgoing: 4,
            ..TcpSettings::default()
        };
        Self {
            net: Rehearsal::new(service, tcp),
            metrics,
            crossing,
            zlib: Zlib::new(),
        }
    }

    fn say<'a, P: Packet<'a>>(&mut self, id: ConnectionId, framing: Framing, packet: &P) {
        let mut buf = vec![0; packet.encoded_len() + 200];
        let mut writer = Writer::new(&mut buf);
        self.zlib.write(framing, packet, &mut writer).unwrap();
        assert!(self.net.receive(id, writer.written()));
    }

    /// A player who wants in.
    fn login(&mut self) -> ConnectionId {
        let id = self.net.knock(None).unwrap();
        self.say(
            id,
            PLAIN,
            &Handshake {
                protocol: VarInt(340),
                host: Text::cut("localhost"),
                port: 25565,
                next_state: VarInt(2),
            },
        );
        self.say(
            id,
            PLAIN,
            &LoginStart {
                username: Text::cut(NAME),
            },
        );
        id
    }

    /// The upstream lets the player in.
    fn welcome(&mut self, id: ConnectionId) {
        self.net.take(id);
        assert_eq!(self.bodies(id, PLAIN).len(), 2);
        self.say(
            id,
            PLAIN,
            &SetCompression {
                threshold: VarInt(256),
            },
        );
        self.say(
            id,
            packed(),
            &LoginSuccess {
                uuid: Uuid(7).text(&mut [0; Uuid::TEXT_LEN]),
                username: Text::cut(NAME),
            },
        );
        let join = JoinGame {
            entity_id: 6,
            game_mode: 0,
            dimension: 0,
            difficulty: 1,
            max_players: 10,
            level_type: Text::cut("flat"),
            reduced_debug: false,
        };
        self.say(id, packed(), &join);
        let place = PositionLook {
            x: 1.0,
            y: 2.0,
            z: 3.0,
            yaw: 4.0,
            pitch: 5.0,
            flags: 0,
            teleport_id: VarInt(1),
        };
        self.say(id, packed(), &place);
    }

    /// A player in a world.
    fn play(&mut self) -> ConnectionId {
        let client = self.login();
        self.welcome(FIRST);
        self.net.take_sent(client);
        client
    }

    fn bodies(&mut self, id: ConnectionId, framing: Framing) -> Vec<Vec<u8>> {
        let stream = self.net.take_sent(id);
        let mut bodies = Vec::new();
        let mut rest = &stream[..];
        while let Ok(Received::Frame(frame)) = framing.receive(rest) {
            bodies.push(self.zlib.body(frame.content).unwrap().to_vec());
            rest = &rest[frame.bytes.len()..];
        }
        assert!(rest.is_empty());
        bodies
    }

    /// Why a player is not let in.
    fn reason(&mut self, id: ConnectionId) -> String {
        let bodies = self.bodies(id, PLAIN);
        let reason = Disconnect::decode(&bodies[0]).unwrap().reason;
        reason.as_str().to_owned()
    }

    /// The player answers what it is asked.
    fn say_alive(&mut self, client: ConnectionId) {
        if !self.net.is_open(client) {
            return;
        }
        for body in self.bodies(client, packed()) {
            if let Ok(clientbound::KeepAlive { id }) = clientbound::KeepAlive::decode(&body) {
                self.say(client, packed(), &serverbound::KeepAlive { id });
            }
        }
    }

    fn wait(&mut self, time: Duration) {
        for _ in 0..time.as_secs() {
            self.net.wait(seconds(1));
        }
    }
}

const PLAIN: Framing = Framing::new(MAX_FRAME);

fn packed() -> Framing {
    PLAIN.with_threshold(256)
}

#[test]
fn an_upstream_that_does_not_answer_is_given_up() {
    for takes in [true, false] {
        let mut stage = Stage::new(idle());
        let client = stage.login();
        if takes {
            stage.net.take(FIRST);
        }
        assert_eq!(stage.crossing.sessions(), 1);
        stage.wait(seconds(21));
        let reason = stage.reason(client);
        let expected = ["cannot be reached: timed out", "within 20 seconds"];
        assert!(reason.contains(expected[usize::from(takes)]), "{reason}");
        assert!(!stage.net.is_open(FIRST));
        assert_eq!(stage.crossing.sessions(), 0);
    }
}

#[test]
fn a_player_who_waits_may_say_more_and_nothing_is_lost() {
    let mut stage = Stage::new(idle());
    let client = stage.login();
    stage.say(client, packed(), &serverbound::KeepAlive { id: 1 });
    let chat = serverbound::Chat {
        message: Text::cut("early"),
    };
    stage.say(client, packed(), &chat);
    stage.welcome(FIRST);
    let bodies = stage.bodies(FIRST, packed());
    assert_eq!(bodies, [b"\x02\x05early"]);
}

#[test]
fn a_silent_upstream_is_gone() {
    let mut stage = Stage::new(idle());
    let client = stage.play();
    stage.wait(seconds(31));
    let bodies = stage.bodies(client, packed());
    let last = clientbound::Disconnect::decode(bodies.last().unwrap()).unwrap();
    assert!(last.reason.as_str().contains("half a minute"));
    assert_eq!(stage.crossing.sessions(), 0);
    assert_eq!(stage.metrics.minecraft_failures.get(), 1);
}

#[test]
fn a_silent_player_is_away() {
    let mut stage = Stage::new(idle());
    let client = stage.play();
    for second in 0..100 {
        stage.say(
            FIRST,
            packed(),
            &clientbound::TimeUpdate {
                age: second,
                time: 0,
            },
        );
        stage.wait(seconds(1));
        stage.net.take_sent(client);
        let bodies = stage.bodies(FIRST, packed());
        // After ten seconds it is asked, after forty it is given up, and from then on stands still.
        let is_alone = bodies.iter().any(|body| body[0] == 0x0C);
        assert_eq!(is_alone, second >= 40, "{second}");
        assert_eq!(stage.net.is_open(client), second < 39, "{second}");
    }
    let again = stage.login();
    let bodies = stage.net.take_sent(again);
    assert!(bodies.len() > 100);
    assert_eq!(stage.metrics.minecraft_attached.get(), 2);
}

#[test]
fn a_session_may_end_without_its_player() {
    let mut stage = Stage::new(Idle {
        away_limit: Some(seconds(100)),
        reconnect: true,
        ..idle()
    });
    let client = stage.play();
    for second in 0..300 {
        if second == 150 {
            stage.net.reset(client);
        }
        if stage.crossing.sessions() > 0 {
            stage.say(
                FIRST,
                packed(),
                &clientbound::TimeUpdate { age: 1, time: 0 },
            );
            stage.say_alive(client);
            stage.net.take_sent(FIRST);
        }
        stage.wait(seconds(1));
        assert_eq!(
            stage.crossing.sessions(),
            usize::from(second < 249),
            "{second}"
        );
    }
    let client = stage.login();
    assert!(stage.reason(client).contains("away for too long"));
}

#[test]
fn a_session_begins_again_ever_later() {
    let mut stage = Stage::new(Idle {
        reconnect: true,
        ..idle()
    });
    let client = stage.play();
    stage.net.reset(client);
    stage.net.reset(FIRST);
    let mut waits = Vec::new();
    let mut since = stage.net.now();
    while waits.len() < 7 {
        stage.net.wait(Duration::from_millis(500));
        let waited = stage.net.now().since(since);
        assert!(waited < seconds(400), "after {waits:?}");
        let places = (0..2)
            .flat_map(|index| (0..20).map(move |generation| ConnectionId { index, generation }));
        let mut open = places.filter(|&id| stage.net.is_open(id));
        if let Some(id) = open.next() {
            waits.push(waited.as_secs());
            stage.net.reset(id);
            since = stage.net.now();
        }
    }
    assert_eq!(waits, [10, 20, 40, 80, 160, 300, 300]);
}

#[test]
fn a_player_away_moves_if_that_is_wanted() {
    let mut stage = Stage::new(Idle {
        anti_afk: Some(AntiAfk {
            interval: seconds(5),
            steps: false,
        }),
        ..idle()
    });
    let client = stage.play();
    stage.net.reset(client);
    stage.net.take_sent(FIRST);
    stage.wait(seconds(11));
    let ids: Vec<u8> = stage
        .bodies(FIRST, packed())
        .iter()
        .map(|body| body[0])
        .filter(|&id| id != 0x0C)
        .collect();
    assert_eq!(ids, [0x1D, 0x0F, 0x1D, 0x0F]);
}

#[test]
fn a_kick_that_cannot_be_told_at_once_is_told_later() {
    let mut stage = Stage::new(idle());
    let client = stage.play();
    let flood = clientbound::Chat {
        message: Json::cut("\"flood\""),
        position: 0,
    };
    // More than the high mark waits for the player, who reads nothing.
    while stage.metrics.minecraft_relayed_out.get() < 30_000 {
        let mut frames = Vec::new();
        let mut buf = [0; 64];
        for _ in 0..1000 {
            let mut writer = Writer::new(&mut buf);
            stage.zlib.write(packed(), &flood, &mut writer).unwrap();
            frames.extend_from_slice(writer.written());
        }
        let before = stage.metrics.minecraft_relayed_out.get();
        assert!(stage.net.receive(FIRST, &frames));
        if stage.metrics.minecraft_relayed_out.get() == before {
            break;
        }
    }
    let kicked = clientbound::Disconnect {
        reason: Json::cut("\"kicked\""),
    };
    stage.say(FIRST, packed(), &kicked);
    stage.net.take_sent(client);
    stage.net.half_close(client);
    stage.wait(seconds(3));
    let client = stage.login();
    assert_eq!(stage.reason(client), "\"kicked\"");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever either side says, in whatever pieces, is an answer; and what is held is given
    /// back.
    #[test]
    fn any_bytes_may_come(
        pieces in prop::collection::vec(
            (any::<bool>(), prop::collection::vec(prop_oneof![0..4_u8, any::<u8>()], 0..40)),
            0..30,
        ),
        lets_in in any::<bool>(),
    ) {
        let mut stage = Stage::new(idle());
        let client = stage.login();
        stage.net.take(FIRST);
        if lets_in {
            stage.welcome(FIRST);
        }
        for (is_client, piece) in pieces {
            stage.net.receive(if is_client { client } else { FIRST }, &piece);
            stage.net.wait(seconds(1));
        }
        stage.net.reset(client);
        stage.net.reset(FIRST);
        prop_assert_eq!(stage.crossing.sessions(), 0);
        let (free, all) = stage.net.capacity().blocks_in();
        prop_assert!(all - free <= 1);
        let (free, all) = stage.net.capacity().blocks_out();
        prop_assert_eq!(free, all);
    }
}
