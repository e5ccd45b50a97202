//! Packets written and read, field by field.

use crate::{
    limits::{Limits, noise},
    table::Table,
};
use samara::{
    buffer::{Full, Reader, Truncated, Writer},
    maple::{Charset, PacketPool, ReadMaple, WriteMaple},
};
use std::hint::black_box;

fn write_primitives(w: &mut Writer<'_>, bytes: &[u8]) -> Result<(), Full> {
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

fn read_primitives(bytes: &[u8]) -> Result<u64, Truncated> {
    let mut r = Reader::new(bytes);
    let mut sum = u64::from(r.u16_le()?) + u64::from(r.u8()?) + u64::from(r.bool()?);
    sum += u64::from(r.u16_le()?) + u64::from(r.u32_le()?) + (r.u64_le()? & 0xFF);
    sum += r.string()?.len() as u64 + r.fixed_text(13)?.len() as u64;
    let (x, y) = r.point()?;
    r.skip(8)?;
    sum += u64::from(x.unsigned_abs()) + u64::from(y.unsigned_abs());
    Ok(sum + r.bytes(8)?.len() as u64)
}

/// Published operations per second.
const WRITER: Option<f64> = Some(2_232_252.0);
const WRITER_BUFFER: Option<f64> = Some(4_525_200.0);
const ACCESSOR: Option<f64> = Some(17_280_436.0);
const ACCESSOR_BUFFER: Option<f64> = Some(4_231_050.0);

pub(crate) fn packets(table: &Table, limits: &Limits) {
    let pool = PacketPool::new(&[(4, 256), (4, 2048)]);
    let (short, long) = (noise(24), noise(1460));
    let mut buf = [0; 2048];
    let len = {
        let mut w = Writer::new(&mut buf);
        write_primitives(&mut w, &short).unwrap();
        w.len()
    };
    let copy = Some(limits.copy(len.min(64)));
    table.row("writer primitives, slice", copy, WRITER, 1, || {
        let mut w = Writer::new(&mut buf);
        write_primitives(&mut w, &short).unwrap();
        black_box(w.written());
    });
    table.row("writer primitives, pool", copy, WRITER, 1, || {
        let mut packet = pool.begin().unwrap();
        packet.write(|w| write_primitives(w, &short)).unwrap();
        black_box(packet.payload());
    });
    let copy = Some(limits.copy(1460));
    table.row("writer buffer 1460, slice", copy, WRITER_BUFFER, 1, || {
        let mut w = Writer::new(&mut buf);
        w.bytes(black_box(&long)).unwrap();
        black_box(w.written());
    });
    table.row("writer buffer 1460, pool", copy, WRITER_BUFFER, 1, || {
        let mut packet = pool.begin().unwrap();
        packet.write(|w| w.bytes(black_box(&long))).unwrap();
        black_box(packet.payload());
    });
    reads(table, limits, &long);
}

fn reads(table: &Table, limits: &Limits, long: &[u8]) {
    let short = noise(24);
    let mut buf = [0; 2048];
    let mut written = [0; 128];
    write_primitives(&mut Writer::new(&mut written), &short).unwrap();
    let copy = Some(limits.copy(64));
    table.row("accessor primitives", copy, ACCESSOR, 1, || {
        black_box(read_primitives(black_box(&written))).unwrap();
    });
    let copy = Some(limits.copy(1460));
    table.row(
        "accessor buffer 1460, borrowed",
        None,
        ACCESSOR_BUFFER,
        1,
        || {
            let mut r = Reader::new(black_box(long));
            black_box(r.bytes(1460).unwrap());
        },
    );
    table.row(
        "accessor buffer 1460, copied",
        copy,
        ACCESSOR_BUFFER,
        1,
        || {
            let mut r = Reader::new(black_box(long));
            buf[..1460].copy_from_slice(r.bytes(1460).unwrap());
            black_box(&buf);
        },
    );
}
