use super::*;
use crate::lobby::{
    delay::blank_frames,
    sync::{
        FrameSync, Input,
        tests::model::{CacheEnd, Wire},
    },
};
use proptest::prelude::*;
use std::collections::BTreeMap;

const LEN: usize = 3;
const MINUTE: Duration = Duration::from_secs(60);

/// What a client was sent, and what that means with its cache.
#[derive(Debug, Default)]
struct Client {
    cache: CacheEnd,
    stream: Vec<Vec<u8>>,
    delay: u16,
}

#[derive(Debug, Default)]
struct Said {
    outputs: Vec<(usize, Wire)>,
    events: Vec<SyncEvent>,
}

impl SyncSink for Said {
    fn output(&mut self, player: usize, output: Output<'_>) {
        let wire = match output {
            Output::Data(frames) => Wire::Data(frames.to_vec()),
            Output::Cached(place) => Wire::Cached(place),
        };
        self.outputs.push((player, wire));
    }

    fn event(&mut self, event: SyncEvent) {
        self.events.push(event);
    }
}

/// What frame sync says, recorded on its way.
struct Recorded<'a>(&'a mut Gallery, &'a mut Said);

impl SyncSink for Recorded<'_> {
    fn step(&mut self, output: Output<'_>) {
        self.0.record(output);
    }

    fn output(&mut self, player: usize, output: Output<'_>) {
        self.1.output(player, output);
    }

    fn event(&mut self, event: SyncEvent) {
        self.1.event(event);
    }
}

/// A game, its gallery, and everybody's emulator.
struct Room {
    sync: FrameSync,
    gallery: Gallery,
    players: usize,
    frames: usize,
    clients: BTreeMap<usize, Client>,
    /// Players that came back, by their index as watchers.
    back: BTreeMap<usize, usize>,
    events: Vec<SyncEvent>,
    now: Time,
    watchers: usize,
}

impl Room {
    fn begin(connection_type: ConnectionType, delays: &[u16], capacity: usize) -> Self {
        let mut sync = FrameSync::new(MINUTE, MINUTE);
        sync.begin(connection_type, delays);
        sync.play(Time::ZERO);
        let mut gallery = Gallery::default();
        gallery.begin(connection_type, capacity);
        let client = |(index, delay): (usize, &u16)| {
            let delay = *delay;
            (
                index,
                Client {
                    delay,
                    ..Client::default()
                },
            )
        };
        Self {
            sync,
            gallery,
            players: delays.len(),
            frames: connection_type as usize,
            clients: delays.iter().enumerate().map(client).collect(),
            back: BTreeMap::new(),
            events: Vec::new(),
            now: Time::ZERO,
            watchers: 0,
        }
    }

