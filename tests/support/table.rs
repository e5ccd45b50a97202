//! A running game, and what each player must be sent (kaillera.md 8).

use super::{Player, Recipe};
use std::thread;

/// The players of one game, in the order of their numbers.
pub struct Table {
    recipe: Recipe,
    seats: Vec<Seat>,
    /// Steps that everybody has got in common, after the zeros.
    common: usize,
}

struct Seat {
    /// Messages that may be unanswered besides one.
    delay: usize,
    /// Messages that are answered with zeros at once.
    zeros: usize,
    /// Messages sent.
    sent: usize,
    /// The common step from which its slot is zeros.
    left: Option<usize>,
}

impl Table {
    /// Starts the first player's room, whose members are all of `players`, and readies them.
    pub fn start(players: &mut [Player], recipe: Recipe) -> Self {
        players[0].start();
        let table = Self::await_start(players, recipe);
        players.iter_mut().for_each(Player::ready);
        players.iter_mut().for_each(Player::await_ready);
        table
    }

    /// The game as the players are told of it; nobody is ready yet.
    pub fn await_start(players: &mut [Player], recipe: Recipe) -> Self {
        let count = players.len();
        let mut delays = Vec::with_capacity(count);
        for (index, player) in players.iter_mut().enumerate() {
            let start = player.await_start();
            assert_eq!(usize::from(start.player), index + 1, "{player}");
            assert_eq!(usize::from(start.players), count, "{player}");
            delays.push(usize::from(start.delay));
        }
        let highest = delays.iter().copied().max().unwrap();
        let seats = delays.iter().map(|&delay| Seat {
            delay,
            zeros: highest + (highest - delay) + 5,
            sent: 0,
            left: None,
        });
        Self {
            recipe,
            seats: seats.collect(),
            common: 0,
        }
    }

    /// The delays the players were given.
    pub fn delays(&self) -> Vec<usize> {
        self.seats.iter().map(|seat| seat.delay).collect()
    }

    /// From here on the player's slot is zeros, and it is no longer played by [`Table::play`].
    pub fn leave(&mut self, index: usize) {
        self.seats[index].left = Some(self.common);
    }

    /// Plays so many steps that all who still play have in common, each on a thread of its
    /// own and as fast as the server answers, and checks every byte they are sent.
    pub fn play(&mut self, players: &mut [Player], steps: usize) {
        let recipe = self.recipe;
        let playing = players.iter_mut().zip(&self.seats).enumerate();
        let playing = playing.filter(|(_, (_, seat))| seat.left.is_none());
        let answers: Vec<(usize, Vec<Vec<u8>>)> = thread::scope(|scope| {
            let threads: Vec<_> = playing
                .map(|(index, (player, seat))| {
                    let first = if seat.sent == 0 { seat.zeros } else { 0 };
                    let run = move || {
                        let input = |n| recipe.message(index, seat.sent + n);
                        (index, exchange(player, seat.delay, first + steps, input))
                    };
                    scope.spawn(run)
                })
                .collect();
            threads.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let expected: Vec<_> = (0..steps).map(|n| self.expected(self.common + n)).collect();
        let zeros = vec![0; self.seats.len() * recipe.frames * recipe.input_len];
        for (index, answers) in answers {
            let count = answers.len();
            let (first, common) = answers.split_at(count - steps);
            assert!(first.iter().all(|it| *it == zeros), "zeros of {index}");
            for (step, (answer, expected)) in common.iter().zip(&expected).enumerate() {
                let step = self.common + step;
                assert_eq!(answer, expected, "step {step} of player {index}");
            }
            self.seats[index].sent += count;
        }
        self.common += steps;
    }

    /// The inputs of common step `step`, interleaved by frame (kaillera.md 8.1).
    fn expected(&self, step: usize) -> Vec<u8> {
        let Recipe {
            frames, input_len, ..
        } = self.recipe;
        let fed: Vec<_> = (0..self.seats.len()).map(|it| self.fed(it, step)).collect();
        let mut out = Vec::with_capacity(fed.len() * frames * input_len);
        for frame in 0..frames {
            for input in &fed {
                out.extend_from_slice(&input[frame * input_len..][..input_len]);
            }
        }
        out
    }

    /// What a player feeds into common step `step`: the inputs stored while it was answered
    /// with zeros come first, and as many after those are thrown away (kaillera.md 8.3).
    fn fed(&self, index: usize, step: usize) -> Vec<u8> {
        let seat = &self.seats[index];
        if seat.left.is_some_and(|left| step >= left) {
            return vec![0; self.recipe.frames * self.recipe.input_len];
        }
        let discarded = if step < seat.zeros { 0 } else { seat.zeros };
        self.recipe.message(index, discarded + step)
    }
}

/// Sends `count` messages, with at most `delay` more on their way than the one the emulator
/// waits for, and answers what came for them.
fn exchange(
    player: &mut Player,
    delay: usize,
    count: usize,
    input: impl Fn(usize) -> Vec<u8>,
) -> Vec<Vec<u8>> {
    let mut answers = Vec::with_capacity(count);
    let mut sent = 0;
    let before = player.repeated;
    while answers.len() < count {
        while sent < count && sent - answers.len() < delay + 1 {
            player.send_input(&input(sent));
            sent += 1;
        }
        answers.push(player.await_frames());
    }
    // Somebody who vanished costs two; a server that needs to be reminded costs many.
    let repeated = player.repeated - before;
    assert!(repeated < 4, "{player} waits again and again");
    assert_eq!(
        player.frames_left(),
        0,
        "{player} has more than it asked for"
    );
    answers
}
