//! What a player's hands do.

use super::{Dice, Recording};
use samara::kaillera::message::ConnectionType;
use std::sync::Arc;

/// A recording's players are so many inputs apart.
const APART: usize = 100;

/// Where inputs come from.
#[derive(Clone, Debug)]
pub(crate) enum Inputs {
    /// So many in a hundred are held from the message before, the others were never there;
    /// messages of so many bytes per frame.
    Held(u32, usize),
    /// Somebody's game, in a loop.
    Recorded(Arc<Recording>),
}

/// A player's hands: what it holds, and when it does something else.
#[derive(Clone, Debug)]
pub(crate) struct Hands {
    way: Way,
    /// The inputs of one message.
    message: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Way {
    Dice {
        dice: Dice,
        held: u32,
    },
    Replay {
        recording: Arc<Recording>,
        at: usize,
    },
}

impl Inputs {
    /// Bytes per frame and player.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Held(_, length) => *length,
            Self::Recorded(recording) => recording.input_len(),
        }
    }
}

impl Hands {
    /// The hands of player `number` of a run.
    pub(crate) fn new(inputs: &Inputs, seed: u64, number: u32, conn: ConnectionType) -> Self {
        let way = match inputs {
            Inputs::Held(held, _) => Way::Dice {
                dice: Dice::new(seed, number.into()),
                held: *held,
            },
            Inputs::Recorded(recording) => Way::Replay {
                recording: recording.clone(),
                at: number as usize * APART,
            },
        };
        Self {
            way,
            message: vec![0; inputs.len() * conn.frames()],
        }
    }

    /// The inputs of the next message.
    pub(crate) fn next(&mut self) -> &[u8] {
        match &mut self.way {
            Way::Dice { dice, held } => {
                if !dice.percent(*held) {
                    for word in self.message.chunks_mut(8) {
                        let bytes = dice.roll().to_le_bytes();
                        word.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
                    }
                }
            }
            Way::Replay { recording, at } => {
                for frame in self.message.chunks_mut(recording.input_len()) {
                    frame.copy_from_slice(recording.input(*at));
                    *at += 1;
                }
            }
        }
        &self.message
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConnectionType::{Good, Lan};

    fn changes(inputs: &Inputs) -> usize {
        let mut hands = Hands::new(inputs, 1, 1, Lan);
        let mut before = hands.next().to_vec();
        let changed = |_: &_| {
            let input = hands.next().to_vec();
            let changed = input != before;
            before = input;
            changed
        };
        (0..10_000).filter(changed).count()
    }

    #[test]
    fn inputs_are_mostly_held() {
        let changes = changes(&Inputs::Held(70, 12));
        assert!((2_800..3_200).contains(&changes), "{changes}");
    }

    #[test]
    fn random_inputs_are_never_held() {
        assert_eq!(changes(&Inputs::Held(0, 12)), 10_000);
    }

    #[test]
    fn a_message_has_an_input_per_frame() {
        assert_eq!(Hands::new(&Inputs::Held(0, 4), 1, 1, Good).next().len(), 12);
        let recording = Recording::parse(b"0001\n0203\n0405\n", 1).unwrap();
        let inputs = Inputs::Recorded(Arc::new(recording));
        let mut hands = Hands::new(&inputs, 1, 0, Good);
        assert_eq!(hands.next(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(hands.next(), [0, 1, 2, 3, 4, 5], "from the beginning");
        let mut hands = Hands::new(&inputs, 1, 1, Lan);
        assert_eq!(hands.next(), [2, 3], "a hundred further on");
    }
}
