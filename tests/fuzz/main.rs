//! The library's fuzz functions on the corpus, on random bytes and on what mutations make of
//! the corpus. The libFuzzer targets in `tools/fuzz` search deeper; what they find comes here.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod config;
mod gateway;
mod http;
mod maple;
mod minecraft;
mod seeds;

use samara::{
    access::fuzz as access_fuzz, config::fuzz as config_fuzz, kaillera::fuzz,
    maple::fuzz as maple_fuzz, minecraft::fuzz as minecraft_fuzz, service,
};
use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

struct Target {
    name: &'static str,
    run: fn(&[u8]),
}

const TARGETS: [Target; 18] = [
    Target {
        name: "connect",
        run: fuzz::connect,
    },
    Target {
        name: "bundle",
        run: fuzz::bundle,
    },
    Target {
        name: "client_message",
        run: fuzz::client_message,
    },
    Target {
        name: "server_message",
        run: fuzz::server_message,
    },
    Target {
        name: "session",
        run: service::kaillera::fuzz::session,
    },
    Target {
        name: "maple_decoder",
        run: maple_fuzz::decoder,
    },
    Target {
        name: "maple_round_trip",
        run: maple_fuzz::round_trip,
    },
    Target {
        name: "maple_hello",
        run: maple_fuzz::hello,
    },
    Target {
        name: "http",
        run: service::http::fuzz::http,
    },
    Target {
        name: "gateway",
        run: service::gateway::fuzz::gateway,
    },
    Target {
        name: "minecraft_frames",
        run: minecraft_fuzz::frames,
    },
    Target {
        name: "minecraft_packet",
        run: minecraft_fuzz::packet,
    },
    Target {
        name: "minecraft_reception",
        run: minecraft_fuzz::reception,
    },
    Target {
        name: "minecraft_session",
        run: minecraft_fuzz::session,
    },
    Target {
        name: "access",
        run: access_fuzz::rules,
    },
    Target {
        name: "properties",
        run: config_fuzz::properties,
    },
    Target {
        name: "emulinker",
        run: config_fuzz::emulinker,
    },
    Target {
        name: "native",
        run: config_fuzz::native,
    },
];

/// How long each target gets for each kind of made-up input.
const TIME: Duration = Duration::from_millis(500);

#[test]
fn the_corpus_holds() {
    for target in &TARGETS {
        let corpus = corpus(target.name);
        assert!(corpus.len() >= 5, "{} has no corpus", target.name);
        for (path, data) in corpus {
            run(target, &path.display().to_string(), &data);
        }
    }
}

#[test]
fn random_bytes_hold() {
    for target in &TARGETS {
        let mut random = Random(1);
        let end = Instant::now() + TIME;
        while Instant::now() < end {
            let length = random.below(0..300);
            let data: Vec<u8> = (0..length).map(|_| random.byte()).collect();
            run(target, "random bytes", &data);
        }
    }
}

#[test]
fn mutations_hold() {
    for target in &TARGETS {
        let corpus = corpus(target.name);
        let mut random = Random(2);
        let end = Instant::now() + TIME;
        while Instant::now() < end {
            let (path, seed) = &corpus[random.below(0..corpus.len())];
            let mut data = seed.clone();
            for _ in 0..random.below(1..6) {
                let (_, other) = &corpus[random.below(0..corpus.len())];
                mutate(&mut data, other, &mut random);
            }
            run(target, &format!("a mutation of {}", path.display()), &data);
        }
    }
}

/// Runs a target; says on what it failed, so that it can become a file of the corpus.
fn run(target: &Target, origin: &str, data: &[u8]) {
    struct Witness<'a>(&'a Target, &'a str, &'a [u8]);

    impl Drop for Witness<'_> {
        fn drop(&mut self) {
            let Self(target, origin, data) = self;
            if thread::panicking() {
                let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
                eprintln!("{} failed on {origin}: {hex}", target.name);
            }
        }
    }

    let _witness = Witness(target, origin, data);
    (target.run)(data);
}

fn corpus_directory(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/corpus")
        .join(target)
}

/// A target's files in the order of their names.
fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(corpus_directory(target)).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let data = fs::read(&path).unwrap();
            (path, data)
        })
        .collect()
}

fn mutate(data: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(0..data.len() + 1);
    let end = (at + random.below(0..9)).min(data.len());
    match random.below(0..7) {
        0 if at < data.len() => data[at] ^= 1 << random.below(0..8),
        1 if at < data.len() => data[at] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF][random.below(0..6)],
        2 => data.insert(at, random.byte()),
        3 => drop(data.drain(at..end)),
        4 => data.extend_from_within(at..end),
        5 => data.truncate(at),
        _ => {
            let from = random.below(0..other.len() + 1);
            data.truncate(at);
            data.extend_from_slice(&other[from..]);
        }
    }
}

/// SplitMix64: the same bytes in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn byte(&mut self) -> u8 {
        self.next() as u8
    }

    fn below(&mut self, range: Range<usize>) -> usize {
        range.start + self.next() as usize % range.len()
    }
}
