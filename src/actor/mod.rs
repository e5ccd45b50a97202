//! One owner, one message at a time.
//!
//! An *actor* is a piece of state that one worker owns; everybody else sends it messages.
//! Its [`Inbox`] is bounded and outlives the actor's successive users. An actor whose inbox
//! gets a message is put on its worker's [`Schedule`] once, however many messages follow,
//! and runs to completion: up to a budget of messages, in order, with nobody else touching
//! its state.
//!
//! A [`Worker`] has no thread of its own. An event loop turns one between reading and
//! writing (inline mode), a worker thread turns one until it has nothing to do, and the
//! simulation turns them in whatever order its seed says.
//!
//! ```text
//!  any thread          worker's schedule              the worker's thread
//!  ----------          -----------------              -------------------
//!  inbox.push(m) --->  ready: [3, 17, 4]   --------->  actor 3 runs: takes m, m', m''
//!  (once per target                                    deadlines: actor 9 at 20 ms
//!   and turn) ------>  bell, if it sleeps
//! ```

#![forbid(unsafe_code)]

mod bell;
mod inbox;
mod schedule;
mod worker;

pub use bell::Bell;
pub use inbox::Inbox;
pub use schedule::Schedule;
pub use worker::{Stage, Turn, Worker};

/// The number of an actor, unique in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActorId(pub u32);
