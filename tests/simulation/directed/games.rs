//! How games go on when a player does not (kaillera.md 7.3, 9).

use super::*;
use crate::swarm::{empty, play_game, start_game};

fn desyncs(world: &World) -> u64 {
    world.machine.control.metrics().desyncs.get()
}

/// Three players, the third of whom is cut off in the middle of the game.
pub(super) fn lose_the_third(world: &mut World, players: &[usize]) {
    play_game(world, players, 200);
    cut_off(world, players[2]);
}

#[test]
fn a_player_that_is_silent_for_12_seconds_is_left_behind() {
    for (loops, workers) in [(1, 0), (3, 0), (2, 3)] {
        let mut settings = settings();
        settings.rules.drop_stalled = false;
        let mut world = world(settings, loops, workers);
        let players = log_in(&mut world, mixed(1..=3));
        lose_the_third(&mut world, &players);
        world.run_for(SECOND);
        let heard = world.last_heard(players[2]);
        let stalled = frames(&world, players[0]);
        let at = until_changes(&mut world, "the desync", 20 * SECOND, desyncs);
        let took = at.since(heard);
        assert!(
            (12 * SECOND..12 * SECOND + 100 * MILLI).contains(&took),
            "out of sync after {took:?}"
        );
        assert!(frames(&world, players[0]) <= stalled + 1, "they waited");
        world.run_for(10 * SECOND);
        for &player in &players[..2] {
            let played = frames(&world, player) - stalled;
            assert!(played > 550, "only {played} frames in 10 s");
            assert!(world.emulators[player].drops.is_empty());
            let lines = &world.emulators[player].lines;
            let named = lines.iter().any(|line| line.starts_with(b"player 3 "));
            assert!(named, "the room is told who it is");
        }
        world.network.lose_nothing();
        empty(&mut world);
    }
}

/// The default: the room is told at once, and the game can end without the one that hangs.
#[test]
fn a_player_that_hangs_is_dropped_after_12_seconds_and_the_others_play_on() {
    for (loops, workers) in [(1, 0), (3, 0), (2, 3)] {
        let mut world = world(settings(), loops, workers);
        let players = log_in(&mut world, mixed(1..=3));
        lose_the_third(&mut world, &players);
        world.run_for(SECOND);
        let end = world.last_heard(players[2]) + 12 * SECOND;
        world.run_to(end);
        assert!(world.emulators[players[0]].drops.is_empty());
        let stalled = frames(&world, players[0]);
        world.run_for(10 * SECOND);
        let line = b"player 3 did not answer for 12 s and was dropped; the others play on.";
        for &player in &players[..2] {
            let emulator = &world.emulators[player];
            assert_eq!(emulator.drops, [3]);
            assert!(
                emulator.lines.contains(&line.to_vec()),
                "the room is told who it is"
            );
            assert!(frames(&world, player) - stalled > 550, "they play on");
        }
        for &player in &players[..2] {
            world.with(player, |emulator, ctx| emulator.drop_out(ctx));
        }
        world.run_for(SECOND);
        let room = world.emulators[players[0]].room.expect("it is in a room");
        let status = world.emulators[players[0]].view.games[&room].status;
        assert_eq!(status, 0, "the game is over");
        world.network.lose_nothing();
        empty(&mut world);
    }
}

#[test]
fn a_player_without_a_datagram_for_60_seconds_is_dropped() {
    let mut settings = settings();
    settings.rules.drop_stalled = false;
    let mut world = world(settings, 2, 1);
    let players = log_in(&mut world, mixed(1..=3));
    lose_the_third(&mut world, &players);
    world.run_for(SECOND);
    let end = world.last_heard(players[2]) + 60 * SECOND;
    world.run_to(Time::from_nanos(end.as_nanos() - 1));
    assert!(world.emulators[players[0]].drops.is_empty());
    world.run_for(50 * MILLI);
    assert_eq!(world.emulators[players[0]].drops, [3]);
    assert_eq!(world.emulators[players[1]].drops, [3]);
    let shown = frames(&world, players[0]);
    world.run_for(5 * SECOND);
    assert!(
        frames(&world, players[0]) > shown + 250,
        "the others play on"
    );
    world.network.lose_nothing();
    empty(&mut world);
}

/// With the client that never gets ready thrown out, the others play.
#[test]
fn who_is_not_ready_in_time_is_dropped_and_the_others_play() {
    let mut settings = settings();
    settings.rules.ready_timeout = 40 * SECOND;
    let mut world = world(settings, 1, 0);
    let players = log_in(&mut world, mixed(1..=3));
    world.emulators[players[2]].loading_time = Some(1_000 * SECOND);
    let started = start_without_waiting(&mut world, &players);
    world.run_to(started + 39 * SECOND);
    assert!(world.emulators[players[0]].drops.is_empty());
    world.run_to(started + 41 * SECOND);
    assert_eq!(world.emulators[players[0]].drops, [3]);
    assert_eq!(world.emulators[players[2]].phase, Phase::Room);
    world.run_for(10 * SECOND);
    assert!(frames(&world, players[0]) > 550);
    assert!(frames(&world, players[1]) > 550);
    empty(&mut world);
}

