//! The Maple codec against the published Java library's benchmark and this machine's limits.
//!
//! `cargo bench --bench maple` prints a table. Each figure is the best of several short runs on
//! one core. "published" is what the Java library does on a machine of this kind, with some
//! 25 ns per operation for reading the clock; "mixed" packets are 32, 128, 512, 1460 and 8192
//! bytes long in turn. `cargo bench --bench maple -- WORD` runs the rows that hold the word.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use aes::{
    Aes256Enc, Block,
    cipher::{
        BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, KeyInit,
        consts::U16,
    },
};
use samara::{
    buffer::{Reader, Writer},
    maple::{
        BLOCK, Charset, Codec, Decoded, Decoder, Direction, Encoder, FIRST_CHUNK, Iv, IvPolicy,
        Key, KeySchedule, Keystream, KeystreamCache, Lanes, Lookahead, NEXT_CHUNK, PacketPool,
        Profile, ReadMaple, StartBlock, WriteMaple, blocks_needed,
        shanda::{self, Shanda},
    },
};
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

const MIXED: [usize; 5] = [32, 128, 512, 1460, 8192];
const RUN: Duration = Duration::from_millis(12);
const RUNS: usize = 9;

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let limits = Limits::measure();
    limits.print();
    let table = Table { filter };
    table.head();
    packets(&table, &limits);
    shandas(&table, &limits);
    keystreams(&table, &limits);
    sending(&table, &limits);
    receiving(&table, &limits);
    broadcasts(&table, &limits);
}

/// Nanoseconds of one of the `ops` operations of `work`, at best.
fn time(ops: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut calls = 0_u32;
        while start.elapsed() < RUN {
            for _ in 0..4 {
                work();
            }
            calls += 4;
        }
        let each = start.elapsed().as_nanos() as f64 / f64::from(calls) / ops as f64;
        best = best.min(each);
    }
    best
}

struct Table {
    filter: Option<String>,
}

impl Table {
    fn head(&self) {
        println!(
            "\n{:<44} {:>10} {:>12} {:>10} {:>7} {:>11} {:>7}",
            "", "ns/op", "ops/s", "limit ns", "limit", "published", "factor"
        );
    }

    /// Measures a row: `limit` in nanoseconds per operation, `published` in operations per
    /// second.
    fn row(
        &self,
        name: &str,
        limit: Option<f64>,
        published: Option<f64>,
        ops: usize,
        work: impl FnMut(),
    ) {
        if self
            .filter
            .as_ref()
            .is_some_and(|word| !name.contains(word))
        {
            return;
        }
        let ns = time(ops, work);
        let rate = 1e9 / ns;
        let limit_ns = limit.map_or_else(String::new, |it| format!("{it:.1}"));
        let of_limit = limit.map_or_else(String::new, |it| format!("{:.0}%", it / ns * 100.0));
        let java = published.map_or_else(String::new, |it| format!("{it:.0}"));
        let factor = published.map_or_else(String::new, |it| format!("{:.1}x", rate / it));
        println!(
            "{name:<44} {ns:>10.1} {rate:>12.0} {limit_ns:>10} {of_limit:>7} {java:>11} {factor:>7}"
        );
    }
}

/// What the machine allows.
struct Limits {
    /// Nanoseconds per AES-256 block that waits for the one before.
    latency: f64,
    /// Nanoseconds per AES-256 block among 64 that wait for nothing.
    parallel: f64,
    /// Nanoseconds to copy so many bytes within the first cache.
    copy: Vec<(usize, f64)>,
}

struct Chain<'a> {
    block: &'a mut Block,
    steps: usize,
}

impl BlockSizeUser for Chain<'_> {
    type BlockSize = U16;
}

impl BlockCipherEncClosure for Chain<'_> {
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        for _ in 0..self.steps {
            backend.encrypt_block_inplace(self.block);
        }
    }
}

