//! A million packets of six fields, beside the dynamic way of doing it and this machine's limits.
//!
//! `cargo bench --bench minecraft` prints a table. Each figure is the best of several short runs
//! on one core; fields come from memory and the bytes are looked at, so nothing is optimised
//! away. The limit is stores without any check into a struct of the same shape. "python" is
//! `tools/minecraft/baseline.py`, run beside it if there is a `python3`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

#[path = "minecraft/raw.rs"]
mod raw;
#[path = "maple/table.rs"]
mod table;

use raw::{LEN, Raw};
use samara::{
    buffer::{ByteBuf, Encode, Reader, Writer},
    minecraft::{
        Content, Decryptor, Encryptor, Framing, MAX_FRAME, Packet, Plain, Received, Zlib,
        packets::play::serverbound::PositionLook,
    },
};
use std::{hint::black_box, process::Command, time::Instant};
use table::Table;

const PACKETS: usize = 1024;
const REPEATS: usize = 100;
const ROUNDS: usize = 400;

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let packets: Vec<_> = (0..PACKETS).map(packet).collect();
    let python = python();
    let table = Table::new(filter, "python");
    table.head();
    writes(&table, &packets, python);
    reads(&table, &packets);
    streams(&table);
}

fn packet(at: usize) -> PositionLook {
    PositionLook {
        x: 3.0 + at as f64,
        y: 3.2,
        z: 15_503.24,
        yaw: 315.0,
        pitch: 15_423.0 - at as f32,
        on_ground: at.is_multiple_of(2),
    }
}

/// Packets per second of the script.
fn python() -> Option<f64> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/minecraft/baseline.py");
    let output = Command::new("python3").arg(script).output().ok()?;
    let rate = String::from_utf8(output.stdout).ok()?.trim().parse().ok();
    if rate.is_none() {
        println!("no python3: no factors");
    }
    rate
}

/// Nanoseconds of one of `PACKETS` operations of either, at best. They take turns, so that
/// whatever else the machine does hits both.
fn beside(mut limit: impl FnMut(), mut work: impl FnMut()) -> (f64, f64) {
    let mut best = [f64::INFINITY; 2];
    let run = |work: &mut dyn FnMut(), best: &mut f64| {
        let start = Instant::now();
        for _ in 0..REPEATS {
            work();
        }
        let each = start.elapsed().as_nanos() as f64 / (REPEATS * PACKETS) as f64;
        *best = best.min(each);
    };
    for _ in 0..ROUNDS {
        run(&mut limit, &mut best[0]);
        run(&mut work, &mut best[1]);
    }
    (best[0], best[1])
}

fn writes(table: &Table, packets: &[PositionLook], python: Option<f64>) {
    let row = |name: &str, work: &mut dyn FnMut()| {
        if !table.has(name) {
            return;
        }
        let mut raw = Raw::<256>::new();
        let limit = || {
            for packet in packets {
                raw.store(packet);
                black_box(&mut raw);
            }
        };
        let (limit, ns) = beside(limit, work);
        table.show(name, Some(limit), python, ns);
    };
    let mut buf = ByteBuf::<256>::new();
    row("write: a reused buffer", &mut || {
        for packet in packets {
            buf.clear();
            let _ = buf.encode(&Plain(packet));
            black_box(&mut buf);
        }
    });
    row("write: a fresh buffer of 35 bytes", &mut || {
        for packet in packets {
            let mut buf = ByteBuf::<{ Plain::<PositionLook>::MAX_LEN }>::new();
            let _ = buf.encode(&Plain(packet));
            black_box(&mut buf);
        }
    });
    row("write: a fresh buffer of 256 bytes", &mut || {
        for packet in packets {
            let mut buf = ByteBuf::<256>::new();
            let _ = buf.encode(&Plain(packet));
            black_box(&mut buf);
        }
    });
    let (from, mut to) = (vec![7_u8; LEN * PACKETS], vec![0_u8; LEN * PACKETS]);
    let name = "write: one after the other, of a copy";
    if table.has(name) {
        let mut copied = vec![0_u8; LEN * PACKETS];
        let copy = || {
            let from = black_box(&from);
            for (to, from) in copied.chunks_exact_mut(LEN).zip(from.chunks_exact(LEN)) {
                to.copy_from_slice(from);
            }
            black_box(&mut copied);
        };
        let work = || {
            let mut writer = Writer::new(&mut to);
            for packet in packets {
                let _ = Plain(packet).encode(&mut writer);
            }
            black_box(&mut to);
        };
        let (limit, ns) = beside(copy, work);
        table.show(name, Some(limit), python, ns);
    }
}

fn reads(table: &Table, packets: &[PositionLook]) {
    let mut raw = Raw::<256>::new();
    raw.store(&packets[0]);
    let mut buf = ByteBuf::<256>::new();
    buf.encode(&Plain(packets[0])).unwrap();
    let load = || {
        for _ in 0..PACKETS {
            black_box(black_box(&mut raw).load());
        }
    };
    let read = || {
        for _ in 0..PACKETS {
            let buf = black_box(&mut buf);
            buf.rewind();
            let read = buf.read_with(|reader: &mut Reader<'_>| {
                reader.skip(1)?;
                PositionLook::decode(reader.bytes(34)?)
            });
            let _ = black_box(read);
        }
    };
    let (limit, ns) = beside(load, read);
    let name = "read: of a buffer";
    if table.has(name) {
        table.show(name, Some(limit), None, ns);
    }
    let mut stream = vec![0; LEN * PACKETS];
    let mut writer = Writer::new(&mut stream);
    packets
        .iter()
        .for_each(|it| Plain(it).encode(&mut writer).unwrap());
    let framing = Framing::new(MAX_FRAME);
    table.row(
        "read: frames of a stream",
        Some(limit),
        None,
        PACKETS,
        || {
            let mut rest = black_box(&stream[..]);
            while let Ok(Received::Frame(frame)) = framing.receive(rest) {
                if let Content::Body(body) = frame.content {
                    let _ = black_box(PositionLook::decode(body));
                }
                rest = &rest[frame.bytes.len()..];
            }
        },
    );
}

fn streams(table: &Table) {
    let mut bytes = vec![7; 1500];
    let (mut out, mut back) = (Encryptor::new(&[7; 16]), Decryptor::new(&[7; 16]));
    table.row("encrypt 1500 bytes", None, None, 1, || {
        out.encrypt(black_box(&mut bytes))
    });
    table.row("decrypt 1500 bytes", None, None, 1, || {
        back.decrypt(black_box(&mut bytes))
    });
    let mut zlib = Zlib::new();
    let framing = Framing::new(MAX_FRAME).with_threshold(256);
    let body: Vec<u8> = (0..8192_u32).map(|at| ((at * at) >> 9) as u8).collect();
    let mut frame = vec![0; 10_000];
    table.row("deflate a body of 8192 bytes", None, None, 1, || {
        let mut writer = Writer::new(&mut frame);
        let _ = zlib.write_body(framing, black_box(&body), &mut writer);
    });
    let Ok(Received::Frame(frame)) = framing.receive(&frame) else {
        return;
    };
    table.row("inflate it", None, None, 1, || {
        let _ = black_box(zlib.body(black_box(frame.content)));
    });
    table.row("inflate its front", None, None, 1, || {
        let _ = black_box(zlib.front(black_box(frame.content), 15));
    });
}
