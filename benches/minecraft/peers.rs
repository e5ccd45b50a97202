//! The same work by the crates `valence_protocol` and `mc_protocol`.
//!
//! Each does it in two ways: id and fields in a slice, which is all it does without allocating and
//! less than a frame; and whole frames by its own means. `valence_protocol` speaks protocol 763,
//! whose packet has the same fields under another id.

use super::{Alone, PACKETS, Rivals};
use mc_protocol::{
    Packet,
    packet::{PacketId, RawPacket, UncompressedPacket},
    ser::{Deserialize, Serialize},
    varint::VarInt,
};
use samara::minecraft::packets::play::serverbound::PositionLook;
use std::{hint::black_box, io::Cursor};
use valence_protocol::{
    Decode, Packet as _, PacketDecoder, PacketEncoder, math::DVec3,
    packets::play::FullC2s as Valence,
};

#[derive(Packet)]
#[packet(0x0E)]
struct McProtocol {
    x: f64,
    y: f64,
    z: f64,
    yaw: f32,
    pitch: f32,
    on_ground: bool,
}

/// Id and fields, without the length.
const LEN: usize = 34;

fn valence(packet: &PositionLook) -> Valence {
    Valence {
        position: DVec3::new(packet.x, packet.y, packet.z),
        yaw: packet.yaw,
        pitch: packet.pitch,
        on_ground: packet.on_ground,
    }
}

fn mc_protocol(packet: &PositionLook) -> McProtocol {
    McProtocol {
        x: packet.x,
        y: packet.y,
        z: packet.z,
        yaw: packet.yaw,
        pitch: packet.pitch,
        on_ground: packet.on_ground,
    }
}

fn put_valence(packet: &Valence, buf: &mut [u8]) -> usize {
    let mut free = &mut buf[..];
    packet.encode_with_id(&mut free).unwrap();
    let free = free.len();
    buf.len() - free
}

fn put_mc_protocol(packet: &McProtocol, buf: &mut [u8]) -> usize {
    let mut free = &mut buf[..];
    VarInt(packet.packet_id()).serialize(&mut free).unwrap();
    packet.serialize(&mut free).unwrap();
    let free = free.len();
    buf.len() - free
}

pub(crate) fn add_writes<'a>(rivals: &mut Rivals<'a>, packets: &[PositionLook]) {
    let theirs: Vec<_> = packets.iter().map(valence).collect();
    let mut buf = Alone([0; 256]);
    rivals.add("write: valence_protocol, no frame", move || {
        for packet in &theirs {
            black_box(put_valence(packet, &mut buf.0));
            black_box(&mut buf);
        }
    });
    let theirs: Vec<_> = packets.iter().map(valence).collect();
    let mut encoder = PacketEncoder::new();
    rivals.add("write: valence_protocol, a frame", move || {
        for packet in &theirs {
            encoder.clear();
            encoder.append_packet(packet).unwrap();
            black_box(&mut encoder);
        }
    });
    let theirs: Vec<_> = packets.iter().map(mc_protocol).collect();
    let mut buf = Alone([0; 256]);
    rivals.add("write: mc_protocol, no frame", move || {
        for packet in &theirs {
            black_box(put_mc_protocol(packet, &mut buf.0));
            black_box(&mut buf);
        }
    });
    let theirs: Vec<_> = packets.iter().map(mc_protocol).collect();
    let mut frame = Vec::with_capacity(256);
    rivals.add("write: mc_protocol, a frame", move || {
        for packet in &theirs {
            frame.clear();
            let packet = UncompressedPacket::from_packet(packet).unwrap();
            packet.write_sync(&mut frame).unwrap();
            black_box(&mut frame);
        }
    });
}

pub(crate) fn add_reads<'a>(rivals: &mut Rivals<'a>, packet: &PositionLook) {
    let mut buf = Alone([0; 256]);
    assert_eq!(put_valence(&valence(packet), &mut buf.0), LEN);
    rivals.add("read: valence_protocol, no frame", move || {
        for _ in 0..PACKETS {
            let mut bytes = &black_box(&mut buf).0[..LEN];
            let id = valence_protocol::VarInt::decode(&mut bytes).unwrap();
            assert_eq!(id.0, Valence::ID);
            black_box(&Valence::decode(&mut bytes).unwrap());
        }
    });
    let mut buf = Alone([0; 256]);
    assert_eq!(put_mc_protocol(&mc_protocol(packet), &mut buf.0), LEN);
    rivals.add("read: mc_protocol, no frame", move || {
        for _ in 0..PACKETS {
            let mut bytes = &black_box(&mut buf).0[..LEN];
            let id = VarInt::deserialize(&mut bytes).unwrap();
            assert_eq!(id.0, McProtocol::PACKET_ID);
            black_box(&McProtocol::deserialize(&mut bytes).unwrap());
        }
    });
}

pub(crate) fn add_streams<'a>(rivals: &mut Rivals<'a>, packets: &[PositionLook]) {
    let mut encoder = PacketEncoder::new();
    for packet in packets {
        encoder.append_packet(&valence(packet)).unwrap();
    }
    let stream = encoder.take();
    let mut decoder = PacketDecoder::new();
    rivals.add("read: valence_protocol, frames of a stream", move || {
        decoder.queue_slice(black_box(&stream));
        while let Some(frame) = decoder.try_next_packet().unwrap() {
            black_box(&frame.decode::<Valence>().unwrap());
        }
    });
    let mut stream = Vec::new();
    for packet in packets {
        let packet = UncompressedPacket::from_packet(&mc_protocol(packet)).unwrap();
        packet.write_sync(&mut stream).unwrap();
    }
    rivals.add("read: mc_protocol, frames of a stream", move || {
        let mut rest = Cursor::new(black_box(&stream[..]));
        for _ in 0..PACKETS {
            let frame = RawPacket::read_sync(&mut rest).unwrap();
            let packet = frame.into_uncompressed(None).unwrap();
            black_box(&packet.deserialize_payload::<McProtocol>().unwrap());
        }
    });
}
