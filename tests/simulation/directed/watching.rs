//! Watching games, coming back into them, and playing with swapped numbers: whatever the rooms
//! say, the emulators' frames must be the same.

use super::*;
use crate::{
    emulator::Speech,
    swarm::{empty, play_game, start_game},
};

/// Says `/watch` and joins the room of a player.
fn watch(world: &mut World, watcher: usize, player: usize) {
    let room = world.emulators[player].room.expect("it is in a room");
    let line = format!("/watch {room}").into_bytes();
    world.with(watcher, |emulator, ctx| {
        emulator.speak(ctx, Speech::Chat(line));
        emulator.speak(ctx, Speech::Join(room));
    });
    world.run_until("the watcher's emulator runs", 20 * SECOND, |world| {
        world.emulators[watcher].phase == Phase::Playing
    });
}

fn say(world: &mut World, client: usize, line: &str) {
    world.with(client, |emulator, ctx| {
        emulator.speak(ctx, Speech::GameChat(line.as_bytes().to_vec()));
    });
    world.run_for(SECOND);
}

#[test]
fn a_late_watcher_is_shown_the_whole_game() {
    for (loops, workers) in [(1, 0), (2, 0), (2, 3)] {
        let mut world = world(settings(), loops, workers);
        let clients = log_in(&mut world, mixed(1..=3));
        let (players, watcher) = (&clients[..2], clients[2]);
        play_game(&mut world, players, 600);
        watch(&mut world, watcher, players[0]);
        let (compared, shown) = (world.streams.compared, frames(&world, players[0]));
        world.run_for(10 * SECOND);
        assert!(frames(&world, watcher) > 550, "it plays at its own pace");
        assert!(
            frames(&world, players[0]) - shown > 580,
            "nobody waits for it"
        );
        assert!(world.streams.compared - compared > 1_100 + 580);
        assert!(world.emulators[watcher].trusted, "it misses nothing");
        empty(&mut world);
    }
}

/// Without its speed limit an emulator shows the past as fast as it can, and then the present.
#[test]
fn a_watcher_without_a_speed_limit_catches_up() {
    let mut world = world(settings(), 2, 0);
    let clients = log_in(&mut world, mixed(1..=3));
    let (players, watcher) = (&clients[..2], clients[2]);
    play_game(&mut world, players, 1_200);
    world.emulators[watcher].frame = 2 * MILLI;
    watch(&mut world, watcher, players[0]);
    world.run_for(8 * SECOND);
    let behind = |world: &World| frames(world, players[0]).abs_diff(frames(world, watcher));
    assert!(behind(&world) < 20, "{} frames behind", behind(&world));
    world.run_for(5 * SECOND);
    assert!(behind(&world) < 20, "{} frames behind", behind(&world));
    for &player in players {
        world.with(player, |emulator, ctx| emulator.drop_out(ctx));
    }
    world.run_for(SECOND);
    assert_eq!(
        world.emulators[watcher].phase,
        Phase::Room,
        "its game is over, too"
    );
    empty(&mut world);
}

#[test]
fn watchers_come_and_go_and_hang_and_nobody_waits() {
    let mut world = world(settings(), 3, 2);
    let clients = log_in(&mut world, mixed(1..=6));
    let (players, watchers) = clients.split_at(2);
    play_game(&mut world, players, 100);
    for &watcher in watchers {
        watch(&mut world, watcher, players[0]);
    }
    let shown = frames(&world, players[0]);
    world.run_for(SECOND);
    world.with(watchers[0], |emulator, ctx| emulator.drop_out(ctx));
    world.with(watchers[1], |emulator, ctx| emulator.quit(ctx));
    world.with(watchers[2], |emulator, ctx| emulator.crash(ctx.now));
    cut_off(&mut world, watchers[3]);
    world.run_for(9 * SECOND);
    assert!(frames(&world, players[0]) - shown > 590);
    world.network.lose_nothing();
    empty(&mut world);
}

