//! Two players who are in no hurry: sixty inputs a second, as emulators send them.

use crate::support::{Identity, Player, Recipe, config, room, serve};
use std::{
    thread,
    time::{Duration, Instant},
};

const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);
const FRAMES: u32 = 180;

#[test]
fn three_seconds_at_sixty_hertz() {
    let (server, address) = serve(&config());
    let mut players = room(address, &Identity::crowd(2));
    let recipe = Recipe {
        input_len: 2,
        frames: 1,
        hold: 4,
    };
    players[0].start();
    let delays: Vec<u32> = players
        .iter_mut()
        .map(|player| player.await_start().delay.into())
        .collect();
    players.iter_mut().for_each(Player::ready);
    players.iter_mut().for_each(Player::await_ready);
    let begin = Instant::now();
    let streams: Vec<Vec<Vec<u8>>> = thread::scope(|scope| {
        let delays = &delays;
        let threads: Vec<_> = players
            .iter_mut()
            .enumerate()
            .map(|(index, player)| {
                scope.spawn(move || {
                    let mut stream = Vec::new();
                    for frame in 0..FRAMES {
                        let due = begin + FRAME * frame;
                        thread::sleep(due.saturating_duration_since(Instant::now()));
                        player.send_input(&recipe.message(index, frame as usize));
                        // The first frames are played without data (kaillera.md 7.2).
                        if frame >= delays[index] {
                            stream.push(player.await_frames());
                        }
                    }
                    stream
                })
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    // The emulators show the same inputs at the same frame: the blank frames and those of the
    // stream before it count as neutral.
    let shown = |index: usize| {
        let blank = delays[index] as usize;
        let mut shown = vec![vec![0; 4]; blank];
        shown.extend(streams[index].iter().cloned());
        shown
    };
    assert_eq!(shown(0), shown(1));
    assert!(shown(0).iter().flatten().any(|byte| *byte != 0));
    assert_eq!(server.metrics().desyncs.get(), 0);
    assert_eq!(server.drops().total(), 0);
}