impl Limits {
    fn measure() -> Self {
        let aes = Aes256Enc::new(&Key::DEFAULT.expanded().into());
        let mut block = Block::default();
        let steps = 1000;
        let latency = time(steps, || {
            aes.encrypt_with_backend(Chain {
                block: &mut block,
                steps,
            });
            black_box(&block);
        });
        let mut blocks = [Block::default(); 64];
        let parallel = time(64, || {
            aes.encrypt_blocks(&mut blocks);
            black_box(&blocks);
        });
        let copy = [24, 64, 512, 1460, 8192]
            .into_iter()
            .map(|len| {
                let (from, mut to) = (vec![1_u8; len], vec![0_u8; len]);
                let ns = time(16, || {
                    for _ in 0..16 {
                        to.copy_from_slice(black_box(&from));
                        black_box(&mut to);
                    }
                });
                (len, ns)
            })
            .collect();
        Self {
            latency,
            parallel,
            copy,
        }
    }

    fn print(&self) {
        println!("Shanda backend: {}", Shanda::detect().name());
        #[cfg(target_arch = "x86_64")]
        for (name, there) in [
            ("aes", is_x86_feature_detected!("aes")),
            ("avx2", is_x86_feature_detected!("avx2")),
            ("vaes", is_x86_feature_detected!("vaes")),
            ("avx512f", is_x86_feature_detected!("avx512f")),
            ("avx512bw", is_x86_feature_detected!("avx512bw")),
            ("avx512vbmi", is_x86_feature_detected!("avx512vbmi")),
            ("gfni", is_x86_feature_detected!("gfni")),
            ("vpclmulqdq", is_x86_feature_detected!("vpclmulqdq")),
        ] {
            print!("{}{name} ", if there { "+" } else { "-" });
        }
        println!();
        println!("AES-256 block, dependent     {:>8.2} ns", self.latency);
        println!("AES-256 block, 64 in parallel{:>8.2} ns", self.parallel);
        for (len, ns) in &self.copy {
            println!("copy of {len:>4} bytes           {ns:>8.2} ns");
        }
    }

    fn copy(&self, len: usize) -> f64 {
        let found = self.copy.iter().find(|(known, _)| *known >= len);
        found.map_or(f64::NAN, |(known, ns)| ns * len as f64 / *known as f64)
    }

    fn copy_mixed(&self) -> f64 {
        MIXED.into_iter().map(|len| self.copy(len)).sum::<f64>() / 5.0
    }
}

/// Keystream blocks of a mixed packet, on average.
fn mixed_blocks() -> f64 {
    let blocks = MIXED.map(|len| blocks_needed(len, FIRST_CHUNK));
    blocks.into_iter().sum::<usize>() as f64 / 5.0
}

fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x1234_ABCD_u32;
    std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
    .take(len)
    .collect()
}

fn write_primitives(w: &mut Writer<'_>, bytes: &[u8]) -> Result<(), samara::buffer::Full> {
    w.u16_le(black_box(0x11))?;
    w.u8(black_box(7))?;
    w.bool(black_box(true))?;
    w.u16_le(black_box(1234))?;
    w.u32_le(black_box(0x1234_5678))?;
    w.u64_le(black_box(0x0123_4567_89AB_CDEF))?;
    w.string(Charset::Ms932, black_box("Packet-1"))?;
    w.padded(black_box(b"Character"), 13)?;
    w.point(black_box(-1), black_box(300))?;
    w.zeros(8)?;
    w.bytes(black_box(bytes))
}

fn read_primitives(bytes: &[u8]) -> Result<u64, samara::buffer::Truncated> {
    let mut r = Reader::new(bytes);
    let mut sum = u64::from(r.u16_le()?) + u64::from(r.u8()?) + u64::from(r.bool()?);
    sum += u64::from(r.u16_le()?) + u64::from(r.u32_le()?) + (r.u64_le()? & 0xFF);
    sum += r.string()?.len() as u64 + r.fixed_text(13)?.len() as u64;
    let (x, y) = r.point()?;
    r.skip(8)?;
    sum += u64::from(x.unsigned_abs()) + u64::from(y.unsigned_abs());
    Ok(sum + r.bytes(8)?.len() as u64)
}

