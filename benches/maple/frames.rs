//! Whole frames: sent, received, relayed, broadcast.

use crate::{
    ciphers::{encoders, frames, plain_crypt},
    limits::{Limits, MIXED, mixed_blocks, noise},
    table::Table,
};
use aes::{Aes256Enc, cipher::KeyInit};
use samara::maple::{
    Codec, Decoded, Decoder, Direction, IvPolicy, Key, Lanes, Lookahead, PacketPool, Profile,
    shanda,
};
use std::hint::black_box;

/// Published sends per second, with and without a buffer in between.
const FULL: Option<f64> = Some(67_228.0);
const FUSED: Option<f64> = Some(69_528.0);

pub(crate) fn sending(table: &Table, limits: &Limits) {
    let codec = Codec::new(Profile::GMS_83);
    let payloads = MIXED.map(noise);
    let mut data = frames(&MIXED);
    let chain = Some(mixed_blocks() * limits.latency);
    let wide = Some(mixed_blocks() * limits.parallel + limits.copy_mixed());

    let aes = Aes256Enc::new(&Key::DEFAULT.expanded().into());
    let (_, mut at) = IvPolicy::Classic.choose([9; 8]);
    table.row("send mixed, scalar twin", chain, FUSED, 5, || {
        for (frame, payload) in data.iter_mut().zip(&payloads) {
            frame[4..].copy_from_slice(payload);
            shanda::scalar::encrypt(&mut frame[4..]);
            plain_crypt(&aes, at, &mut frame[4..]);
            at = at.shuffled();
        }
    });
    let mut encoder = encoders(&codec, 1, Lookahead::OFF).remove(0);
    let mut work = vec![0; 8192];
    table.row("send mixed, unfused", chain, FULL, 5, || {
        for (frame, payload) in data.iter_mut().zip(&payloads) {
            let work = &mut work[..payload.len()];
            work.copy_from_slice(payload);
            let header = encoder.encode_payload(work).unwrap();
            frame[..4].copy_from_slice(&header);
            frame[4..].copy_from_slice(work);
        }
    });
    table.row("send mixed, fused", chain, FUSED, 5, || {
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
        table.row(&name, wide, FUSED, 5, || {
            for (frame, payload) in data.iter_mut().zip(&payloads) {
                frame[4..].copy_from_slice(payload);
                encoder.encode(frame).unwrap();
            }
        });
    }
    in_lanes(table, wide);
    through_a_pool(table, chain);
}

fn in_lanes(table: &Table, limit: Option<f64>) {
    let codec = Codec::new(Profile::GMS_83);
    let payloads = MIXED.map(noise);
    let mut senders = encoders(&codec, 64, Lookahead::OFF);
    let lens: Vec<_> = MIXED.into_iter().cycle().take(64 * 5).collect();
    let mut many = frames(&lens);
    let mut lanes = Lanes::new(0);
    table.row(
        "send mixed, fused, lanes of 64",
        limit,
        FUSED,
        64 * 5,
        || {
            for (turn, many) in many.chunks_mut(64).enumerate() {
                let payloads = payloads.iter().cycle().skip(turn * 64 % MIXED.len());
                for (frame, payload) in many.iter_mut().zip(payloads) {
                    frame[4..].copy_from_slice(payload);
                }
                let frames = many.iter_mut().map(|it| &mut it[..]);
                lanes.encode_each(senders.iter_mut().zip(frames)).unwrap();
            }
        },
    );
}

fn through_a_pool(table: &Table, limit: Option<f64>) {
    let codec = Codec::new(Profile::GMS_83);
    let payloads = MIXED.map(noise);
    let mut encoder = encoders(&codec, 1, Lookahead::OFF).remove(0);
    let pool = PacketPool::new(&[(2, 64), (2, 256), (2, 2048), (2, 9000)]);
    table.row(
        "send mixed, through a pool's packets",
        limit,
        FUSED,
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

pub(crate) fn receiving(table: &Table, limits: &Limits) {
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

pub(crate) fn broadcasts(table: &Table, limits: &Limits) {
    let codec = Codec::new(Profile::GMS_83);
    let wide = Some(mixed_blocks() * limits.parallel + limits.copy_mixed());
    let payloads = MIXED.map(noise);
    for count in [8, 64, 512] {
        let mut sessions = encoders(&codec, count, Lookahead::OFF);
        let mut queues = vec![vec![0_u8; 4 + 8192]; count];
        let mut lanes = Lanes::new(8192);
        let name = format!("broadcast mixed to {count}, per recipient");
        table.row(&name, wide, FUSED, 5 * count, || {
            let mut recipients: Vec<_> = sessions
                .iter_mut()
                .zip(queues.iter_mut().map(|queue| &mut queue[..]))
                .collect();
            for payload in &payloads {
                lanes.seal_many(payload, &mut recipients).unwrap();
            }
        });
        let name = format!("broadcast mixed to {count}, one by one");
        table.row(&name, wide, FUSED, 5 * count, || {
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
