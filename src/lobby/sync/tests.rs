mod leaving;
pub(in crate::lobby::sync) mod model;
mod timing;

use self::model::{CacheEnd, Model, Recorder, Said, Wire};
use super::*;
use crate::lobby::delay::blank_frames;
use proptest::prelude::*;
use serde_json::Value;

const VECTORS: &str = include_str!("../../../tests/data/kaillera_sync.json");

const TYPES: [ConnectionType; 6] = [
    ConnectionType::Lan,
    ConnectionType::Excellent,
    ConnectionType::Good,
    ConnectionType::Average,
    ConnectionType::Low,
    ConnectionType::Bad,
];

fn sync() -> FrameSync {
    FrameSync::new(Duration::from_secs(12), Duration::from_secs(60))
}

/// What a client knows: both ends of its caches, and the stream it was sent.
#[derive(Debug, Default)]
struct Client {
    caches: bool,
    sent: CacheEnd,
    received: CacheEnd,
    stream: Vec<Vec<u8>>,
}

/// A game played by the real thing and by the model, and watched by its clients.
struct Game<'a> {
    sync: &'a mut FrameSync,
    model: Model,
    clients: Vec<Client>,
    events: Vec<SyncEvent>,
}

impl<'a> Game<'a> {
    fn begin(sync: &'a mut FrameSync, connection_type: ConnectionType, delays: &[u16]) -> Self {
        sync.begin(connection_type, delays);
        Self {
            sync,
            model: Model::begin(connection_type as usize, delays),
            clients: delays.iter().map(|_| Client::default()).collect(),
            events: Vec::new(),
        }
    }

    fn play(&mut self) {
        self.sync.play(Time::ZERO);
        self.model.play();
    }

    fn send(&mut self, player: usize, payload: &[u8]) -> usize {
        let client = &mut self.clients[player];
        let wire = if client.caches {
            client.sent.send(payload)
        } else {
            client.sent.send_whole(payload)
        };
        self.send_wire(player, &wire)
    }

    fn send_wire(&mut self, player: usize, wire: &Wire) -> usize {
        let mut sink = Recorder::default();
        self.sync
            .input(Time::ZERO, player, wire.as_input(), &mut sink);
        self.model.input(player, wire);
        self.check(sink)
    }

    fn gap(&mut self, player: usize) -> usize {
        let mut sink = Recorder::default();
        self.sync.gap(Time::ZERO, player, &mut sink);
        self.model.gap(player);
        self.check(sink)
    }

    fn remove(&mut self, player: usize) -> usize {
        let mut sink = Recorder::default();
        self.sync.remove(Time::ZERO, player, &mut sink);
        self.model.remove(player);
        self.check(sink)
    }

    /// Answers how many outputs there were.
    fn check(&mut self, sink: Recorder) -> usize {
        assert_eq!(sink.0, self.model.take_said());
        let mut outputs = 0;
        for said in sink.0 {
            match said {
                Said::Output(player, wire) => {
                    let client = &mut self.clients[player];
                    client.stream.push(client.received.receive(&wire).unwrap());
                    outputs += 1;
                }
                Said::Event(event) => self.events.push(event),
            }
        }
        for player in 0..self.clients.len() {
            assert_eq!(self.sync.is_active(player), self.model.is_active(player));
        }
        outputs
    }

    /// What a player was sent after its zeros.
    fn common(&self, player: usize) -> &[Vec<u8>] {
        let stream = &self.clients[player].stream;
        let (zeros, common) = stream.split_at(stream.len().min(self.model.zeros(player)));
        assert!(zeros.iter().flatten().all(|byte| *byte == 0));
        common
    }

    fn assert_all_saw_the_same(&self) {
        let streams = || (0..self.clients.len()).map(|player| self.common(player));
        let longest = streams().max_by_key(|stream| stream.len()).unwrap();
        for (player, stream) in streams().enumerate() {
            assert!(longest.starts_with(stream));
            if self.sync.is_active(player) && !stream.is_empty() {
                assert_eq!(stream.len(), longest.len());
            }
        }
    }
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|index| u8::from_str_radix(&text[2 * index..2 * index + 2], 16).unwrap())
        .collect()
}