fn packets(table: &Table, limits: &Limits) {
    let pool = PacketPool::new(&[(4, 256), (4, 2048)]);
    let (short, long) = (noise(24), noise(1460));
    let mut buf = [0; 2048];
    let len = {
        let mut w = Writer::new(&mut buf);
        write_primitives(&mut w, &short).unwrap();
        w.len()
    };
    let copy = Some(limits.copy(len.min(64)));
    table.row(
        "writer primitives, slice",
        copy,
        Some(2_232_252.0),
        1,
        || {
            let mut w = Writer::new(&mut buf);
            write_primitives(&mut w, &short).unwrap();
            black_box(w.written());
        },
    );
    table.row(
        "writer primitives, pool",
        copy,
        Some(2_232_252.0),
        1,
        || {
            let mut packet = pool.begin().unwrap();
            packet.write(|w| write_primitives(w, &short)).unwrap();
            black_box(packet.payload());
        },
    );
    let copy = Some(limits.copy(1460));
    table.row(
        "writer buffer 1460, slice",
        copy,
        Some(4_525_200.0),
        1,
        || {
            let mut w = Writer::new(&mut buf);
            w.bytes(black_box(&long)).unwrap();
            black_box(w.written());
        },
    );
    table.row(
        "writer buffer 1460, pool",
        copy,
        Some(4_525_200.0),
        1,
        || {
            let mut packet = pool.begin().unwrap();
            packet.write(|w| w.bytes(black_box(&long))).unwrap();
            black_box(packet.payload());
        },
    );
    let mut written = [0; 128];
    write_primitives(&mut Writer::new(&mut written), &short).unwrap();
    let copy = Some(limits.copy(64));
    table.row("accessor primitives", copy, Some(17_280_436.0), 1, || {
        black_box(read_primitives(black_box(&written))).unwrap();
    });
    let copy = Some(limits.copy(1460));
    table.row(
        "accessor buffer 1460, borrowed",
        None,
        Some(4_231_050.0),
        1,
        || {
            let mut r = Reader::new(black_box(&long));
            black_box(r.bytes(1460).unwrap());
        },
    );
    table.row(
        "accessor buffer 1460, copied",
        copy,
        Some(4_231_050.0),
        1,
        || {
            let mut r = Reader::new(black_box(&long));
            buf[..1460].copy_from_slice(r.bytes(1460).unwrap());
            black_box(&buf);
        },
    );
}

fn shandas(table: &Table, limits: &Limits) {
    let mut data = noise(512);
    let mut mixed = MIXED.map(noise);
    let copy = Some(limits.copy(512));
    for shanda in [Shanda::detect(), Shanda::scalar()] {
        let name = |what| format!("{what} ({})", shanda.name());
        table.row(
            &name("custom encrypt 512"),
            copy,
            Some(394_485.0),
            1,
            || {
                shanda.encrypt(black_box(&mut data));
            },
        );
        table.row(
            &name("custom decrypt 512"),
            copy,
            Some(388_634.0),
            1,
            || {
                shanda.decrypt(black_box(&mut data));
            },
        );
        let copy = Some(2.0 * limits.copy_mixed());
        table.row(
            &name("custom round trip mixed"),
            copy,
            Some(47_123.0),
            5,
            || {
                for data in &mut mixed {
                    shanda.encrypt(black_box(data));
                    shanda.decrypt(black_box(data));
                }
            },
        );
    }
}

