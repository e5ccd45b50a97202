//! Shanda and the keystream, each by itself.

use crate::{
    limits::{Limits, MIXED, noise},
    table::Table,
};
use aes::{
    Aes256Enc, Block,
    cipher::{BlockCipherEncrypt, KeyInit},
};
use samara::maple::{
    BLOCK, Codec, Direction, Encoder, FIRST_CHUNK, Iv, IvPolicy, Key, KeySchedule, Keystream,
    KeystreamCache, Lanes, Lookahead, NEXT_CHUNK, Profile, StartBlock, blocks_needed,
    shanda::Shanda,
};
use std::hint::black_box;

pub(crate) fn shandas(table: &Table, limits: &Limits) {
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
pub(crate) fn plain_crypt(aes: &Aes256Enc, iv: Iv, payload: &mut [u8]) {
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

pub(crate) fn encoders(codec: &Codec, count: usize, ahead: Lookahead) -> Vec<Encoder> {
    (0..count)
        .map(|at| {
            let (_, iv) = IvPolicy::Classic.choose([(at % 251) as u8; 8]);
            codec.encoder(Direction::ToClient, iv).looking_ahead(ahead)
        })
        .collect()
}

pub(crate) fn frames(lens: &[usize]) -> Vec<Vec<u8>> {
    lens.iter().map(|len| noise(4 + len)).collect()
}

/// Rows of payloads of some lengths in turn, without Shanda.
struct Work<'a> {
    table: &'a Table,
    limits: &'a Limits,
    name: &'static str,
    lens: &'static [usize],
    /// Operations per second.
    published: f64,
}

pub(crate) fn keystreams(table: &Table, limits: &Limits) {
    for (name, lens, published) in [
        ("AES 512", &[512][..], 1_248_710.0),
        ("AES mixed", &MIXED[..], 280_606.0),
    ] {
        let work = Work {
            table,
            limits,
            name,
            lens,
            published,
        };
        work.one_by_one();
        work.ahead();
        work.lanes();
        work.cached();
    }
    let mut iv = Iv::new([1, 2, 3, 4]);
    table.row("shuffle", None, None, 1, || iv = black_box(iv.shuffled()));
}

impl Work<'_> {
    fn row(&self, what: &str, limit: f64, ops: usize, work: impl FnMut()) {
        let name = format!("{}, {what}", self.name);
        let published = Some(self.published);
        self.table.row(&name, Some(limit), published, ops, work);
    }

    /// Keystream blocks per payload.
    fn blocks(&self) -> f64 {
        let blocks = self.lens.iter().map(|&len| blocks_needed(len, FIRST_CHUNK));
        blocks.sum::<usize>() as f64 / self.lens.len() as f64
    }

    fn chain(&self) -> f64 {
        self.blocks() * self.limits.latency
    }

    fn wide(&self) -> f64 {
        self.blocks() * self.limits.parallel
    }

    fn one_by_one(&self) {
        let mut data = frames(self.lens);
        let (_, mut at) = IvPolicy::Classic.choose([9; 8]);
        let aes = Aes256Enc::new(&Key::DEFAULT.expanded().into());
        self.row("scalar twin", self.chain(), self.lens.len(), || {
            for frame in &mut data {
                plain_crypt(&aes, at, &mut frame[4..]);
                at = at.shuffled();
            }
        });
        let schedule = KeySchedule::new(Key::DEFAULT);
        self.row("one packet", self.chain(), self.lens.len(), || {
            for frame in &mut data {
                schedule.crypt(StartBlock::Standard, at, FIRST_CHUNK, &mut frame[4..]);
                at = at.shuffled();
            }
        });
    }

    fn ahead(&self) {
        let codec = aes_only();
        let mut data = frames(self.lens);
        for packets in [2, 4, 8, 64] {
            for bytes in [512, 1460] {
                let ahead = Lookahead { packets, bytes };
                let mut encoder = encoders(&codec, 1, ahead).remove(0);
                let what = format!("{packets} ahead of {bytes} B");
                self.row(&what, self.wide(), self.lens.len(), || {
                    for frame in &mut data {
                        encoder.encode(frame).unwrap();
                    }
                });
            }
        }
    }

    fn lanes(&self) {
        let codec = aes_only();
        let ops = self.lens.len();
        let longest = self
            .lens
            .iter()
            .copied()
            .max()
            .unwrap_or_default()
            .min(1460);
        let mut lanes = Lanes::new(0);
        for sessions in [8, 16, 32, 64] {
            let mut senders = encoders(&codec, sessions, Lookahead::OFF);
            let lens = self.lens.iter().copied().cycle();
            let lens: Vec<_> = lens.take(sessions * ops).collect();
            let mut data = frames(&lens);
            let what = format!("lanes of {sessions} sessions");
            self.row(&what, self.wide(), sessions * ops, || {
                for data in data.chunks_mut(sessions) {
                    let frames = data.iter_mut().map(|it| &mut it[..]);
                    lanes.encode_each(senders.iter_mut().zip(frames)).unwrap();
                }
            });
        }
        let ahead = Lookahead {
            packets: 8,
            bytes: longest,
        };
        let mut senders = encoders(&codec, 64, ahead);
        let mut data = frames(self.lens);
        self.row("64 sessions prefetched by 8", self.wide(), 64 * 8, || {
            lanes.prefetch(&mut senders);
            for round in 0..8 {
                for (at, sender) in senders.iter_mut().enumerate() {
                    sender.encode(&mut data[(at + round) % ops]).unwrap();
                }
            }
        });
        let ivs: Vec<_> = (0..64).map(|at| Iv::new([at, 1, 2, 3])).collect();
        let mut out = vec![Keystream::new(); 64];
        let whole = longest.div_ceil(BLOCK) as f64 * self.limits.parallel;
        let name = format!("{}, 64 keystreams of {longest} B alone", self.name);
        self.table.row(&name, Some(whole), None, 64, || {
            let schedule = codec.schedule();
            lanes.keystreams(schedule, StartBlock::Standard, &ivs, longest, &mut out);
            black_box(&out);
        });
    }

    fn cached(&self) {
        let codec = aes_only();
        let ops = self.lens.len();
        let mut data = frames(self.lens);
        let schedule = codec.schedule().clone();
        let mut cache = KeystreamCache::new(schedule, StartBlock::Standard, 128, 1472);
        let copies = self.lens.iter().map(|&len| self.limits.copy(len));
        let copy = copies.sum::<f64>() / ops as f64;
        for policy in [IvPolicy::ShortCycle, IvPolicy::Fixed] {
            let (_, iv) = policy.choose([3; 8]);
            let mut encoder = codec.encoder(Direction::ToClient, iv);
            let what = format!("cached, {policy:?} IVs");
            self.row(&what, copy, ops, || {
                for frame in &mut data {
                    encoder.encode_cached(frame, &mut cache).unwrap();
                }
            });
        }
    }
}
