//! A million packets of six fields, beside the dynamic way of doing it, this machine's limits,
//! and other crates.
//!
//! `cargo bench --bench minecraft` prints a table, `--features peers` adds the crates
//! `valence_protocol` and `mc_protocol`. Each figure is the median of many short rounds on one
//! core, in which all rivals of a group take turns; fields come from memory and the bytes are
//! looked at, so nothing is optimised away. The limit is stores without any check into a struct of
//! the same shape. "python" is `tools/minecraft/baseline.py`, run beside it if there is a
//! `python3`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

#[cfg(feature = "peers")]
#[path = "minecraft/peers.rs"]
mod peers;
#[path = "minecraft/raw.rs"]
mod raw;
#[path = "minecraft/rounds.rs"]
mod rounds;
#[path = "maple/table.rs"]
mod table;
#[path = "minecraft/targets.rs"]
mod targets;

use raw::{LEN, Raw};
use rounds::{Alone, Rivals};
use samara::{
    buffer::{ByteBuf, Encode, Reader, Writer},
    minecraft::{
        Content, Decryptor, Encryptor, Framing, MAX_FRAME, Packet, Plain, Received, Zlib,
        packets::play::serverbound::PositionLook,
    },
};
use std::{hint::black_box, process::Command};
use table::Table;
use targets::Targets;

const PACKETS: usize = 1024;
/// A round is some hundred microseconds; all rounds of a rival are a million packets and more.
const CALLS: usize = 64;

const LIMIT: &str = "limit";
const REUSED: &str = "write: a reused buffer";
const FRESH: &str = "write: a fresh buffer of 35 bytes";
const BARE_WRITE: &str = "write: no frame";
const BARE_READ: &str = "read: no frame";
const READ: &str = "read: of a buffer";
const FRAMES: &str = "read: frames of a stream";

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let packets: Vec<_> = (0..PACKETS).map(packet).collect();
    let python = python();
    let table = Table::new(filter, "python");
    let mut targets = Targets::new(python);
    table.head();
    for (rivals, others) in [
        (writes(&packets), python),
        (copies(&packets), python),
        (reads(&packets), None),
    ] {
        if !rivals.names().any(|name| table.has(name)) {
            continue;
        }
        let results = rivals.race(CALLS, PACKETS);
        let limit = results[0].1;
        for &(name, ns) in results.iter().filter(|it| it.0 != LIMIT && table.has(it.0)) {
            table.show(name, Some(limit), others, ns);
        }
        targets.note(results);
    }
    streams(&table);
    targets.show();
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

fn writes(packets: &[PositionLook]) -> Rivals<'_> {
    let mut rivals = Rivals::default();
    let mut raw = Alone(Raw::<256>::new());
    rivals.add(LIMIT, move || {
        for packet in packets {
            raw.0.store(packet);
            black_box(&mut raw);
        }
    });
    let mut buf = Alone(ByteBuf::<256>::new());
    rivals.add(REUSED, move || {
        for packet in packets {
            buf.0.clear();
            let _ = buf.0.encode(&Plain(packet));
            black_box(&mut buf);
        }
    });
    rivals.add(FRESH, move || {
        for packet in packets {
            let mut buf = ByteBuf::<{ Plain::<PositionLook>::MAX_LEN }>::new();
            let _ = buf.encode(&Plain(packet));
            black_box(&mut buf);
        }
    });
    rivals.add("write: a fresh buffer of 256 bytes", move || {
        for packet in packets {
            let mut buf = ByteBuf::<256>::new();
            let _ = buf.encode(&Plain(packet));
            black_box(&mut buf);
        }
    });
    let mut bare = Alone([0; 256]);
    rivals.add(BARE_WRITE, move || {
        for packet in packets {
            let mut writer = Writer::new(&mut bare.0);
            let _ = packet.encode(&mut writer);
            black_box(writer.len());
            black_box(&mut bare);
        }
    });
    #[cfg(feature = "peers")]
    peers::add_writes(&mut rivals, packets);
    rivals
}

fn copies(packets: &[PositionLook]) -> Rivals<'_> {
    let mut rivals = Rivals::default();
    let (from, mut copied) = (vec![7_u8; LEN * PACKETS], vec![0_u8; LEN * PACKETS]);
    rivals.add(LIMIT, move || {
        let from = black_box(&from);
        for (to, from) in copied.chunks_exact_mut(LEN).zip(from.chunks_exact(LEN)) {
            to.copy_from_slice(from);
        }
        black_box(&mut copied);
    });
    let mut to = vec![0_u8; LEN * PACKETS];
    rivals.add("write: one after the other, of a copy", move || {
        let mut writer = Writer::new(&mut to);
        for packet in packets {
            let _ = Plain(packet).encode(&mut writer);
        }
        black_box(&mut to);
    });
    rivals
}

fn reads(packets: &[PositionLook]) -> Rivals<'_> {
    let mut rivals = Rivals::default();
    let mut raw = Alone(Raw::<256>::new());
    raw.0.store(&packets[0]);
    rivals.add(LIMIT, move || {
        for _ in 0..PACKETS {
            black_box(&black_box(&mut raw).0.load());
        }
    });
    let mut buf = Alone(ByteBuf::<256>::new());
    buf.0.encode(&Plain(packets[0])).unwrap();
    rivals.add(READ, move || {
        for _ in 0..PACKETS {
            let buf = &mut black_box(&mut buf).0;
            buf.rewind();
            let read = buf.read_with(|reader: &mut Reader<'_>| {
                reader.skip(1)?;
                PositionLook::decode(reader.bytes(LEN - 1)?)
            });
            if let Ok(packet) = read {
                black_box(&packet);
            }
        }
    });
    let mut bare = Alone([0; 256]);
    packets[0].encode(&mut Writer::new(&mut bare.0)).unwrap();
    rivals.add(BARE_READ, move || {
        for _ in 0..PACKETS {
            let bytes = &black_box(&mut bare).0[..LEN - 1];
            if let Ok(packet) = PositionLook::decode(bytes) {
                black_box(&packet);
            }
        }
    });
    let mut stream = vec![0; LEN * PACKETS];
    let mut writer = Writer::new(&mut stream);
    packets
        .iter()
        .for_each(|it| Plain(it).encode(&mut writer).unwrap());
    let framing = Framing::new(MAX_FRAME);
    rivals.add(FRAMES, move || {
        let mut rest = black_box(&stream[..]);
        while let Ok(Received::Frame(frame)) = framing.receive(rest) {
            if let Content::Body(body) = frame.content
                && let Ok(packet) = PositionLook::decode(body)
            {
                black_box(&packet);
            }
            rest = &rest[frame.bytes.len()..];
        }
    });
    #[cfg(feature = "peers")]
    {
        peers::add_reads(&mut rivals, &packets[0]);
        peers::add_streams(&mut rivals, packets);
    }
    rivals
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