/// The definition: each chunk makes its own keystream, block by block (maple.md 3).
fn plain_crypt(aes: &Aes256Enc, iv: Iv, payload: &mut [u8]) {
    let mut rest = payload;
    let mut chunk_len = FIRST_CHUNK;
    while !rest.is_empty() {
        let (chunk, later) = rest.split_at_mut(chunk_len.min(rest.len()));
        let mut block = Block::from(StartBlock::Standard.bytes(iv));
        for bytes in chunk.chunks_mut(BLOCK) {
            aes.encrypt_block(&mut block);
            for (byte, key) in bytes.iter_mut().zip(block) {
                *byte ^= key;
            }
        }
        (rest, chunk_len) = (later, NEXT_CHUNK);
    }
}

fn aes_only() -> Codec {
    Codec::new(Profile {
        shanda: false,
        ..Profile::GMS_83
    })
}

fn encoders(codec: &Codec, count: usize, ahead: Lookahead) -> Vec<Encoder> {
    (0..count)
        .map(|at| {
            let (_, iv) = IvPolicy::Classic.choose([(at % 251) as u8; 8]);
            codec.encoder(Direction::ToClient, iv).looking_ahead(ahead)
        })
        .collect()
}

fn frames(lens: &[usize]) -> Vec<Vec<u8>> {
    lens.iter().map(|len| noise(4 + len)).collect()
}

fn keystreams(table: &Table, limits: &Limits) {
    let aes = Aes256Enc::new(&Key::DEFAULT.expanded().into());
    for (name, lens, published) in [
        ("AES 512", &[512][..], 1_248_710.0),
        ("AES mixed", &MIXED[..], 280_606.0),
    ] {
        let blocks = lens.iter().map(|&len| blocks_needed(len, FIRST_CHUNK));
        let blocks = blocks.sum::<usize>() as f64 / lens.len() as f64;
        let chain = Some(blocks * limits.latency);
        let wide = Some(blocks * limits.parallel);
        let java = Some(published);
        let ops = lens.len();
        let (_, iv) = IvPolicy::Classic.choose([9; 8]);

        let mut data = frames(lens);
        let mut at = iv;
        table.row(&format!("{name}, scalar twin"), chain, java, ops, || {
            for frame in &mut data {
                plain_crypt(&aes, at, &mut frame[4..]);
                at = at.shuffled();
            }
        });
        let schedule = KeySchedule::new(Key::DEFAULT);
        table.row(&format!("{name}, one packet"), chain, java, ops, || {
            for frame in &mut data {
                schedule.crypt(StartBlock::Standard, at, FIRST_CHUNK, &mut frame[4..]);
                at = at.shuffled();
            }
        });
        let codec = aes_only();
        for packets in [2, 4, 8, 64] {
            for bytes in [512, 1460] {
                let ahead = Lookahead { packets, bytes };
                let mut encoder = encoders(&codec, 1, ahead).remove(0);
                let name = format!("{name}, {packets} ahead of {bytes} B");
                table.row(&name, wide, java, ops, || {
                    for frame in &mut data {
                        encoder.encode(frame).unwrap();
                    }
                });
            }
        }
        for sessions in [8, 16, 32, 64] {
            let mut senders = encoders(&codec, sessions, Lookahead::OFF);
            let lens: Vec<_> = lens.iter().copied().cycle().take(sessions * ops).collect();
            let mut data = frames(&lens);
            let mut lanes = Lanes::new(0);
            let name = format!("{name}, lanes of {sessions} sessions");
            table.row(&name, wide, java, sessions * ops, || {
                for data in data.chunks_mut(sessions) {
                    let frames = data.iter_mut().map(|it| &mut it[..]);
                    lanes.encode_each(senders.iter_mut().zip(frames)).unwrap();
                }
            });
        }
        let ahead = Lookahead {
            packets: 8,
            bytes: 1460,
        };
        let mut senders = encoders(&codec, 64, ahead);
        let mut lanes = Lanes::new(0);
        let name_of = format!("{name}, 64 sessions prefetched by 8");
        table.row(&name_of, wide, java, 64 * 8, || {
            lanes.prefetch(&mut senders);
            for round in 0..8 {
                for (at, sender) in senders.iter_mut().enumerate() {
                    sender.encode(&mut data[(at + round) % ops]).unwrap();
                }
            }
        });
        let ivs: Vec<_> = (0..64).map(|at| Iv::new([at, 1, 2, 3])).collect();
        let mut out = vec![Keystream::new(); 64];
        let bytes = if ops == 1 { 512 } else { 1460 };
        let whole = Some((bytes as f64 / 16.0).ceil() * limits.parallel);
        table.row(
            &format!("{name}, 64 keystreams of {bytes} B alone"),
            whole,
            None,
            64,
            || {
                lanes.keystreams(&schedule, StartBlock::Standard, &ivs, bytes, &mut out);
                black_box(&out);
            },
        );
        let mut cache = KeystreamCache::new(schedule, StartBlock::Standard, 128, 1472);
        let copy = Some(lens.iter().map(|&len| limits.copy(len)).sum::<f64>() / ops as f64);
        for policy in [IvPolicy::ShortCycle, IvPolicy::Fixed] {
            let (_, iv) = policy.choose([3; 8]);
            let mut encoder = codec.encoder(Direction::ToClient, iv);
            let name = format!("{name}, cached, {policy:?} IVs");
            table.row(&name, copy, java, ops, || {
                for frame in &mut data {
                    encoder.encode_cached(frame, &mut cache).unwrap();
                }
            });
        }
    }
    let mut iv = Iv::new([1, 2, 3, 4]);
    table.row("shuffle", None, None, 1, || iv = black_box(iv.shuffled()));
}

