//! The kinds of mistakes that servers of this protocol were known for, a scene for each
//! (kaillera-server.md 15).

use super::*;
use crate::{
    emulator::Speech,
    swarm::{empty, play_game, start_game},
    world::single,
};
use samara::kaillera::{
    bundle::{BundleWriter, MessageNumber},
    message::ClientMessage,
};

/// How and when somebody leaves.
#[derive(Clone, Copy, Debug)]
enum Way {
    Drop,
    LeaveRoom,
    Quit,
    Vanish,
}

const WAYS: [Way; 4] = [Way::Drop, Way::LeaveRoom, Way::Quit, Way::Vanish];

fn leave(world: &mut World, client: usize, way: Way) {
    world.with(client, |emulator, ctx| match way {
        Way::Drop => emulator.drop_out(ctx),
        Way::LeaveRoom => emulator.speak(ctx, Speech::Leave),
        Way::Quit => emulator.quit(ctx),
        Way::Vanish => {
            emulator.crash(ctx.now);
            emulator.stay_off();
        }
    });
}

#[test]
fn leaving_in_every_order_and_state() {
    // One and two seconds after the start some still load, at five all play.
    for moment in [0, 1_000, 2_000, 5_000] {
        for (first, second) in [(1, 2), (2, 1), (3, 1), (1, 3), (2, 3), (3, 2)] {
            for way in WAYS {
                let mut settings = settings();
                settings.link.desync_after = 2 * SECOND;
                settings.rules.ready_timeout = 6 * SECOND;
                let mut world = world(settings, 1, 0);
                let clients = log_in(&mut world, mixed(1..=4));
                for (index, &client) in clients.iter().enumerate() {
                    world.emulators[client].loading_time = Some(600 * MILLI * index as u32);
                }
                super::games::gather(&mut world, &clients);
                let owner = clients[0];
                world.with(owner, |emulator, ctx| emulator.speak(ctx, Speech::Start));
                world.run_for(moment * MILLI);
                leave(&mut world, clients[first], way);
                world.run_for(50 * MILLI);
                leave(&mut world, clients[second], way);
                world.run_for(12 * SECOND);
                let shown = frames(&world, owner);
                world.run_for(3 * SECOND);
                assert!(
                    frames(&world, owner) > shown + 170,
                    "{first} and {second} leave after {moment} ms: {way:?}"
                );
                world.machine.lobby().check_invariants();
            }
        }
    }
}

/// The reference answered with the inputs of players who had left, out of stale memory.
#[test]
fn stale_input_after_leaving_is_nobodys() {
    let mut world = world(settings(), 2, 1);
    let clients = log_in(&mut world, mixed(1..=3));
    play_game(&mut world, &clients, 200);
    let leaver = clients[2];
    let from = world.emulators[leaver].address();
    world.with(leaver, |emulator, ctx| emulator.speak(ctx, Speech::Leave));
    for number in 0..200_u16 {
        let input = &[0xAB; 8];
        let late = single(30_000 + number, &ClientMessage::GameData { input });
        world.inject(from, late);
        world.inject(
            from,
            single(31_000 + number, &ClientMessage::CachedGameData { index: 0 }),
        );
        world.run_for(10 * MILLI);
    }
    for &client in &clients[..2] {
        assert!(frames(&world, client) > 300);
        assert!(world.emulators[client].trusted);
    }
    empty(&mut world);
}

/// A second game begins without a byte of the first.
#[test]
fn stale_input_of_one_game_is_not_in_the_next() {
    let mut world = world(settings(), 1, 0);
    let clients = log_in(&mut world, mixed(1..=2));
    super::games::gather(&mut world, &clients);
    for round in 0..4 {
        world.with(clients[0], |emulator, ctx| {
            emulator.speak(ctx, Speech::Start)
        });
        world.run_until("all play", 20 * SECOND, |world| {
            let mut phases = clients.iter().map(|&client| world.emulators[client].phase);
            phases.all(|phase| phase == Phase::Playing)
        });
        world.run_for([50, 150, 400, 3_000][round] * MILLI);
        for &client in &clients {
            world.with(client, |emulator, ctx| emulator.drop_out(ctx));
        }
        world.run_for(SECOND);
    }
    assert!(world.streams.compared > 100);
    empty(&mut world);
}