fn lists(value: &Value) -> Vec<Vec<Vec<u8>>> {
    let list = |value: &Value| {
        let items = value.as_array().unwrap().iter();
        items.map(|item| unhex(item.as_str().unwrap())).collect()
    };
    value.as_array().unwrap().iter().map(list).collect()
}

fn numbers(value: &Value) -> Vec<u16> {
    let items = value.as_array().unwrap().iter();
    items.map(|item| item.as_u64().unwrap() as u16).collect()
}

#[test]
fn agrees_with_the_vectors() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let cases = vectors["game_sync"].as_array().unwrap();
    assert_eq!(cases.len(), 4);
    for case in cases {
        let connection_type = TYPES[case["connection_type"].as_u64().unwrap() as usize - 1];
        let mut sync = sync();
        let mut game = Game::begin(&mut sync, connection_type, &numbers(&case["frame_delays"]));
        game.play();
        let inputs = lists(&case["inputs"]);
        let drop = case.get("drop").map(|drop| {
            let number = |key: &str| drop[key].as_u64().unwrap() as usize;
            (number("before_step"), number("player") - 1)
        });
        for step in 0..inputs[0].len() {
            if let Some((_, player)) = drop.filter(|(at, _)| *at == step) {
                game.remove(player);
            }
            for (player, inputs) in inputs.iter().enumerate() {
                game.send(player, &inputs[step]);
            }
        }
        let streams: Vec<_> = game.clients.iter().map(|it| it.stream.clone()).collect();
        assert_eq!(streams, lists(&case["outputs"]), "{}", case["name"]);
        for (player, zeros) in numbers(&case["zero_messages"]).iter().enumerate() {
            assert_eq!(game.model.zeros(player), usize::from(*zeros));
        }
    }
}

#[derive(Clone, Debug)]
enum Op {
    /// Every player sends this value.
    Round(u8),
    Send(usize, u8),
    Odd(usize, Vec<u8>),
    Index(usize, u8),
    Gap(usize),
    Remove(usize),
}

fn op() -> impl Strategy<Value = Op> {
    let player = 0..16_usize;
    prop_oneof![
        300 => any::<u8>().prop_map(Op::Round),
        100 => (player.clone(), any::<u8>()).prop_map(|(player, value)| Op::Send(player, value)),
        2 => (player.clone(), prop::collection::vec(any::<u8>(), 0..40))
            .prop_map(|(player, payload)| Op::Odd(player, payload)),
        2 => (player.clone(), any::<u8>()).prop_map(|(player, index)| Op::Index(player, index)),
        1 => player.clone().prop_map(Op::Gap),
        1 => player.prop_map(Op::Remove),
    ]
}

fn input(player: usize, value: u8, len: usize) -> Vec<u8> {
    (0..len)
        .map(|place| value.wrapping_mul((player + place) as u8 | 1))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn equals_the_model(
        connection_type in prop::sample::select(&TYPES[..]),
        delays in prop::collection::vec(1..5_u16, 1..=16),
        input_len in 0..9_usize,
        variety in prop::sample::select(vec![1, 3, 255_u8]),
        caching in any::<u16>(),
        lost_early in prop::option::of(0..16_usize),
        ops in prop::collection::vec(op(), 0..500),
    ) {
        let count = delays.len();
        let len = input_len * connection_type as usize;
        let mut sync = sync();
        let mut game = Game::begin(&mut sync, connection_type, &delays);
        for (player, client) in game.clients.iter_mut().enumerate() {
            client.caches = caching >> player & 1 == 1;
        }
        if let Some(player) = lost_early {
            game.remove(player % count);
        }
        game.play();
        for op in ops {
            match op {
                Op::Round(value) => (0..count).for_each(|player| {
                    game.send(player, &input(player, value % variety, len));
                }),
                Op::Send(player, value) => {
                    let player = player % count;
                    game.send(player, &input(player, value % variety, len));
                }
                Op::Odd(player, payload) => {
                    game.send(player % count, &payload);
                }
                Op::Index(player, index) => {
                    game.send_wire(player % count, &Wire::Cached(index));
                }
                Op::Gap(player) => {
                    game.gap(player % count);
                }
                Op::Remove(player) => {
                    game.remove(player % count);
                }
            }
        }
        game.assert_all_saw_the_same();
    }

    #[test]
    fn every_emulator_waits_for_the_same_frame(
        connection_type in prop::sample::select(&TYPES[..]),
        delays in prop::collection::vec(1..=61_u16, 1..=8),
    ) {
        let mut sync = sync();
        let mut game = Game::begin(&mut sync, connection_type, &delays);
        game.play();
        let neutral = |game: &mut Game<'_>, player: usize| {
            let mut zeros = 0;
            while game.send(player, &[1; 12]) > 0
                && game.clients[player].stream.last().unwrap().iter().all(|byte| *byte == 0)
            {
                zeros += 1;
            }
            blank_frames(delays[player], connection_type) + zeros * connection_type as u32
        };
        let highest = u32::from(*delays.iter().max().unwrap());
        for player in 0..delays.len() {
            let expected = (2 * highest + 6) * connection_type as u32 - 1;
            prop_assert_eq!(neutral(&mut game, player), expected);
        }
    }
}

