//! What is counted, and what is made of it.

mod limits;
mod live;
mod outcome;
mod process;
mod tally;
mod times;

pub(crate) use limits::{Late, Limits};
pub(crate) use live::{Interval, Live};
pub(crate) use outcome::{About, Answers, Outcome};
pub(crate) use process::{Observed, Usage};
pub(crate) use tally::Tally;
pub(crate) use times::Times;
