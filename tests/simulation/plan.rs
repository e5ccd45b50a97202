//! What a seed decides before the first datagram.

use crate::{
    emulator::{Breed, Character},
    machine::{Build, Unfairness},
    network::Faults,
    rng::{Odds, Rng},
};
use samara::{
    kaillera::message::ConnectionType,
    lobby::sync::Sensitivity,
    service::kaillera::{Limits, Settings},
};
use std::{net::Ipv4Addr, time::Duration};

/// Everything about a run that is known at its start.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) build: Build,
    pub(crate) faults: Faults,
    pub(crate) trouble: Trouble,
    /// With each client's one-way latency.
    pub(crate) clients: Vec<(Character, Duration)>,
    /// How long everything may go wrong.
    pub(crate) chaos: Duration,
}

/// Faults that are not of the network.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trouble {
    /// In each tenth of a second: the clock jumps forward.
    pub(crate) jump: Odds,
    /// Datagrams from nobody.
    pub(crate) strangers: Odds,
    /// A client with a garbled link floods the server.
    pub(crate) flood: Odds,
}

const EMULATORS: [&[u8]; 2] = [b"MAME32k 0.64", b"Project 64k 0.13"];

impl Plan {
    pub(crate) fn new(rng: &mut Rng) -> Self {
        let settings = settings(rng);
        let loops = rng.within(1..=3) as usize;
        let workers = if rng.chance(5_000) {
            0
        } else {
            rng.within(1..=3)
        } as usize;
        let unfair = rng.chance(5_000);
        let unfairness = Unfairness {
            hold: if unfair {
                rng.within(0..=1_000) as Odds
            } else {
                0
            },
            hold_ms: rng.within(1..=30),
            batch: rng.pick(&[1, 3, 64]),
            half_sent: if unfair { rng.swarm(3_000) } else { 0 },
        };
        let build = Build {
            loops,
            workers,
            settings,
            frames_in: if rng.chance(2_000) { 24 } else { 256 },
            unfairness,
        };
        let faults = Faults {
            loss: rng.swarm(800),
            duplication: rng.swarm(1_500),
            reordering: rng.swarm(1_000),
            jitter: if rng.chance(5_000) {
                rng.within(1..=60)
            } else {
                0
            },
            clog: rng.swarm(20),
            truncation: rng.swarm(300),
            flip: rng.swarm(1_000),
        };
        let trouble = Trouble {
            jump: rng.swarm(30),
            strangers: rng.swarm(3_000),
            flood: rng.swarm(500),
        };
        Self {
            build,
            faults,
            trouble,
            clients: clients(rng),
            chaos: rng.millis(20_000..=90_000),
        }
    }
}

fn settings(rng: &mut Rng) -> Settings {
    let mut settings = Settings::default();
    let rules = &mut settings.rules;
    if rng.chance(6_000) {
        rules.chat_flood = Duration::ZERO;
    }
    if rng.chance(6_000) {
        rules.create_game_flood = Duration::ZERO;
    }
    rules.keepalive_timeout = Duration::from_secs(rng.pick(&[8, 30, 190]));
    rules.idle_timeout = Duration::from_secs(rng.pick(&[0, 10, 3600]));
    rules.ready_timeout = Duration::from_secs(rng.pick(&[5, 130]));
    rules.max_users = rng.pick(&[0, 0, 0, 6]);
    rules.max_games = rng.pick(&[0, 0, 2]);
    rules.room_capacity = rng.pick(&[2, 3, 8]);
    rules.allow_single_player = rng.chance(8_000);
    rules.welcome = (0..rng.within(0..=5))
        .map(|n| format!("line {n}"))
        .collect();
    rules.drop_stalled = rng.chance(7_000);
    rules.autofire = Sensitivity::new(rng.pick(&[0, 5])).unwrap_or_default();
    let link = &mut settings.link;
    link.desync_after = Duration::from_secs(rng.pick(&[2, 12]));
    link.drop_after = Duration::from_secs(rng.pick(&[6, 60]));
    link.login_timeout = Duration::from_secs(rng.pick(&[4, 15]));
    settings.limits = Limits {
        sessions: rng.pick(&[12, 40]),
        half_open: rng.pick(&[3, 20]),
        half_open_per_address: 3,
        inbox: rng.pick(&[16, 16, 256]),
        frames_out: rng.pick(&[24, 512, 512, 512]),
        backlog: rng.pick(&[4096, 256 * 1024]),
        replay: rng.pick(&[0, 16 * 1024, 1 << 20]),
        replay_total: 2 << 20,
        ..Limits::default()
    };
    settings
}

fn clients(rng: &mut Rng) -> Vec<(Character, Duration)> {
    let common = rng.pick(&TYPES);
    let emulator = rng.pick(&EMULATORS);
    let keepalive = Duration::from_secs(rng.pick(&[2, 3, 20]));
    let odd = rng.swarm(2_000);
    let garbled = rng.swarm(2_000);
    let lan = rng.chance(3_000);
    (1..=rng.within(2..=10) as u16)
        .map(|number| {
            let breeds = [Breed::N02, Breed::T02, Breed::Sup, Breed::Sup, Breed::Bot];
            let breed = rng.pick(&breeds);
            let differs = rng.chance(odd);
            let garbled = number > 2 && rng.chance(garbled);
            // Two of a house share its address, but nobody a line that garbles.
            let house = if garbled { number } else { number / 2 } as u8;
            let character = Character {
                breed,
                number,
                host: Ipv4Addr::new(10, 0, garbled.into(), house),
                emulator: if differs { EMULATORS[0] } else { emulator },
                connection_type: if differs { rng.pick(&TYPES) } else { common },
                caches: breed == Breed::Sup && rng.chance(6_000),
                fake_ping: rng.chance(1_500).then(|| rng.millis(5..=150)),
                keepalive,
                garbled,
                lively: true,
            };
            let latency = if lan {
                rng.millis(0..=5)
            } else {
                rng.millis(5..=120)
            };
            (character, latency)
        })
        .collect()
}

const TYPES: [ConnectionType; 6] = [
    ConnectionType::Lan,
    ConnectionType::Excellent,
    ConnectionType::Good,
    ConnectionType::Average,
    ConnectionType::Low,
    ConnectionType::Bad,
];