/// Three keepalives in a bundle, as clients in a room send them.
#[test]
fn bundles_of_keepalives_only_are_messages_like_others() {
    let mut world = world(settings(), 1, 0);
    let client = log_in(&mut world, [character(1, Breed::Sup)])[0];
    world.with(client, |emulator, ctx| {
        emulator.speak(ctx, Speech::Create(b"a game".to_vec()));
        for _ in 0..3 {
            emulator.speak(ctx, Speech::KeepAlive);
        }
    });
    for _ in 0..60 {
        world.run_for(10 * SECOND);
        world.with(client, |emulator, ctx| {
            emulator.speak(ctx, Speech::KeepAlive)
        });
    }
    assert_eq!(
        world.machine.control.users(),
        1,
        "it is heard for ten minutes"
    );
    assert_eq!(world.emulators[client].phase, Phase::Room);
    let line = b"still here".to_vec();
    world.with(client, |emulator, ctx| {
        emulator.speak(ctx, Speech::GameChat(line.clone()));
    });
    world.run_for(SECOND);
    assert!(world.emulators[client].lines.contains(&line));
    empty(&mut world);
}

/// A client that says the same for ever is answered for a while.
#[test]
fn resends_end() {
    let mut world = world(settings(), 1, 0);
    let silent = Character {
        keepalive: 1_000 * SECOND,
        ..character(1, Breed::Bot)
    };
    let client = log_in(&mut world, [silent])[0];
    let from = world.emulators[client].address();
    let stuck = single(0, &ClientMessage::KeepAlive);
    let mut sent = world.trace.datagrams();
    let mut answers = Vec::new();
    for _ in 0..20 {
        for _ in 0..300 {
            world.inject(from, stuck.clone());
            world.run_for(20 * MILLI);
        }
        answers.push(world.trace.datagrams() - sent - 300);
        sent = world.trace.datagrams();
    }
    assert!(answers[0] > 20, "it is answered: {answers:?}");
    assert!(
        answers[18..].iter().all(|answers| *answers <= 1),
        "for ever: {answers:?}"
    );
}

#[test]
fn five_eleven_and_a_hundred_players() {
    for players in [5, 11, 100] {
        let mut settings = settings();
        settings.limits = Limits {
            sessions: 128,
            frames_out: 8_192,
            ..Limits::default()
        };
        settings.rules.room_capacity = 100;
        settings.rules.autofire = samara::lobby::sync::Sensitivity::new(5).expect("a level");
        let mut world = world(settings, 2, 0);
        let clients = log_in(&mut world, mixed(1..=players));
        play_game(&mut world, &clients, 150);
        let mut others = clients.clone();
        while others.len() > 1 {
            let leaver = others.remove(others.len() / 2);
            world.with(leaver, |emulator, ctx| emulator.drop_out(ctx));
        }
        let shown = frames(&world, others[0]);
        world.run_for(2 * SECOND);
        assert!(frames(&world, others[0]) > shown + 100);
        empty(&mut world);
    }
}

/// Frames are divided by it: 0 once ended the server.
#[test]
fn connection_types_of_0_and_255_do_not_log_in() {
    let mut world = world(settings(), 1, 0);
    let players = log_in(&mut world, mixed(1..=2));
    start_game(&mut world, &players);
    for (port, connection_type) in [(7_000, 0), (7_001, 255), (7_002, 7), (7_003, 128)] {
        let from = (Ipv4Addr::new(198, 51, 100, 77), port).into();
        let body = [&[0x03][..], b"ghost\0none\0", &[connection_type]].concat();
        let mut bytes = vec![0; 64];
        let mut bundle = BundleWriter::new(&mut bytes);
        bundle.push(MessageNumber(0), &body).expect("it fits");
        let length = bundle.finish();
        world.inject(from, bytes[..length].to_vec());
        for number in 1..6 {
            world.inject(from, single(number, &ClientMessage::ClientAck));
        }
        world.run_for(SECOND);
    }
    assert_eq!(world.machine.control.users(), 2);
    let shown = frames(&world, players[0]);
    world.run_for(2 * SECOND);
    assert!(frames(&world, players[0]) > shown + 100);
    empty(&mut world);
}
