//! libFuzzer on the server's own configuration:
//!
//! ```sh
//! RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
//!   -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
//!   -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares" \
//!   cargo +nightly run --profile fuzz --features fuzz --target host-tuple \
//!   --bin fuzz-native -- -max_total_time=60 fuzz-corpus tests/data/corpus/native
//! ```
//!
//! What it finds goes to `tests/data/corpus/native` under a name that says what it is.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| samara::config::fuzz::native(data));
