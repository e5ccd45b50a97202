//! What the emulators of a game were fed, frame by frame.
//!
//! Each input names the player that made it and which of the player's games it is for, so the
//! frames themselves say which emulators play together, whatever the rooms and messages say.

use crate::rng::hash;
use std::collections::{BTreeMap, BTreeSet};

/// One client's part in one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part {
    pub(crate) client: u16,
    /// Which of the client's games.
    pub(crate) game: u8,
}

/// Bytes of one player's input for one frame: who, which game, when, and a check.
pub(crate) const INPUT: usize = 8;

/// Frames for which an input stays the same, as players' hands are slow; caches live off it.
pub(crate) const HELD: u32 = 16;

/// Steps that a game may cut short: those at both ends of the inputs that the server throws
/// away once to bring the players in line (kaillera.md 8.3).
const CUTS: u32 = 2;

/// What a player does in a frame; never all zeros.
pub(crate) fn input(part: Part, frame: u32) -> [u8; INPUT] {
    sign(part, frame / HELD)
}

fn sign(part: Part, step: u32) -> [u8; INPUT] {
    let [a, b] = part.client.to_le_bytes();
    let [c, d, e, _] = step.to_le_bytes();
    let said = [a, b, part.game, c, d, e];
    let [check, more, ..] = hash(&said).to_le_bytes();
    [a, b, part.game, c, d, e, check, more]
}

/// Whose input it is, and from when; none if it was garbled.
fn author(input: &[u8]) -> Option<(Part, u32)> {
    let &[a, b, game, c, d, e, ..] = input else {
        return None;
    };
    let client = u16::from_le_bytes([a, b]);
    let part = Part { client, game };
    let step = u32::from_le_bytes([c, d, e, 0]);
    (input == sign(part, step)).then_some((part, step))
}

/// Every emulator's frames.
#[derive(Default)]
pub(crate) struct Streams {
    frames: BTreeMap<Part, Vec<u64>>,
    /// Clients whose inputs and views may be anything.
    pub(crate) garbled: BTreeSet<u16>,
    /// Who is gone may come back into its game.
    pub(crate) may_return: bool,
    /// Frames that two emulators were found to agree on.
    pub(crate) compared: u64,
}

/// One emulator's place in the comparison.
#[derive(Debug)]
pub(crate) struct Recording {
    me: Part,
    slots: Vec<Slot>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    author: Option<Part>,
    step: u32,
    /// Frames of this step so far.
    held: u32,
    /// Steps that were cut short.
    cuts: u32,
    over: bool,
    /// Belongs to one whose inputs may be anything.
    wild: bool,
}

impl Streams {
    pub(crate) fn begin(&mut self, me: Part, players: usize) -> Recording {
        let before = self.frames.insert(me, Vec::new());
        assert!(before.is_none(), "{me:?} plays twice");
        Recording {
            me,
            slots: vec![Slot::default(); players],
        }
    }

    /// How many frames this emulator has shown.
    pub(crate) fn len(&self, me: Part) -> usize {
        self.frames.get(&me).map_or(0, Vec::len)
    }

    /// An emulator shows a frame without input.
    pub(crate) fn blank(&mut self, recording: &mut Recording) {
        self.show(recording, 0);
    }

    /// An emulator shows a frame with these inputs, one of each player.
    pub(crate) fn frame(&mut self, recording: &mut Recording, inputs: &[u8]) {
        let me = recording.me;
        let neutral = inputs.iter().all(|&byte| byte == 0);
        if inputs.len() == INPUT * recording.slots.len() {
            for number in 0..recording.slots.len() {
                let slot_input = &inputs[number * INPUT..][..INPUT];
                let slot = &mut recording.slots[number];
                if self.may_return {
                    slot.may_return(slot_input);
                }
                let new = slot.follow(me, number, slot_input, &self.garbled);
                if let Some(author) = new {
                    self.join(me, author);
                }
            }
        }
        self.show(recording, if neutral { 0 } else { hash(inputs) | 1 });
    }

    fn show(&mut self, recording: &Recording, frame: u64) {
        let me = recording.me;
        let mine = self.frames.get_mut(&me).expect("recording has begun");
        let index = mine.len();
        mine.push(frame);
        for author in recording.slots.iter().filter_map(|slot| slot.author) {
            let theirs = self
                .frames
                .get(&author)
                .and_then(|frames| frames.get(index));
            if author != me
                && let Some(&theirs) = theirs
            {
                self.compared += 1;
                assert_eq!(
                    frame, theirs,
                    "{me:?} and {author:?} see different inputs in frame {index}"
                );
            }
        }
    }

    /// Two emulators turn out to play together.
    fn join(&mut self, me: Part, other: Part) {
        let (Some(mine), Some(theirs)) = (self.frames.get(&me), self.frames.get(&other)) else {
            return;
        };
        self.compared += mine.len().min(theirs.len()) as u64;
        let differs = mine
            .iter()
            .zip(theirs)
            .position(|(mine, theirs)| mine != theirs);
        assert_eq!(
            differs, None,
            "the frame in which {me:?} and {other:?} first saw different inputs"
        );
    }
}

impl Slot {
    /// Begins anew if one that is gone is back, in what is another game to it.
    fn may_return(&mut self, input: &[u8]) {
        if let (Some(known), Some((author, step))) = (self.author, author(input))
            && self.over
            && known.client == author.client
            && known.game < author.game
        {
            *self = Self {
                author: Some(author),
                step,
                ..Self::default()
            };
        }
    }

    /// Checks that a slot has one author, whose inputs come in order and end once. Says who it
    /// is when that becomes known.
    fn follow(
        &mut self,
        me: Part,
        number: usize,
        input: &[u8],
        garbled: &BTreeSet<u16>,
    ) -> Option<Part> {
        if self.wild {
            return None;
        }
        if input.iter().all(|&byte| byte == 0) {
            self.over |= self.author.is_some();
            return None;
        }
        let author = author(input).filter(|(author, _)| !garbled.contains(&author.client));
        let Some((author, step)) = author else {
            assert!(
                self.author.is_none(),
                "slot {number} of {me:?}: {input:?} after inputs of {:?}",
                self.author
            );
            self.wild = true;
            return None;
        };
        let known = self.author.replace(author);
        assert!(
            known.is_none_or(|known| known == author),
            "slot {number} of {me:?} changes from {known:?} to {author:?}"
        );
        assert!(
            !self.over,
            "slot {number} of {me:?}: {author:?} comes back from the dead"
        );
        assert!(
            self.step <= step,
            "slot {number} of {me:?}: the past of {author:?} comes again"
        );
        if step != self.step {
            let whole = step == self.step + 1 && self.held == HELD;
            self.cuts += u32::from(!whole);
            self.step = step;
            self.held = 0;
        }
        self.held += 1;
        assert!(
            self.cuts <= CUTS,
            "slot {number} of {me:?}: inputs of {author:?} are missing"
        );
        known.is_none().then_some(author)
    }
}
