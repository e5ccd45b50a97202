//! How sessions begin and end (kaillera.md 2.5, 4, 5).

use super::*;
use crate::{emulator::Speech, swarm::empty};

/// Users that are logged in.
fn users(world: &World) -> u64 {
    world.machine.control.users() as u64
}

fn sessions(world: &World) -> u64 {
    world.machine.control.sessions() as u64
}

#[test]
fn a_silent_user_is_gone_after_190_seconds_exactly() {
    for workers in [0, 2] {
        let mut world = world(settings(), 2, workers);
        let index = log_in(&mut world, [character(1, Breed::Sup)])[0];
        world.run_for(100 * SECOND);
        assert_eq!(users(&world), 1, "keepalives count");
        cut_off(&mut world, index);
        world.run_for(SECOND);
        let end = world.last_heard(index) + 190 * SECOND;
        let gone = until_changes(&mut world, "the user is gone", 200 * SECOND, users);
        assert_eq!(gone, end);
        empty(&mut world);
    }
}

/// Addresses can be forged, and what follows a login then goes to somebody who never asked: a user
/// of whom nothing was heard since gets less time (kaillera-server.md 15, 3).
#[test]
fn who_says_nothing_after_its_login_is_gone_after_130_seconds_exactly() {
    for workers in [0, 2] {
        let mut world = world(settings(), 2, workers);
        let watcher = log_in(&mut world, [character(1, Breed::Sup)])[0];
        let silent = Character {
            keepalive: 1_000 * SECOND,
            ..character(2, Breed::Bot)
        };
        let index = log_in(&mut world, [silent])[0];
        let end = world.last_heard(index) + 130 * SECOND;
        let gone = until_changes(&mut world, "the user is gone", 200 * SECOND, users);
        assert_eq!(gone, end);
        world.run_for(SECOND);
        assert_eq!(world.emulators[watcher].view.users.len(), 1);
        empty(&mut world);
    }
}

/// The room of an owner who vanished is closed, and those who were in it are free.
#[test]
fn rooms_of_a_vanished_owner_are_told() {
    for plays in [false, true] {
        let mut settings = settings();
        // The game is still there when its owner's time is over.
        settings.rules.drop_stalled = false;
        settings.link.drop_after = 1_000 * SECOND;
        let mut world = world(settings, 2, 1);
        let clients = log_in(&mut world, mixed(1..=3));
        if plays {
            crate::swarm::play_game(&mut world, &clients, 100);
        } else {
            super::games::gather(&mut world, &clients);
        }
        let room = world.emulators[clients[0]].room.expect("it is in a room");
        cut_off(&mut world, clients[0]);
        world.run_for(SECOND);
        let heard = world.last_heard(clients[0]);
        world.run_to(heard + 189 * SECOND);
        assert!(world.emulators[clients[1]].view.games.contains_key(&room));
        world.run_to(heard + 191 * SECOND);
        for &client in &clients[1..] {
            let emulator = &world.emulators[client];
            assert_eq!(emulator.phase, Phase::Lobby, "plays: {plays}");
            assert!(emulator.view.games.is_empty());
        }
        // It can go on at once.
        world.with(clients[1], |emulator, ctx| {
            emulator.speak(ctx, Speech::Create(b"another game".to_vec()));
        });
        world.run_for(SECOND);
        assert_eq!(world.emulators[clients[1]].phase, Phase::Room);
        world.network.lose_nothing();
        empty(&mut world);
    }
}

#[test]
fn keepalives_do_not_keep_an_idle_user() {
    let mut settings = settings();
    settings.rules.idle_timeout = 30 * SECOND;
    let mut world = world(settings, 1, 0);
    let index = log_in(&mut world, [character(1, Breed::Sup)])[0];
    world.with(index, |emulator, ctx| {
        emulator.speak(ctx, Speech::Chat(b"hello".to_vec()));
    });
    world.run_for(LATENCY);
    let end = world.last_heard(index) + 30 * SECOND;
    world.run_to(end + LATENCY);
    assert_eq!(users(&world), 0);
    assert!(world.emulators[index].is_off(), "it has been told");
    empty(&mut world);
}