/// By the default of 130 seconds no other client has any patience left, but the room has.
#[test]
fn after_130_seconds_of_synchronizing_the_room_waits_again() {
    let mut world = world(settings(), 1, 0);
    let players = log_in(&mut world, mixed(1..=3));
    world.emulators[players[2]].loading_time = Some(1_000 * SECOND);
    let started = start_without_waiting(&mut world, &players);
    world.run_to(started + 129 * SECOND);
    assert!(!world.emulators[players[0]].drops.contains(&3));
    world.run_to(started + 131 * SECOND);
    let room = world.emulators[players[0]].room.expect("it is in a room");
    for &player in &players {
        assert!(world.emulators[player].drops.contains(&3));
        assert_eq!(world.emulators[player].phase, Phase::Room);
        assert_eq!(world.emulators[player].view.games[&room].status, 0);
    }
    empty(&mut world);
}

/// Starts a game; returns when the owner knows.
fn start_without_waiting(world: &mut World, players: &[usize]) -> Time {
    use crate::emulator::Speech;
    let owner = players[0];
    gather(world, players);
    world.with(owner, |emulator, ctx| emulator.speak(ctx, Speech::Start));
    world.run_until("the game starts", SECOND, |world| {
        matches!(world.emulators[owner].phase, Phase::Loading { .. })
    });
    world.now
}

/// AllReady is said once, and a client that misses it waits for good.
#[test]
fn a_lost_all_ready_comes_again_for_five_seconds() {
    for lost_for in [0, 300, 2_000, 4_500] {
        let mut world = world(settings(), 1, 0);
        let players = log_in(&mut world, mixed(1..=3));
        let host = world.emulators[players[1]].address().ip();
        let mut said: Option<Time> = None;
        world.network.lose(move |now, datagram| {
            let to_second = datagram.direction() == Direction::ToClient && datagram.to.ip() == host;
            if to_second && is_newest(datagram, Direction::ToClient, Kind::AllReady) {
                said.get_or_insert(now);
            }
            to_second && said.is_some_and(|said| now.since(said) < lost_for * MILLI)
        });
        start_game(&mut world, &players);
        let player = &world.emulators[players[1]];
        assert!(player.trusted, "nothing was missed");
        world.network.lose_nothing();
        world.run_for(5 * SECOND);
        assert!(frames(&world, players[1]) > 200);
        empty(&mut world);
    }
}

/// Numbers go round after 65,536 messages, which is 18 minutes of play. Losses never take two
/// datagrams in a row, so that nothing may be missed and nobody be out of sync.
#[test]
fn a_game_of_70_000_frames_with_losses_goes_on_past_the_last_number() {
    let mut world = world(settings(), 1, 0);
    let players = log_in(
        &mut world,
        [character(1, Breed::N02), character(2, Breed::Sup)],
    );
    let mut rng = Rng::new(3);
    let mut spared = std::collections::BTreeMap::new();
    world.network.lose(move |_, datagram| {
        let lane = (datagram.client(), datagram.direction());
        let before = spared.get(&lane).copied().unwrap_or(false);
        let lost = !before && rng.chance(200);
        spared.insert(lane, lost);
        lost
    });
    start_game(&mut world, &players);
    world.run_until("70,000 frames", 1_800 * SECOND, |world| {
        players
            .iter()
            .all(|&player| frames(world, player) >= 70_000)
    });
    assert_eq!(desyncs(&world), 0);
    for &player in &players {
        assert!(world.emulators[player].trusted, "nothing was missed");
    }
    assert!(world.streams.compared >= 70_000);
    world.network.lose_nothing();
    empty(&mut world);
}

#[test]
fn games_of_all_sizes_and_types_agree() {
    use ConnectionType::{Average, Bad, Excellent, Good, Lan, Low};
    for connection_type in [Lan, Excellent, Good, Average, Low, Bad] {
        for players in [1, 2, 5, 8] {
            let mut world = world(settings(), 3, 0);
            let characters = mixed(1..=players).map(|character| Character {
                connection_type,
                // From a delay of 1 to the highest that max_ping allows.
                fake_ping: Some(120 * MILLI * u32::from(character.number - 1) + MILLI),
                ..character
            });
            let players = log_in(&mut world, characters);
            play_game(&mut world, &players, 400);
            empty(&mut world);
        }
    }
}

/// The first opens a room and the others join it.
pub(super) fn gather(world: &mut World, players: &[usize]) {
    use crate::emulator::Speech;
    let (&owner, guests) = players.split_first().expect("somebody plays");
    world.with(owner, |emulator, ctx| {
        emulator.speak(ctx, Speech::Create(b"a game".to_vec()));
    });
    world.run_for(SECOND);
    let room = world.emulators[owner].room.expect("it is in a room");
    for &guest in guests {
        world.with(guest, |emulator, ctx| {
            emulator.speak(ctx, Speech::Join(room));
        });
        world.run_for(20 * MILLI);
    }
    world.run_for(SECOND);
    for &player in players {
        assert_eq!(world.emulators[player].phase, Phase::Room);
    }
}
