//! Scenes with a plot: one thing goes wrong, at a known moment, and the moment at which the
//! server acts is known too.

mod classes;
mod crowds;
mod games;
mod regressions;
mod sessions;
mod watching;

use crate::{
    emulator::{Breed, Character, Phase},
    machine::{Build, Unfairness},
    network::{Datagram, Direction, Faults},
    plan::Trouble,
    rng::Rng,
    world::World,
};
use samara::{
    kaillera::{Kind, bundle::Bundle, message::ConnectionType},
    service::kaillera::{Limits, Settings},
    timer::Time,
};
use std::{net::Ipv4Addr, time::Duration};

const SECOND: Duration = Duration::from_secs(1);
const MILLI: Duration = Duration::from_millis(1);
/// One way, for everybody.
const LATENCY: Duration = Duration::from_millis(5);

/// Settings without pauses that only get in a scene's way.
fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.rules.chat_flood = Duration::ZERO;
    settings.rules.create_game_flood = Duration::ZERO;
    settings.limits = Limits {
        sessions: 64,
        frames_out: 512,
        ..Limits::default()
    };
    settings
}

/// A world in which nothing goes wrong by itself.
fn world(settings: Settings, loops: usize, workers: usize) -> World {
    let build = Build {
        loops,
        workers,
        settings,
        frames_in: 1024,
        unfairness: Unfairness::NONE,
    };
    let mut rng = Rng::new(1);
    World::new(build, Faults::default(), Trouble::default(), &mut rng)
}

fn character(number: u16, breed: Breed) -> Character {
    let [high, low] = number.to_be_bytes();
    Character {
        breed,
        number,
        host: Ipv4Addr::new(10, 1, high, low),
        emulator: b"MAME32k 0.64",
        connection_type: ConnectionType::Lan,
        caches: breed == Breed::Sup,
        fake_ping: None,
        keepalive: 20 * SECOND,
        garbled: false,
        lively: false,
    }
}

/// Adds clients that log in at once, and waits until they have.
fn log_in(world: &mut World, characters: impl IntoIterator<Item = Character>) -> Vec<usize> {
    let added: Vec<usize> = characters
        .into_iter()
        .map(|character| world.add(character, LATENCY, world.now))
        .collect();
    world.run_until("everybody logs in", 60 * SECOND, |world| {
        let mut phases = added.iter().map(|&index| world.emulators[index].phase);
        phases.all(|phase| phase == Phase::Lobby)
    });
    world.run_for(2 * SECOND);
    added
}

/// The first of these numbers are clients of different breeds.
fn mixed(numbers: std::ops::RangeInclusive<u16>) -> impl Iterator<Item = Character> {
    let breeds = [Breed::N02, Breed::Sup, Breed::T02];
    numbers.map(move |number| character(number, breeds[usize::from(number) % 3]))
}

/// Loses everything from and to a client.
fn cut_off(world: &mut World, index: usize) {
    let host = world.emulators[index].address().ip();
    world
        .network
        .lose(move |_, datagram| datagram.client().ip() == host);
}

/// The number and kind of a bundle's newest message.
fn newest(datagram: &Datagram) -> Option<(u16, u8)> {
    let bundle = Bundle::parse(&datagram.bytes).ok()?;
    let message = bundle.newest_first().next()?;
    Some((message.number.0, message.kind))
}

fn is_newest(datagram: &Datagram, direction: Direction, kind: Kind) -> bool {
    datagram.direction() == direction
        && newest(datagram).is_some_and(|(_, newest)| newest == kind as u8)
}

/// Frames an emulator has shown in its game.
fn frames(world: &World, index: usize) -> usize {
    world.streams.len(world.emulators[index].part())
}

/// Runs until a counter of the server's moves; says when that was.
fn until_changes(
    world: &mut World,
    what: &str,
    within: Duration,
    count: impl Fn(&World) -> u64,
) -> Time {
    let before = count(world);
    world.run_until(what, within, |world| count(world) != before);
    world.now
}
