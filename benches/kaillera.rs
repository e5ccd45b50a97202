//! Time per game-data message, from datagram to datagram, and of the parts on its way.
//!
//! ```text
//! cargo bench --bench kaillera
//! ```
//!
//! The service runs as it does inline on an event loop, driven by hand, without sockets and
//! without a clock. An element is one message: `thrpt` is messages per second.

#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "../tools/load/player.rs"]
#[expect(dead_code, reason = "the load tool uses more of it")]
mod player;

#[path = "kaillera/table.rs"]
mod table;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use samara::{
    kaillera::{
        InputCache, Kind,
        bundle::{Bundle, BundleWriter, MessageNumber},
        message::{ClientMessage, ConnectionType},
    },
    lobby::sync::{FrameSync, Input, Output, SyncEvent, SyncSink},
    timer::Time,
};
use std::{
    hint::black_box,
    time::{Duration, Instant},
};
use table::Table;

/// Frames whose datagrams are made ahead of the clock.
const FRAMES: usize = 256;

/// A message of game data with 4 bytes of input.
const DATA: [u8; 8] = [Kind::GameData as u8, 0, 4, 0, 1, 2, 3, 4];

fn service(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("service");
    for players in [2, 4, 8] {
        for (name, held) in [("hit", true), ("miss", false)] {
            group.throughput(Throughput::Elements(players as u64));
            group.bench_function(BenchmarkId::new(name, players), |bencher| {
                let mut table = Table::start(players);
                table.prepare(FRAMES, held);
                table.play();
                bencher.iter_custom(|frames| {
                    let mut spent = Duration::ZERO;
                    let mut left = frames as usize;
                    while left > 0 {
                        let now = left.min(FRAMES);
                        table.prepare(now, held);
                        let start = Instant::now();
                        let sent = table.play();
                        spent += start.elapsed();
                        assert_eq!(sent, now * players, "an answer to each message");
                        left -= now;
                    }
                    spent
                });
            });
        }
    }
    group.finish();
}

fn bundles(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bundle");
    group.throughput(Throughput::Elements(1));
    let mut datagram = [0; 256];
    let length = write(&mut datagram, 3);
    group.bench_function("parse 3, decode the newest", |bencher| {
        bencher.iter(|| {
            let bundle = Bundle::parse(black_box(&datagram[..length])).unwrap();
            let newest = bundle.newest_first().next().unwrap();
            let message = ClientMessage::decode(newest.kind, newest.body);
            assert!(message.is_ok());
            black_box(bundle.len())
        });
    });
    group.bench_function("write 5", |bencher| {
        bencher.iter(|| write(black_box(&mut datagram), 5));
    });
    group.finish();
}

fn write(datagram: &mut [u8], messages: u16) -> usize {
    let mut bundle = BundleWriter::new(datagram);
    for age in 0..messages {
        let number = MessageNumber(1000 - age);
        bundle.push(number, black_box(&DATA)).unwrap();
    }
    bundle.finish()
}

fn caches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cache");
    group.throughput(Throughput::Elements(1));
    for bytes in [8, 48] {
        let mut cache: InputCache = InputCache::new();
        cache.reset(bytes);
        let mut input = vec![0; bytes];
        for number in 0..1000u64 {
            input[..8].copy_from_slice(&number.to_le_bytes());
            cache.push(&input);
        }
        group.bench_function(BenchmarkId::new("find", bytes), |bencher| {
            bencher.iter(|| cache.find(black_box(&input)).unwrap());
        });
        let mut number = 1000u64;
        group.bench_function(BenchmarkId::new("push", bytes), |bencher| {
            bencher.iter(|| {
                number += 1;
                input[..8].copy_from_slice(&number.to_le_bytes());
                assert_eq!(cache.find_or_push(black_box(&input)), None);
            });
        });
    }
    group.finish();
}

fn frame_sync(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frame sync");
    for players in [2, 4, 8] {
        for (name, held) in [("hit", true), ("miss", false)] {
            group.throughput(Throughput::Elements(players as u64));
            group.bench_function(BenchmarkId::new(name, players), |bencher| {
                let mut sync = FrameSync::new(Duration::from_secs(12), Duration::from_secs(60));
                sync.begin(ConnectionType::Lan, &vec![1; players]);
                sync.play(Time::ZERO);
                let mut outputs = Outputs(0);
                let mut step = 0u32;
                bencher.iter(|| {
                    step += u32::from(!held);
                    for player in 0..players {
                        let input = (step << 3 | player as u32).to_le_bytes();
                        sync.input(Time::ZERO, player, Input::Data(&input), &mut outputs);
                    }
                });
                assert!(outputs.0 > 0);
            });
        }
    }
    group.finish();
}

/// Counts what frame sync says.
struct Outputs(usize);

impl SyncSink for Outputs {
    fn output(&mut self, _: usize, output: Output<'_>) {
        black_box(output);
        self.0 += 1;
    }

    fn event(&mut self, event: SyncEvent) {
        panic!("{event:?}");
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_millis(1500));
    targets = service, bundles, caches, frame_sync
}
criterion_main!(benches);
