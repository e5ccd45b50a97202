//! The whole server on one thread, in virtual time, against everything that can go wrong.
//!
//! A seed decides how the server is built, who its clients are, what the network does to them
//! and in which order the server's threads run. The parts under test are the real ones; what
//! is modelled is the network, the clients and the threads. A run checks itself after each
//! step (`world.rs`, `checks.rs`, `streams.rs`, `view.rs`) and at its end (`swarm.rs`).
//!
//! - `SAMARA_SEED=17` replays one seed and prints every datagram.
//! - `SAMARA_SEEDS=5000` runs that many, `SAMARA_SEEDS=1000..2000` those.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod checks;
mod directed;
mod emulator;
mod machine;
mod network;
mod plan;
mod rng;
mod streams;
mod swarm;
mod trace;
mod view;
mod world;

use std::{
    cell::Cell,
    env,
    ops::Range,
    panic::{self, catch_unwind},
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};
use swarm::Outcome;

/// Seeds of an ordinary test run.
const SEEDS: u64 = 400;
const THREADS: usize = 2;

#[test]
fn every_seed_ends_well_and_the_same_twice() {
    if let Ok(seed) = env::var("SAMARA_SEED") {
        let seed = seed.parse().expect("SAMARA_SEED is a number");
        println!("{:?}", swarm::run(seed, true));
        return;
    }
    let default_hook = panic::take_hook();
    panic::set_hook(Box::new(move |panic| match SEED.get() {
        Some(seed) => eprintln!("seed {seed}: {panic}"),
        None => default_hook(panic),
    }));
    let seeds = seeds();
    let next = AtomicU64::new(seeds.start);
    let outcomes: Vec<Result<Outcome, u64>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    let mine = || Some(next.fetch_add(1, Ordering::Relaxed));
                    let taken = std::iter::from_fn(mine);
                    let taken = taken.take_while(|seed| seeds.contains(seed));
                    taken.map(twice).collect::<Vec<_>>()
                })
            })
            .collect();
        let outcomes = workers.into_iter().map(|worker| worker.join().unwrap());
        outcomes.flatten().collect()
    });
    let mut failed: Vec<u64> = outcomes.iter().filter_map(|it| it.err()).collect();
    failed.sort_unstable();
    let sum = |of: fn(&Outcome) -> u64| outcomes.iter().flatten().map(of).sum::<u64>();
    println!(
        "{} seeds: {} datagrams, {} logins, {} games, {} frames compared",
        outcomes.len(),
        sum(|it| it.datagrams),
        sum(|it| it.logins),
        sum(|it| it.games),
        sum(|it| it.compared),
    );
    assert!(failed.is_empty(), "failed seeds: {failed:?}");
}

thread_local! {
    /// The seed that this thread runs.
    static SEED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Runs a seed twice: chance has no other source than the seed.
fn twice(seed: u64) -> Result<Outcome, u64> {
    SEED.set(Some(seed));
    let run = || swarm::run(seed, false);
    let outcome = catch_unwind(|| {
        let outcome = run();
        assert_eq!(outcome, run(), "the same seed twice, but another run");
        outcome
    });
    outcome.map_err(|_| {
        println!(
            "seed {seed} fails at commit {}; replay it with SAMARA_SEED={seed} \
             cargo test --test simulation every_seed -- --nocapture",
            commit()
        );
        seed
    })
}

fn seeds() -> Range<u64> {
    let Ok(text) = env::var("SAMARA_SEEDS") else {
        return 0..SEEDS;
    };
    let number = |text: &str| text.parse().expect("SAMARA_SEEDS is a count or a..b");
    match text.split_once("..") {
        Some((start, end)) => number(start)..number(end),
        None => 0..number(&text),
    }
}

fn commit() -> String {
    let git = Command::new("git")
        .args(["rev-parse", "--short", "HEAD"])
        .output();
    let hash = git
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok());
    hash.map_or_else(|| "?".to_owned(), |hash| hash.trim().to_owned())
}
