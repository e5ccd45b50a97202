//! One seed from its plan to a server that is empty again.

use crate::{
    emulator::{Phase, Speech},
    plan::Plan,
    rng::Rng,
    world::World,
};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
/// Frames the last game plays.
const LAST_GAME: usize = 200;

/// What a run leaves behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) trace: u64,
    pub(crate) datagrams: u64,
    pub(crate) logins: u64,
    pub(crate) games: u64,
    pub(crate) compared: u64,
}

/// Runs a seed; panics if anything is wrong.
pub(crate) fn run(seed: u64, prints: bool) -> Outcome {
    let mut rng = Rng::new(seed);
    let plan = Plan::new(&mut rng);
    let mut world = World::of(&plan, &mut rng);
    world.trace.prints = prints;
    world.trace.note(world.now, || format!("{plan:#?}"));
    world.run_for(plan.chaos);
    world.trace.note(world.now, || "faults end".to_owned());
    settle(&mut world);
    agree(&mut world);
    talk(&mut world);
    play(&mut world);
    empty(&mut world);
    let metrics = world.machine.control.metrics();
    Outcome {
        trace: world.trace.hash(),
        datagrams: world.trace.datagrams(),
        logins: metrics.logins.get(),
        games: metrics.games_started.get(),
        compared: world.streams.compared,
    }
}

/// Clients that can be expected to behave.
fn sane(world: &World) -> Vec<usize> {
    let clients = 0..world.emulators.len();
    clients
        .filter(|&index| !world.emulators[index].character.garbled)
        .collect()
}

/// Faults end, and everybody is back in the lobby before long.
fn settle(world: &mut World) {
    world.calm_down();
    let now = world.now;
    for emulator in &mut world.emulators {
        emulator.fidget(now);
        if emulator.character.garbled {
            emulator.crash(now);
            emulator.stay_off();
        }
    }
    world.run_for(5 * SECOND);
    let rules = &world.build().settings.rules;
    let patience = rules.keepalive_timeout.as_secs() + 60;
    let full = rules.max_users as usize;
    let room = if full == 0 { usize::MAX } else { full };
    for index in sane(world).into_iter().skip(room) {
        let now = world.now;
        world.with(index, |emulator, ctx| {
            if emulator.is_online() {
                emulator.quit(ctx);
            } else {
                emulator.crash(now);
            }
            emulator.stay_off();
        });
    }
    for second in 0..patience {
        let mut settled = true;
        for index in sane(world).into_iter().take(room) {
            settled &= nudge(world, index, second % 5 == 0);
        }
        world.run_for(SECOND);
        if settled {
            return;
        }
    }
    for emulator in &world.emulators {
        println!(
            "client {} {:?} {:?} trusted {}",
            emulator.character.number, emulator.character.breed, emulator.phase, emulator.trusted
        );
    }
    panic!("not everybody is back in the lobby after {patience} s without faults");
}

/// Does what the user of a client in trouble does; true if it is in the lobby and well.
///
/// What a client has missed last, it misses until there is something new: no server repeats
/// its words for ever. A line, which is always answered, brings it to light.
fn nudge(world: &mut World, index: usize, speaks: bool) -> bool {
    let farewelled = world.is_farewelled(index);
    world.with(index, |emulator, ctx| {
        let hello = format!("hello from {index}").into_bytes();
        let answered = emulator.lines.contains(&hello);
        let alone = emulator.is_unanswered_for(ctx.now, 10 * SECOND);
        match emulator.phase {
            Phase::Lobby if emulator.trusted && !farewelled && answered => return true,
            Phase::Off { .. } => emulator.start(ctx.now),
            Phase::Pinging { .. } | Phase::Hello { .. } | Phase::LoggingIn { .. } => {}
            _ if !emulator.trusted || farewelled || alone => emulator.crash(ctx.now),
            _ if speaks => emulator.ask(ctx, hello),
            Phase::Lobby => {}
            Phase::Room => emulator.speak(ctx, Speech::Leave),
            _ => emulator.drop_out(ctx),
        }
        false
    })
}

/// Those who are in and have missed nothing. Of a server without buffers to send from even a
/// calm network's clients may miss something.
fn online(world: &World) -> Vec<usize> {
    let clients = sane(world).into_iter();
    clients
        .filter(|&index| {
            let emulator = &world.emulators[index];
            assert!(
                emulator.trusted || !emulator.is_online() || world.is_starved(),
                "client {} has missed something",
                emulator.character.number
            );
            emulator.is_online() && emulator.trusted
        })
        .collect()
}