    fn act(&mut self, act: impl FnOnce(&mut FrameSync, &mut Recorded<'_>)) {
        let mut said = Said::default();
        act(&mut self.sync, &mut Recorded(&mut self.gallery, &mut said));
        self.gallery.make_room(self.sync.output_len());
        self.gallery.serve(self.now, &mut said);
        for (index, wire) in said.outputs {
            let index = *self.back.get(&index).unwrap_or(&index);
            if let Some(client) = self.clients.get_mut(&index) {
                client.stream.push(client.cache.receive(&wire).unwrap());
            }
        }
        self.events.extend(said.events);
        while let Some(Return {
            watcher,
            player,
            owed,
        }) = self.gallery.returned()
        {
            self.sync.rejoin(self.now, player, owed);
            let client = self.clients.remove(&watcher).unwrap();
            self.clients.insert(player, client);
            self.back.insert(watcher, player);
        }
    }

    /// Lets so much time pass per frame of a message, and what is due happen.
    fn wait(&mut self, millis: u64) {
        let end = self.now + Duration::from_millis(millis) * self.frames as u32;
        while let Some(due) = self.gallery.poll_timeout().filter(|due| *due <= end) {
            self.now = self.now.max(due);
            self.act(|_, _| {});
        }
        self.now = end;
    }

    fn send(&mut self, player: usize, value: u8) {
        let payload = vec![value ^ player as u8; LEN * self.frames];
        let now = self.now;
        self.act(|sync, link| sync.input(now, player, Input::Data(&payload), link));
    }

    fn round(&mut self, value: u8) {
        for player in 0..self.players {
            self.send(player, value);
        }
    }

    /// A round and what those who watch ask for meanwhile.
    fn show(&mut self, value: u8) {
        self.wait(17);
        self.round(value);
        let watchers: Vec<usize> = self
            .clients
            .range(FIRST_WATCHER..)
            .map(|it| *it.0)
            .collect();
        watchers.into_iter().for_each(|watcher| self.ask(watcher));
    }

    fn watch(&mut self, delay: u16, player: Option<usize>) -> Option<usize> {
        let zeros = self.sync.zeros_for(delay);
        let index = FIRST_WATCHER + self.watchers;
        self.watchers += usize::from(self.gallery.add(index, zeros, player));
        if !self.gallery.is_open() {
            return None;
        }
        self.clients.insert(
            index,
            Client {
                delay,
                ..Client::default()
            },
        );
        Some(index)
    }

    fn ask(&mut self, watcher: usize) {
        match self.back.get(&watcher) {
            Some(&player) => self.send(player, 0),
            None => self.act(|_, link| {
                let Recorded(gallery, said) = link;
                gallery.input(watcher, *said);
            }),
        }
    }

    fn catch_up(&mut self, watcher: usize) {
        for _ in 0..10_000 {
            self.wait(17);
            let before = self.clients.get(&watcher).map_or(0, |it| it.stream.len());
            self.ask(watcher);
            if self
                .clients
                .get(&watcher)
                .is_none_or(|it| it.stream.len() == before)
            {
                return;
            }
        }
        panic!("it never catches up");
    }

    /// All frames an emulator has shown, those without data first.
    fn shown(&self, index: usize) -> Vec<Vec<u8>> {
        let client = &self.clients[&index];
        let connection_type = TYPES[self.frames - 1];
        let blank = blank_frames(client.delay, connection_type) as usize;
        let frame = self.players * LEN;
        let fed = client
            .stream
            .iter()
            .flat_map(|step| step.chunks(frame))
            .map(<[u8]>::to_vec);
        std::iter::repeat_n(vec![0; frame], blank)
            .chain(fed)
            .collect()
    }

    fn assert_in_step(&self, index: usize) {
        let (mine, players) = (self.shown(index), self.shown(0));
        let common = mine.len().min(players.len());
        assert_eq!(mine[..common], players[..common], "of {index}");
    }
}

const TYPES: [ConnectionType; 6] = [
    ConnectionType::Lan,
    ConnectionType::Excellent,
    ConnectionType::Good,
    ConnectionType::Average,
    ConnectionType::Low,
    ConnectionType::Bad,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whoever_comes_late_is_shown_the_same_frames(
        connection_type in prop::sample::select(&TYPES[..]),
        delays in prop::collection::vec(1..6_u16, 1..5),
        variety in prop::sample::select(vec![2, 7, 255_u8]),
        watchers in prop::collection::vec((0..300_usize, 1..8_u16, 0..4_usize), 1..4),
        rounds in 1..300_usize,
    ) {
        let mut room = Room::begin(connection_type, &delays, 1 << 20);
        let most = 2 * delays.iter().max().unwrap() + 4;
        let mut indices = Vec::new();
        for round in 0..rounds {
            for (at, delay, _) in &watchers {
                if *at == round {
                    indices.push(room.watch(*delay.min(&most), None).unwrap());
                }
            }
            room.show((round * 31 % usize::from(variety)) as u8);
            for (index, (_, _, eager)) in indices.clone().iter().zip(&watchers) {
                (0..*eager).for_each(|_| room.ask(*index));
            }
        }
        for index in indices {
            if room.events.is_empty() {
                room.catch_up(index);
                room.assert_in_step(index);
                let common = room.shown(0).len();
                let seen = room.shown(index).len();
                prop_assert!(rounds < 40 || seen + 20 > common, "{seen} of {common}");
            }
        }
    }

    /// The others play on meanwhile; from its return on everybody waits for it again.
    #[test]
    fn who_comes_back_plays_on_in_step(
        connection_type in prop::sample::select(&TYPES[..]),
        delays in prop::collection::vec(1..6_u16, 2..5),
        before in 0..200_usize,
        away in 0..200_usize,
        delay in 1..6_u16,
    ) {
        let mut room = Room::begin(connection_type, &delays, 1 << 20);
        (0..before).for_each(|round| room.show(round as u8));
        let now = room.now;
        room.act(|sync, link| sync.remove(now, 1, link));
        room.clients.remove(&1);
        (0..away).for_each(|round| room.show((3 * round) as u8));
        room.sync.forget_inputs(1);
        let back = room.watch(delay, Some(1)).unwrap();
        for round in 0..1500 {
            room.wait(3);
            if !room.sync.is_active(1) {
                room.ask(back);
            }
            if round % 6 == 0 {
                room.send(1, 0x55);
                (0..room.players).filter(|it| *it != 1).for_each(|player| room.send(player, 9));
            }
        }
        prop_assert!(room.sync.is_active(1), "{:?}", room.events);
        room.assert_in_step(1);
        let last = room.shown(1).pop().unwrap();
        prop_assert_eq!(&last[LEN..2 * LEN], &[0x55 ^ 1; LEN]);
    }
}

#[test]
fn a_watcher_never_delays_anybody() {
    let mut room = Room::begin(ConnectionType::Lan, &[1, 2], 1 << 16);
    let watcher = room.watch(1, None).unwrap();
    for value in 0..200 {
        room.round(value);
    }
    assert!(room.clients[&0].stream.len() > 190);
    assert_eq!(room.clients[&watcher].stream.len(), 0);
    assert_eq!(room.gallery.poll_timeout(), None);
}

#[test]
fn the_past_is_shown_eight_times_as_fast_at_most() {
    let mut room = Room::begin(ConnectionType::Lan, &[1, 1], 1 << 16);
    (0..250).for_each(|value| room.round(value));
    let watcher = room.watch(1, None).unwrap();
    (0..60).for_each(|_| room.ask(watcher));
    let shown = |room: &Room| room.clients[&watcher].stream.len();
    assert_eq!(shown(&room), 1);
    let due = room.gallery.poll_timeout().unwrap();
    assert_eq!(due.as_nanos(), 1_000_000_000 / 480);
    for n in 1..60 {
        room.now = Time::from_nanos(n * due.as_nanos());
        room.act(|_, _| {});
        assert_eq!(shown(&room), 1 + n as usize);
    }
}

#[test]
fn who_is_too_slow_or_asks_too_much_is_out() {
    let mut room = Room::begin(ConnectionType::Lan, &[1, 1], 400);
    let slow = room.watch(6, None).unwrap();
    let greedy = room.watch(6, None).unwrap();
    let lossy = room.watch(6, None).unwrap();
    (0..=OWED_MAX).for_each(|_| room.ask(greedy));
    assert_eq!(room.events, [SyncEvent::Flooded { player: greedy }]);
    room.act(|_, link| link.0.gap(lossy, link.1));
    room.act(|_, link| link.0.gap(lossy, link.1));
    assert_eq!(room.events.len(), 2);
    (0..250).for_each(|value| room.round(value));
    assert!(!room.gallery.is_open());
    assert_eq!(room.watch(1, None), None);
    room.events.clear();
    room.ask(slow);
    room.ask(slow);
    room.now += MINUTE;
    room.act(|_, _| {});
    assert_eq!(room.events, [SyncEvent::Outrun { player: slow }]);
    room.ask(slow);
    room.ask(FIRST_WATCHER + 99);
    room.ask(usize::MAX);
    assert_eq!(room.events.len(), 1);
}

#[test]
fn there_is_room_for_a_hundred() {
    let mut gallery = Gallery::default();
    assert!(!gallery.add(FIRST_WATCHER, 6, None));
    gallery.begin(ConnectionType::Lan, 100);
    for index in [0, 1, 50, 99] {
        assert!(gallery.add(FIRST_WATCHER + index, 6, Some(index)));
        assert_eq!(gallery.player(FIRST_WATCHER + index), Some(index));
    }
    assert!(!gallery.add(FIRST_WATCHER + 100, 6, None));
    assert!(!gallery.add(FIRST_WATCHER - 1, 6, None));
    assert!(!gallery.add(FIRST_WATCHER, 0, None));
    gallery.remove(FIRST_WATCHER + 50);
    gallery.remove(FIRST_WATCHER + 50);
    assert_eq!(gallery.player(FIRST_WATCHER + 50), None);
    gallery.end();
    assert!(!gallery.is_open());
}