fn sending(table: &Table, limits: &Limits) {
    let codec = Codec::new(Profile::GMS_83);
    let payloads = MIXED.map(noise);
    let mut data = frames(&MIXED);
    let chain = Some(mixed_blocks() * limits.latency);
    let wide = Some(mixed_blocks() * limits.parallel + limits.copy_mixed());
    let (full, fused) = (Some(67_228.0), Some(69_528.0));

    let aes = Aes256Enc::new(&Key::DEFAULT.expanded().into());
    let (_, mut at) = IvPolicy::Classic.choose([9; 8]);
    table.row("send mixed, scalar twin", chain, fused, 5, || {
        for (frame, payload) in data.iter_mut().zip(&payloads) {
            frame[4..].copy_from_slice(payload);
            shanda::scalar::encrypt(&mut frame[4..]);
            plain_crypt(&aes, at, &mut frame[4..]);
            at = at.shuffled();
        }
    });
    let mut encoder = encoders(&codec, 1, Lookahead::OFF).remove(0);
    let mut work = vec![0; 8192];
    table.row("send mixed, unfused", chain, full, 5, || {
        for (frame, payload) in data.iter_mut().zip(&payloads) {
            let work = &mut work[..payload.len()];
            work.copy_from_slice(payload);
            let header = encoder.encode_payload(work).unwrap();
            frame[..4].copy_from_slice(&header);
            frame[4..].copy_from_slice(work);
        }
    });
    table.row("send mixed, fused", chain, fused, 5, || {
        for (frame, payload) in data.iter_mut().zip(&payloads) {
            frame[4..].copy_from_slice(payload);
            encoder.encode(frame).unwrap();
        }
    });
    for packets in [4, 8, 64] {
        let ahead = Lookahead {
            packets,
            bytes: 1460,
        };
        let mut encoder = encoders(&codec, 1, ahead).remove(0);
        let name = format!("send mixed, fused, {packets} ahead");
        table.row(&name, wide, fused, 5, || {
            for (frame, payload) in data.iter_mut().zip(&payloads) {
                frame[4..].copy_from_slice(payload);
                encoder.encode(frame).unwrap();
            }
        });
    }
    let mut senders = encoders(&codec, 64, Lookahead::OFF);
    let lens: Vec<_> = MIXED.into_iter().cycle().take(64 * 5).collect();
    let mut many = frames(&lens);
    let mut lanes = Lanes::new(0);
    table.row(
        "send mixed, fused, lanes of 64",
        wide,
        fused,
        64 * 5,
        || {
            for many in many.chunks_mut(64) {
                for (frame, payload) in many.iter_mut().zip(payloads.iter().cycle()) {
                    frame[4..4 + payload.len().min(28)]
                        .copy_from_slice(&payload[..payload.len().min(28)]);
                }
                let frames = many.iter_mut().map(|it| &mut it[..]);
                lanes.encode_each(senders.iter_mut().zip(frames)).unwrap();
            }
        },
    );
    let pool = PacketPool::new(&[(2, 64), (2, 256), (2, 2048), (2, 9000)]);
    table.row(
        "send mixed, through a pool's packets",
        chain,
        fused,
        5,
        || {
            for payload in &payloads {
                let mut packet = pool.begin().unwrap();
                packet.write(|w| w.bytes(payload)).unwrap();
                black_box(packet.seal(&mut encoder).unwrap());
            }
        },
    );
}