#[test]
fn caches_follow_hundreds_of_distinct_inputs() {
    let mut sync = sync();
    let mut game = Game::begin(&mut sync, ConnectionType::Lan, &[1, 3, 2]);
    game.clients[0].caches = true;
    game.clients[2].caches = true;
    game.play();
    for step in 0..1500_u16 {
        let repeating = step % 300;
        game.send(0, &step.to_le_bytes());
        game.send(1, &repeating.to_le_bytes());
        game.send(2, &(step / 2 % 200).to_le_bytes());
    }
    game.assert_all_saw_the_same();
    assert!(game.common(0).len() > 1400);
    for index in [0, 1, 254, 255] {
        game.send_wire(0, &Wire::Cached(index));
    }
    assert_eq!(game.events, []);
}

#[test]
fn frames_that_return_are_sent_as_positions() {
    let mut sync = sync();
    let mut game = Game::begin(&mut sync, ConnectionType::Lan, &[1]);
    game.play();
    for _ in 0..100 {
        for value in 0..4 {
            game.send(0, &[value, 0]);
        }
    }
    let mut sink = Recorder::default();
    game.sync
        .input(Time::ZERO, 0, Input::Data(&[0, 0]), &mut sink);
    assert_eq!(sink.0, [Said::Output(0, Wire::Cached(0))]);
}

#[test]
fn one_frame_sync_plays_game_after_game() {
    let mut sync = sync();
    for round in 0..20_usize {
        let delays = vec![1 + round as u16 % 3; 1 + round * 5 % 7];
        let connection_type = TYPES[round % 6];
        let len = connection_type as usize * (1 + round * 3 % 5);
        let mut game = Game::begin(&mut sync, connection_type, &delays);
        game.send_wire(0, &Wire::Data(vec![9; len]));
        game.play();
        if round % 4 == 3 {
            game.send_wire(0, &Wire::Cached(0));
            assert_eq!(game.events, [SyncEvent::BadIndex { player: 0 }]);
        }
        for step in 0..3 + round * 2 {
            for player in 0..delays.len() {
                game.send(player, &input(player, step as u8, len));
            }
        }
        game.assert_all_saw_the_same();
        if round % 3 == 0 {
            sync.end();
            assert!(!sync.is_playing());
            assert!(!sync.is_active(0));
            assert_eq!(sync.poll_timeout(), None);
        }
    }
}

#[test]
fn a_queue_left_from_one_game_is_gone_in_the_next() {
    let mut sync = sync();
    let mut game = Game::begin(&mut sync, ConnectionType::Lan, &[1, 1]);
    game.play();
    for value in 0..20 {
        game.send(1, &[value]);
    }
    let mut game = Game::begin(&mut sync, ConnectionType::Lan, &[1, 1]);
    game.remove(1);
    game.play();
    for value in 0..20 {
        assert_eq!(game.send(0, &[value]), 1);
    }
}