#[test]
fn a_user_that_does_something_is_not_idle() {
    let mut settings = settings();
    settings.rules.idle_timeout = 30 * SECOND;
    let mut world = world(settings, 1, 0);
    let index = log_in(&mut world, [character(1, Breed::Sup)])[0];
    for _ in 0..5 {
        world.run_for(25 * SECOND);
        world.with(index, |emulator, ctx| {
            emulator.speak(ctx, Speech::Chat(b"still here".to_vec()));
        });
    }
    assert_eq!(users(&world), 1);
    empty(&mut world);
}

#[test]
fn an_unfinished_login_ends_after_15_seconds_without_a_word() {
    let mut world = world(settings(), 1, 0);
    world
        .network
        .lose(|_, datagram| is_newest(datagram, Direction::ToServer, Kind::ClientAck));
    let index = world.add(character(1, Breed::N02), LATENCY, world.now);
    world.run_until("a session opens", 10 * SECOND, |world| sessions(world) == 1);
    let opened = world.now;
    let gone = until_changes(&mut world, "the session is gone", 20 * SECOND, sessions);
    assert_eq!(gone, opened + 15 * SECOND);
    assert!(
        matches!(world.emulators[index].phase, Phase::LoggingIn { .. }),
        "it is told nothing"
    );
    empty(&mut world);
}

/// No client says anything again while it logs in: only the server's repeats, after 250 ms and
/// after a second, help one whose answer got lost.
#[test]
fn a_lost_answer_to_a_login_comes_again_after_250_ms_and_after_a_second() {
    for lost in 0..4 {
        for (times, extra) in [(1, 250), (2, 1_000)] {
            let mut settings = settings();
            settings.rules.max_ping = 10 * SECOND;
            let mut world = world(settings, 1, 0);
            let mut left = times;
            world.network.lose(move |_, datagram| {
                let hit = datagram.direction() == Direction::ToClient
                    && newest(datagram) == Some((lost, Kind::ServerAck as u8))
                    && left > 0;
                left -= u32::from(hit);
                hit
            });
            let start = world.now;
            let index = world.add(character(1, Breed::Bot), LATENCY, start);
            world.run_until("the login", 5 * SECOND, |world| {
                world.emulators[index].phase == Phase::Lobby
            });
            let took = world.now.since(start);
            let round = 2 * LATENCY;
            let least = extra * MILLI + 5 * round;
            let most = least + 3 * round + 40 * MILLI;
            assert!(
                (least..=most).contains(&took),
                "ack {lost} lost {times} times: the login took {took:?}"
            );
        }
    }
}

/// The same for what ends the login: the lists and the user's own name.
#[test]
fn the_lost_tail_of_a_login_comes_again() {
    let mut settings = settings();
    settings.rules.welcome = vec!["welcome".to_owned()];
    let mut world = world(settings, 1, 0);
    let silence = Time::from_millis(700);
    world.network.lose(move |now, datagram| {
        datagram.direction() == Direction::ToClient
            && now < silence
            && newest(datagram).is_some_and(|(number, _)| number > 3)
    });
    let index = world.add(character(1, Breed::Sup), LATENCY, world.now);
    world.run_until("the login", 2 * SECOND, |world| {
        world.emulators[index].phase == Phase::Lobby
    });
    assert!(world.emulators[index].trusted);
    empty(&mut world);
}

#[test]
fn who_comes_back_on_the_same_port_gets_in_and_its_past_is_gone() {
    let mut world = world(settings(), 2, 2);
    let added = log_in(
        &mut world,
        [character(1, Breed::Sup), character(2, Breed::N02)],
    );
    for _ in 0..20 {
        let now = world.now;
        world.with(added[0], |emulator, _| {
            emulator.crash(now);
            emulator.start(now);
        });
        world.run_until("it comes back", 10 * SECOND, |world| {
            world.emulators[added[0]].phase == Phase::Lobby
        });
        world.run_for(SECOND);
        assert_eq!(users(&world), 2);
        assert_eq!(world.emulators[added[1]].view.users.len(), 2);
        assert!(world.emulators[added[1]].trusted);
    }
    empty(&mut world);
}