fn receiving(table: &Table, limits: &Limits) {
    let codec = Codec::new(Profile::GMS_83);
    let (_, iv) = IvPolicy::Fixed.choose([0; 8]);
    // A fixed IV lets one recorded frame arrive over and over; nothing is cached.
    let sealed = MIXED.map(|len| {
        let mut frame = noise(4 + len);
        codec
            .encoder(Direction::ToClient, iv)
            .encode(&mut frame)
            .unwrap();
        frame
    });
    let mut data = sealed.clone();
    let chain = Some(mixed_blocks() * limits.latency);
    let mut decoder: Decoder = codec.decoder(Direction::ToClient, iv);
    table.row("receive mixed", chain, None, 5, || {
        for (frame, sealed) in data.iter_mut().zip(&sealed) {
            frame.copy_from_slice(sealed);
            let decoded = decoder.decode(frame).unwrap();
            assert!(matches!(decoded, Decoded::Packet { .. }));
        }
    });
    let one = Some(limits.latency);
    table.row("peek opcode", one, None, 5, || {
        for sealed in &sealed {
            black_box(decoder.peek_opcode(black_box(sealed))).unwrap();
        }
    });
    let (_, other) = IvPolicy::Classic.choose([7; 8]);
    let mut encoder = codec.encoder(Direction::ToClient, other);
    table.row("relay mixed", chain, None, 5, || {
        for (frame, sealed) in data.iter_mut().zip(&sealed) {
            frame[..4].copy_from_slice(&sealed[..4]);
            decoder.relay(&mut encoder, frame).unwrap();
        }
    });
}

fn broadcasts(table: &Table, limits: &Limits) {
    let codec = Codec::new(Profile::GMS_83);
    let wide = Some(mixed_blocks() * limits.parallel + limits.copy_mixed());
    let fused = Some(69_528.0);
    let payloads = MIXED.map(noise);
    for count in [8, 64, 512] {
        let mut sessions = encoders(&codec, count, Lookahead::OFF);
        let mut queues = vec![vec![0_u8; 4 + 8192]; count];
        let mut lanes = Lanes::new(8192);
        let name = format!("broadcast mixed to {count}, per recipient");
        table.row(&name, wide, fused, 5 * count, || {
            let mut recipients: Vec<_> = sessions
                .iter_mut()
                .zip(queues.iter_mut().map(|queue| &mut queue[..]))
                .collect();
            for payload in &payloads {
                lanes.seal_many(payload, &mut recipients).unwrap();
            }
        });
        let name = format!("broadcast mixed to {count}, one by one");
        table.row(&name, wide, fused, 5 * count, || {
            for payload in &payloads {
                for (encoder, queue) in sessions.iter_mut().zip(&mut queues) {
                    let frame = &mut queue[..4 + payload.len()];
                    frame[4..].copy_from_slice(payload);
                    encoder.encode(frame).unwrap();
                }
            }
        });
    }
}
