//! Shanda's backends against the definition, the published Java library and a copy of memory.
//!
//! `cargo bench --bench shanda` prints, per backend and length, nanoseconds per packet at best
//! of many short runs on one core: `alone`, the same packet again and again, which waits for its
//! own last bytes, and `apart`, sixteen packets in turn, which may overlap. The ratios are of
//! `apart`.

use samara::maple::shanda::Shanda;
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

const LENGTHS: [usize; 5] = [32, 128, 512, 1460, 8192];
const PACKETS: usize = 16;
const RUN: Duration = Duration::from_micros(300);
const RUNS: usize = 60;
/// What the published Java library takes for 512 bytes on a machine of this kind.
const JAVA_ENCRYPT_NS: f64 = 1e9 / 394_000.0;
const JAVA_DECRYPT_NS: f64 = 1e9 / 389_000.0;

fn main() {
    println!("best backend: {}", Shanda::detect().name());
    table("encrypt", JAVA_ENCRYPT_NS, Shanda::encrypt);
    table("decrypt", JAVA_DECRYPT_NS, Shanda::decrypt);
}

fn table(title: &str, java_ns: f64, cipher: fn(Shanda, &mut [u8])) {
    println!(
        "\n{title:<10}{:>7}{:>9}{:>9}{:>11}{:>10}{:>8}",
        "bytes", "alone", "apart", "x scalar", "x memcpy", "x Java"
    );
    for shanda in Shanda::all() {
        for len in LENGTHS {
            let alone = time(1, len, |data| cipher(shanda, data));
            let apart = time(PACKETS, len, |data| cipher(shanda, data));
            let scalar = time(PACKETS, len, |data| cipher(Shanda::scalar(), data));
            let payload = vec![7; len];
            let copy = time(PACKETS, len, |data| {
                data.copy_from_slice(black_box(&payload))
            });
            print!("{:<10}{len:>7}{alone:>9.1}{apart:>9.1}", shanda.name());
            print!("{:>11.2}{:>10.1}", scalar / apart, apart / copy);
            match len {
                512 => println!("{:>8.1}", java_ns / apart),
                _ => println!(),
            }
        }
    }
}

/// Nanoseconds that `work` takes for one of some packets in turn.
fn time(packets: usize, len: usize, mut work: impl FnMut(&mut [u8])) -> f64 {
    let mut packets = vec![vec![7; len]; packets];
    let mut turns = 1;
    let mut best = f64::MAX;
    let mut runs = 0;
    while runs < RUNS {
        let start = Instant::now();
        for _ in 0..turns {
            for packet in &mut packets {
                work(black_box(packet));
            }
        }
        let took = start.elapsed();
        if took < RUN {
            turns *= 2;
        } else {
            runs += 1;
            best = best.min(took.as_nanos() as f64 / (turns * packets.len()) as f64);
        }
    }
    best
}
