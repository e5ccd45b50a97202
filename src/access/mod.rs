//! Who may do what: rules of an operator's file, and what moderators have decided since
//! (kaillera-server.md 5).
//!
//! ```text
//!  access.cfg -- Rules::parse --> Rules ----+
//!                    |                      v
//!                    +--> mistakes       Access <-- bans, silences, levels of commands
//!                                           ^  |
//!  host names -- looked up outside --> Names +  +--> Saved: bans and silences for the next start
//! ```
//!
//! Decisions are made for an address, a name and a moment, which are arguments; nothing here
//! reads a file, a clock or a name server.
//!
//! # Patterns
//!
//! Alternatives are separated by `|`; `*` stands for any run of characters, also an empty one;
//! case does not matter. Unlike in EmuLinker-K, what stands before a `*` and what stands after it
//! never match the same letters: `ab*ab` does not match `ab`. Nothing matches a blank subject.
//! Addresses are compared as text, IPv6 both in its long form and in its shortest; `dns:` and a
//! host name stand for the address of that host, `192.0.2.0/24` and `2001:db8::/32` for a
//! network.

#![forbid(unsafe_code)]

mod decide;
pub mod fuzz;
mod level;
mod names;
mod pattern;
mod rules;
mod sanction;
mod saved;
#[cfg(test)]
mod tests;

pub use decide::{Access, Clear, Info};
pub use level::AccessLevel;
pub use names::Names;
pub use pattern::{AddressPattern, Pattern, ShortHost};
pub use rules::{Action, Mistake, Parsed, Problem, Rule, Rules};
pub use sanction::{Sanction, Sentence, Term, TooMany};
pub use saved::{Epoch, Saved, SavedSanction};
