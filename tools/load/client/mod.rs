//! One client: how it gets in, what it says, and how it plays.

mod inputs;
mod play;
mod recording;
mod room;
mod schedule;
mod visitor;

pub(crate) use inputs::{Hands, Inputs};
pub(crate) use play::{Ear, Play};
pub(crate) use recording::Recording;
pub(crate) use room::Room;
pub(crate) use schedule::{Dice, Schedule, period};
pub(crate) use visitor::{Heard, SILENCE, Stage, Visitor};
