//! The Maple codec against the published Java library's benchmark and this machine's limits.
//!
//! `cargo bench --bench maple` prints a table. Each figure is the best of several short runs on
//! one core. "published" is what the Java library does on a machine of this kind, with some
//! 25 ns per operation for reading the clock; "mixed" packets are 32, 128, 512, 1460 and 8192
//! bytes long in turn. `cargo bench --bench maple -- WORD` runs the rows that hold the word.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

#[path = "maple/ciphers.rs"]
mod ciphers;
#[path = "maple/frames.rs"]
mod frames;
#[path = "maple/limits.rs"]
mod limits;
#[path = "maple/packets.rs"]
mod packets;
#[path = "maple/table.rs"]
mod table;
#[cfg(target_arch = "x86_64")]
#[path = "maple/vaes.rs"]
mod vaes;

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let limits = limits::Limits::measure();
    limits.print();
    let table = table::Table::new(filter, "published");
    table.head();
    packets::packets(&table, &limits);
    ciphers::shandas(&table, &limits);
    ciphers::keystreams(&table, &limits);
    frames::sending(&table, &limits);
    frames::receiving(&table, &limits);
    frames::broadcasts(&table, &limits);
}
