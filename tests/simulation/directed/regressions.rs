//! What the simulation has found, each as a scene of its own: seeds mean other runs as soon as
//! the plan changes, scenes stay.

use super::*;
use crate::{
    emulator::Speech,
    swarm::{empty, play_game},
};
use samara::metrics::Reason;

/// Far players have 20 messages under way. When the one that everybody waits for is found out
/// of sync, the answers to all of them leave in one turn: more than the 16 that a link
/// remembers, so the first ones were forgotten before they were sent, and with them a cache
/// entry. An inbox of 16 lost the last ones instead.
#[test]
fn what_a_desync_lets_go_at_once_reaches_far_players_whole() {
    for (inbox, workers) in [(256, 0), (256, 2), (16, 0), (16, 2)] {
        let mut settings = settings();
        settings.limits.inbox = inbox;
        let mut world = world(settings, 1, workers);
        let far = mixed(1..=3).map(|character| Character {
            fake_ping: Some(330 * MILLI),
            ..character
        });
        let players = log_in(&mut world, far);
        play_game(&mut world, &players, 200);
        cut_off(&mut world, players[2]);
        world.run_for(20 * SECOND);
        for &player in &players[..2] {
            assert!(world.emulators[player].trusted, "nothing was missed");
            assert!(frames(&world, player) > 500);
        }
        world.network.lose_nothing();
        empty(&mut world);
    }
}

/// A StartGame may wait for its pace until its game is over. It then left the link in a game,
/// with a game's pace, for the rest of the session; the network's own check of the pace sees it.
#[test]
fn a_start_that_comes_after_the_end_of_its_game_is_no_game() {
    let mut world = world(settings(), 1, 0);
    let clients = log_in(&mut world, mixed(1..=12));
    super::games::gather(&mut world, &clients[..2]);
    let speak_all = |world: &mut World| {
        for &client in &clients[2..] {
            world.with(client, |emulator, ctx| {
                emulator.speak(ctx, Speech::Chat(b"all at once".to_vec()));
            });
        }
    };
    speak_all(&mut world);
    world.with(clients[0], |emulator, ctx| {
        emulator.speak(ctx, Speech::Start);
        emulator.speak(ctx, Speech::Leave);
    });
    world.run_for(SECOND);
    assert_eq!(world.machine.control.metrics().games_started.get(), 1);
    assert_eq!(world.emulators[clients[1]].phase, Phase::Lobby);
    speak_all(&mut world);
    world.run_for(SECOND);
    empty(&mut world);
}

/// An AllReady may wait for its pace until its player has dropped. It then held back what the
/// lobby had to say, for the sake of a first input that could not come: five seconds for one
/// who stayed, and for ever for one who left and was to be told.
#[test]
fn all_ready_for_one_who_has_dropped_holds_nothing_back() {
    let mut world = world(settings(), 1, 0);
    let clients = log_in(&mut world, mixed(1..=3));
    let (owner, guest, other) = (clients[0], clients[1], clients[2]);
    world.emulators[owner].loading_time = Some(2 * SECOND);
    world.emulators[guest].loading_time = Some(SECOND);
    super::games::gather(&mut world, &[owner, guest]);
    world.with(owner, |emulator, ctx| emulator.speak(ctx, Speech::Start));
    world.run_until("the owner is ready", 10 * SECOND, |world| {
        matches!(world.emulators[owner].phase, Phase::Ready { .. })
    });
    world.with(guest, |emulator, ctx| emulator.drop_out(ctx));
    world.run_for(100 * MILLI);
    for n in 0..5 {
        let line = format!("line {n}").into_bytes();
        world.with(other, |emulator, ctx| {
            emulator.speak(ctx, Speech::Chat(line.clone()));
        });
        world.run_until("the guest hears a line", SECOND, |world| {
            world.emulators[guest].lines.contains(&line)
        });
    }
    empty(&mut world);
}

/// A game whose output finds no buffer left out a player and went on with it, which from then
/// on played other frames than the rest. Now it is out of sync, and knows.
#[test]
fn a_player_for_whom_no_buffer_is_left_is_out_of_sync_and_not_astray() {
    let mut settings = settings();
    settings.limits.frames_out = 64;
    let mut world = world(settings, 1, 0);
    let far = mixed(1..=16).map(|character| Character {
        fake_ping: Some(330 * MILLI),
        ..character
    });
    let clients = log_in(&mut world, far);
    let (players, others) = clients.split_at(4);
    play_game(&mut world, players, 400);
    world.machine.blocked = true;
    for &speaker in others.iter().chain(others) {
        world.with(speaker, |emulator, ctx| {
            emulator.speak(ctx, Speech::Chat(b"into a full socket".to_vec()));
        });
    }
    world.run_for(SECOND);
    world.machine.unblock();
    world.run_for(30 * SECOND);
    let control = &world.machine.control;
    assert!(control.drops().count(Reason::NoBufferOut) > 0);
    assert!(control.metrics().desyncs.get() > 0);
    assert!(world.streams.compared > 0, "and nobody saw other frames");
    empty(&mut world);
}

/// Messages of two intervals that met left within a millisecond.
#[test]
fn the_pace_holds_where_two_intervals_meet() {
    let mut world = world(settings(), 1, 0);
    let clients = log_in(&mut world, mixed(1..=9));
    let say = |world: &mut World, speakers: &[usize]| {
        for &speaker in speakers {
            world.with(speaker, |emulator, ctx| {
                emulator.speak(ctx, Speech::Chat(b"one of many".to_vec()));
            });
        }
    };
    say(&mut world, &clients[..1]);
    world.run_for(19 * MILLI);
    say(&mut world, &clients[1..]);
    world.run_for(SECOND);
    empty(&mut world);
}