/// Everybody sees the same lobby, a newcomer included, and it is the server's.
fn agree(world: &mut World) {
    let present = online(world);
    let Some(&first) = present.first() else {
        return;
    };
    let number = world.emulators[first].character.number;
    world
        .trace
        .note(world.now, || format!("{number} comes anew"));
    world.with(first, |emulator, ctx| emulator.quit(ctx));
    world.run_for(SECOND);
    let now = world.now;
    world.with(first, |emulator, _| emulator.start(now));
    world.run_until("a newcomer logs in", 60 * SECOND, |world| {
        world.emulators[first].phase == Phase::Lobby
    });
    world.run_until_quiet();
    let lobby = world.machine.lobby();
    for index in online(world) {
        let emulator = &world.emulators[index];
        let number = emulator.character.number;
        assert_eq!(
            emulator.view, world.emulators[first].view,
            "client {number} and a newcomer see different lobbies"
        );
        assert_eq!(emulator.view.users.len(), lobby.users());
        assert_eq!(emulator.view.games.len(), lobby.games());
    }
}

/// What one says, all hear.
fn talk(world: &mut World) {
    // The newcomer may not say anything for 2 s from its login on.
    world.run_for(3 * SECOND);
    for speaker in online(world) {
        let listeners = online(world);
        let line = format!("last words of {speaker}").into_bytes();
        world.with(speaker, |emulator, ctx| {
            emulator.speak(ctx, Speech::Chat(line.clone()));
        });
        world.run_until("all hear a line", 10 * SECOND, |world| {
            let mut listeners = listeners.iter().map(|&index| &world.emulators[index]);
            listeners.all(|listener| !listener.trusted || listener.lines.contains(&line))
        });
    }
}

/// Two that are left play a game from the start.
fn play(world: &mut World) {
    let present = online(world);
    let kind = |index: usize| {
        let character = &world.emulators[index].character;
        (character.emulator, character.connection_type)
    };
    if world.is_starved() {
        return;
    }
    let pairs = present.iter().enumerate().find_map(|(place, &one)| {
        let others = &present[place + 1..];
        let other = others.iter().find(|&&other| kind(other) == kind(one));
        Some((one, *other?))
    });
    let Some((owner, guest)) = pairs else {
        return;
    };
    play_game(world, &[owner, guest], LAST_GAME);
    for index in [guest, owner] {
        world.with(index, |emulator, ctx| emulator.drop_out(ctx));
        world.run_for(SECOND);
    }
}

/// The first opens a room, the others join, and they play until each has shown so many frames.
pub(crate) fn play_game(world: &mut World, players: &[usize], frames: usize) {
    start_game(world, players);
    let compared = world.streams.compared;
    let patience = SECOND * (frames / 20 + 30) as u32;
    world.run_until("a game", patience, |world| {
        let mut shown = players.iter().map(|&player| {
            let part = world.emulators[player].part();
            world.streams.len(part)
        });
        shown.all(|shown| shown >= frames)
    });
    let compared = world.streams.compared - compared;
    assert!(
        players.len() == 1 || compared >= (frames / 2) as u64,
        "only {compared} frames were compared"
    );
}

/// The first opens a room, the others join, and they start; returns when all play.
pub(crate) fn start_game(world: &mut World, players: &[usize]) {
    let (&owner, guests) = players.split_first().expect("somebody plays");
    world.run_for(3 * SECOND);
    world.with(owner, |emulator, ctx| {
        emulator.speak(ctx, Speech::Create(b"last game".to_vec()));
    });
    world.run_until("a room opens", 10 * SECOND, |world| {
        world.emulators[owner].phase == Phase::Room
    });
    let room = world.emulators[owner].room.expect("it is in a room");
    for &guest in guests {
        world.run_until("the room is known", 10 * SECOND, |world| {
            world.emulators[guest].view.games.contains_key(&room)
        });
        world.with(guest, |emulator, ctx| {
            emulator.speak(ctx, Speech::Join(room));
        });
        world.run_until("a guest joins", 10 * SECOND, |world| {
            world.emulators[guest].phase == Phase::Room
        });
    }
    world.run_for(SECOND);
    world.with(owner, |emulator, ctx| emulator.speak(ctx, Speech::Start));
    world.run_until("all play", 60 * SECOND, |world| {
        let mut players = players.iter().map(|&player| &world.emulators[player]);
        players.all(|player| player.phase == Phase::Playing)
    });
}

/// Everybody leaves, time passes, and nothing is left.
pub(crate) fn empty(world: &mut World) {
    for index in 0..world.emulators.len() {
        world.with(index, |emulator, ctx| {
            if emulator.is_online() {
                emulator.quit(ctx);
            } else {
                emulator.crash(ctx.now);
            }
            emulator.stay_off();
        });
    }
    let settings = &world.build().settings;
    let timeouts = [
        settings.rules.keepalive_timeout,
        settings.link.login_timeout,
    ];
    let longest = timeouts.into_iter().max().unwrap_or_default();
    world.run_for(longest + 10 * SECOND);
    let machine = &world.machine;
    assert!(machine.is_at_rest(), "the server does not come to rest");
    assert_eq!(machine.control.sessions(), 0, "sessions are left");
    assert_eq!(machine.control.unfinished_logins(), (0, 0));
    assert_eq!(machine.control.users(), 0, "users are left");
    assert_eq!(machine.lobby().users(), 0, "the lobby has users left");
    assert_eq!(machine.lobby().games(), 0, "rooms are left");
    assert_eq!(machine.frames_held(), (0, 0), "buffers are missing");
}