/// Members who asked for it are shown the next game from its start, and it is theirs to play
/// again after that.
#[test]
fn a_member_watches_a_game_and_plays_the_next() {
    let mut world = world(settings(), 1, 0);
    let clients = log_in(&mut world, mixed(1..=3));
    super::games::gather(&mut world, &clients);
    say(&mut world, clients[2], "/watch");
    for watches in [true, false] {
        world.with(clients[0], |emulator, ctx| {
            emulator.speak(ctx, Speech::Start)
        });
        world.run_for(10 * SECOND);
        let compared = world.streams.compared;
        world.run_for(5 * SECOND);
        assert!(world.streams.compared - compared > 500);
        for &client in &clients {
            assert!(frames(&world, client) > 250);
        }
        let leaver = clients[2];
        world.emulators[clients[0]].drops.clear();
        world.with(leaver, |emulator, ctx| emulator.drop_out(ctx));
        world.run_for(SECOND);
        let drops = if watches { vec![] } else { vec![3] };
        assert_eq!(world.emulators[clients[0]].drops, drops);
        for &client in &clients[..2] {
            world.with(client, |emulator, ctx| emulator.drop_out(ctx));
        }
        world.run_for(SECOND);
        say(&mut world, leaver, "/unwatch");
    }
    empty(&mut world);
}

#[test]
fn swapped_players_see_the_same_frames() {
    let mut world = world(settings(), 2, 2);
    let characters = mixed(1..=5).map(|character| Character {
        fake_ping: Some(40 * MILLI * u32::from(character.number)),
        ..character
    });
    let clients = log_in(&mut world, characters);
    super::games::gather(&mut world, &clients);
    say(&mut world, clients[0], "/swap 53142");
    world.with(clients[0], |emulator, ctx| {
        emulator.speak(ctx, Speech::Start)
    });
    world.run_for(20 * SECOND);
    for &client in &clients {
        assert!(frames(&world, client) > 500);
    }
    assert!(world.streams.compared > 2_000);
    for (client, number) in [(0, 5), (1, 3), (3, 4)] {
        world.with(clients[client], |emulator, ctx| emulator.drop_out(ctx));
        world.run_for(SECOND);
        assert_eq!(world.emulators[clients[2]].drops.last(), Some(&number));
    }
    empty(&mut world);
}

/// Its emulator crashes, it logs in again, is shown what it has missed, and is waited for
/// again from then on.
#[test]
fn a_crashed_player_comes_back_where_the_operator_lets_it() {
    for (loops, workers) in [(1, 0), (2, 3)] {
        let mut settings = settings();
        settings.rules.come_back = true;
        let mut world = world(settings, loops, workers);
        let clients = log_in(&mut world, mixed(1..=3));
        world.streams.may_return = true;
        play_game(&mut world, &clients, 300);
        let back = clients[1];
        let room = world.emulators[back].room.expect("it is in a room");
        world.with(back, |emulator, ctx| {
            emulator.crash(ctx.now);
            emulator.start(ctx.now);
        });
        world.run_until("it logs in again", 20 * SECOND, |world| {
            world.emulators[back].phase == Phase::Lobby
        });
        world.run_for(SECOND);
        world.emulators[back].frame = 2 * MILLI;
        world.with(back, |emulator, ctx| {
            emulator.speak(ctx, Speech::Join(room))
        });
        let line = b"player 2 is back in the game.".to_vec();
        world.run_until("it is back", 30 * SECOND, |world| {
            world.emulators[clients[0]].lines.contains(&line)
        });
        world.emulators[back].frame = Duration::from_nanos(16_666_667);
        let (shown, compared) = (frames(&world, clients[0]), world.streams.compared);
        world.run_for(10 * SECOND);
        assert!(frames(&world, clients[0]) - shown > 550);
        assert!(world.streams.compared - compared > 1_500, "all three agree");
        world.with(back, |emulator, ctx| emulator.drop_out(ctx));
        world.run_for(SECOND);
        assert_eq!(world.emulators[clients[0]].drops.last(), Some(&2));
        empty(&mut world);
    }
}

#[test]
fn a_game_of_one_is_not_recorded() {
    let mut world = world(settings(), 1, 0);
    let clients = log_in(&mut world, mixed(1..=2));
    start_game(&mut world, &clients[..1]);
    let room = world.emulators[clients[0]].room.expect("it is in a room");
    world.with(clients[1], |emulator, ctx| {
        emulator.speak(ctx, Speech::Chat(format!("/watch {room}").into_bytes()));
        emulator.speak(ctx, Speech::Join(room));
    });
    world.run_for(SECOND);
    let line = b"This room cannot be watched.".to_vec();
    assert!(world.emulators[clients[1]].lines.contains(&line));
    assert_eq!(world.emulators[clients[1]].phase, Phase::Room);
    empty(&mut world);
}
