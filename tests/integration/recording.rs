//! A recorded game of somebody's, replayed between two players.
//!
//! The recording is text: a line of 48 hex digits is one 24-byte input of a Nintendo 64
//! player, a line `xN` repeats the line above it N more times. A real one is used if there is
//! one, see [`path`]; one that is made up runs always.

use crate::support::{Identity, Player, config, hash, room, serve};
use std::{collections::VecDeque, env, fmt::Write, fs, path::PathBuf, thread};

const INPUT: usize = 24;
/// Payloads the second player is ahead of the first.
const OFFSET: usize = 100;

/// Where a real recording may be: what the environment says, or beside the package.
fn path() -> PathBuf {
    env::var_os("SAMARA_RECORDING").map_or_else(
        || {
            concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../shared/vectors/ssb_p1_out.txt"
            )
            .into()
        },
        PathBuf::from,
    )
}

fn parse(text: &str) -> Vec<Vec<u8>> {
    let mut payloads: Vec<Vec<u8>> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix('x') {
            Some(times) => {
                let last = payloads.last().unwrap().clone();
                payloads.extend(vec![last; times.parse().unwrap()]);
            }
            None => {
                let digits = |n| u8::from_str_radix(&line[2 * n..2 * n + 2], 16).unwrap();
                assert_eq!(line.len(), 2 * INPUT);
                payloads.push((0..INPUT).map(digits).collect());
            }
        }
    }
    payloads
}

/// A made-up recording in the same form, with the statistics of a real one: a rest between two
/// moves now and then, and while something moves, a stick position nearly every frame, half
/// of which were never there before.
fn make_up(messages: usize) -> String {
    let mut text = String::new();
    let mut seen: VecDeque<u64> = VecDeque::new();
    let mut count = 0;
    let mut step = 0;
    while count < messages {
        let dice = hash(0x5EED, step);
        step += 1;
        let neutral = dice.is_multiple_of(8);
        let state = match (neutral, (dice >> 8) & 1) {
            (true, _) => 0,
            (_, 0) => dice,
            _ if seen.is_empty() => dice,
            _ => seen[(dice >> 16) as usize % seen.len()],
        };
        seen.push_back(state);
        if seen.len() > 1500 {
            seen.pop_front();
        }
        let mut input = [0; INPUT];
        input[0] = 0x10;
        input[1] = 0x20;
        input[7] = 1;
        input[12..16].copy_from_slice(&(state as u32).to_be_bytes());
        for byte in input {
            write!(text, "{byte:02x}").unwrap();
        }
        text.push('\n');
        count += 1;
        let rests = if neutral {
            (dice >> 32) % 30
        } else {
            (dice >> 32) % 3 / 2
        };
        if rests > 0 {
            writeln!(text, "x{rests}").unwrap();
            count += rests as usize;
        }
    }
    text
}

/// Two players send the recording, the second one from further on; what each is sent must be
/// the other's and its own bytes in the order of 8.3, to the last payload.
fn replay(payloads: &[Vec<u8>]) {
    let (server, address) = serve(&config());
    let mut players = room(address, &Identity::crowd(2));
    players[0].start();
    let delays = [0, 1].map(|n: usize| usize::from(players[n].await_start().delay));
    let highest = delays[0].max(delays[1]);
    let zeros = delays.map(|delay| 2 * highest - delay + 5);
    players.iter_mut().for_each(Player::ready);
    players.iter_mut().for_each(Player::await_ready);

    let common = payloads.len() - zeros[0].max(zeros[1]);
    let input = |player: usize, n: usize| &payloads[(n + player * OFFSET) % payloads.len()];
    let streams: Vec<Vec<Vec<u8>>> = thread::scope(|scope| {
        let threads: Vec<_> = players
            .iter_mut()
            .enumerate()
            .map(|(index, player)| {
                let count = zeros[index] + common;
                scope.spawn(move || {
                    let answer = |n| {
                        player.send_input(input(index, n));
                        player.await_frames()
                    };
                    (0..count).map(answer).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    for (stream, zeros) in streams.iter().zip(zeros) {
        assert!(stream[..zeros].iter().flatten().all(|byte| *byte == 0));
    }
    let fed = |player: usize, step: usize| {
        let stored = step < zeros[player];
        input(player, if stored { step } else { zeros[player] + step })
    };
    for step in 0..common {
        let expected = [fed(0, step).as_slice(), fed(1, step)].concat();
        assert_eq!(streams[0][zeros[0] + step], expected, "step {step}");
        assert_eq!(streams[1][zeros[1] + step], expected, "step {step}");
    }
    assert_eq!(server.drops().total(), 0);
}

#[test]
fn a_real_recording() {
    let path = path();
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped: there is no recording at {}", path.display());
        return;
    };
    replay(&parse(&text));
}

#[test]
fn a_made_up_recording() {
    let payloads = parse(&make_up(8000));
    let distinct: std::collections::HashSet<_> = payloads.iter().collect();
    assert!(distinct.len() > 1000, "more than any cache holds");
    replay(&payloads);
}
