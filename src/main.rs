//! The `samara` binary.

fn main() {}