#[test]
fn data_counts_only_between_play_and_end() {
    let mut sync = sync();
    let mut sink = Recorder::default();
    let data = Input::Data(&[1, 2]);
    sync.play(Time::ZERO);
    assert!(!sync.is_playing());
    sync.input(Time::ZERO, 0, data, &mut sink);
    sync.begin(ConnectionType::Lan, &[1, 1]);
    assert!(sync.is_active(1) && !sync.is_active(2) && !sync.is_playing());
    sync.input(Time::ZERO, 0, data, &mut sink);
    sync.gap(Time::ZERO, 0, &mut sink);
    assert!(sync.is_active(0));
    sync.play(Time::ZERO);
    sync.input(Time::ZERO, 2, data, &mut sink);
    sync.input(Time::ZERO, usize::MAX, data, &mut sink);
    assert_eq!(sink.0, []);
    sync.input(Time::ZERO, 0, data, &mut sink);
    assert_eq!(sink.0.len(), 1);
    sync.end();
    sync.input(Time::ZERO, 0, data, &mut sink);
    sync.remove(Time::ZERO, 0, &mut sink);
    assert_eq!(sink.0.len(), 1);
}

#[test]
fn odd_lengths_are_told_once_per_player() {
    let mut sync = sync();
    let mut game = Game::begin(&mut sync, ConnectionType::Good, &[1, 1]);
    game.play();
    game.send(0, &[1; 7]);
    game.send(1, &[1; 6]);
    assert_eq!(game.events, [SyncEvent::OddLength { player: 0 }]);
    for len in [0, 1, 5, 6, 7, 2048] {
        game.send(0, &vec![1; len]);
        game.send(1, &vec![1; len]);
    }
    let both = [0, 1].map(|player| SyncEvent::OddLength { player });
    assert_eq!(game.events, both);
}

#[test]
fn unknown_positions_count_as_zeros() {
    let mut sync = sync();
    let mut game = Game::begin(&mut sync, ConnectionType::Lan, &[1]);
    game.play();
    assert_eq!(game.send_wire(0, &Wire::Cached(0)), 0);
    game.send(0, &[7, 7]);
    for _ in 0..20 {
        assert_eq!(game.send_wire(0, &Wire::Cached(1)), 1);
    }
    assert_eq!(game.events, [SyncEvent::BadIndex { player: 0 }]);
    assert_eq!(game.common(0)[0], [7, 7]);
    assert_eq!(game.common(0)[1], [0, 0]);
}

#[test]
fn a_first_message_without_bytes_is_one_byte_a_frame() {
    let mut sync = sync();
    let mut game = Game::begin(&mut sync, ConnectionType::Bad, &[1, 1]);
    game.play();
    assert_eq!(game.send(0, &[]), 1);
    assert_eq!(game.clients[0].stream, [[0; 12]]);
    assert_eq!(game.events, [SyncEvent::OddLength { player: 0 }]);
}

#[test]
fn long_inputs_are_cut_to_what_fits() {
    for (count, connection_type, payload_len) in [
        (1, ConnectionType::Lan, 2048),
        (2, ConnectionType::Lan, 2048),
        (16, ConnectionType::Lan, 256),
        (16, ConnectionType::Bad, 252),
        (100, ConnectionType::Bad, 36),
    ] {
        let mut sync = sync();
        let mut game = Game::begin(&mut sync, connection_type, &vec![2; count]);
        game.play();
        for step in 0..20 {
            for player in 0..count {
                game.send(player, &input(player, step, 2048));
            }
        }
        game.assert_all_saw_the_same();
        let frame = game.common(0).last().unwrap();
        assert_eq!(frame.len(), count * payload_len);
        assert!(frame.len() <= MAX_OUTPUT);
    }
}

#[test]
fn who_sends_too_much_is_dropped() {
    let mut sync = sync();
    let mut game = Game::begin(&mut sync, ConnectionType::Lan, &[1, 61]);
    game.play();
    let zeros = game.model.zeros(0);
    for value in 0..zeros + 64 {
        game.send(0, &[value as u8]);
    }
    assert_eq!(game.events, []);
    game.send(0, &[0]);
    assert_eq!(game.events, [SyncEvent::Flooded { player: 0 }]);
    game.send(0, &[0]);
    for step in 0..200 {
        assert_eq!(game.send(1, &[step]), 1);
    }
    assert_eq!(game.events.len(), 1);
}
