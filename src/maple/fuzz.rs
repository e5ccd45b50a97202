//! What must hold for any bytes a peer sends: one function per decoder.
//!
//! Tests feed them random bytes, a fuzzer what it finds. Each panics when its decoder breaks a
//! promise, and returns quietly when the bytes are refused.

#![forbid(unsafe_code)]

use super::{
    Codec, DecodeError, Decoded, Decoder, Direction, HeaderForm, Hello, HelloForm, Iv, Layer,
    Lookahead, Profile, Region,
};
use crate::buffer::Writer;

/// What a receiver got: its packets, and why it hung up.
#[derive(Debug, Default, PartialEq, Eq)]
struct Received {
    packets: Vec<Vec<u8>>,
    error: Option<DecodeError>,
}

/// Frames from a peer: byte 0 picks the profile, byte 1 the splits, 2..6 are the IV, the others
/// arrive.
///
/// # Panics
///
/// If the packets depend on how their bytes were split, if bytes or the decoder change without
/// a packet, or if an opcode peeked at is another than the packet's.
pub fn decoder(data: &[u8]) {
    let Some((&[profile, split, a, b, c, d], stream)) = data.split_first_chunk() else {
        return;
    };
    let codec = Codec::new(profile_of(profile));
    let start = |lookahead| {
        let decoder = codec.decoder(Direction::ToServer, Iv::new([a, b, c, d]));
        decoder.accepting(0..=4096).looking_ahead(lookahead)
    };
    let mut stream = stream.to_vec();
    // A random header passes once in 65,536 times: the first one is made to fit.
    let mask = Direction::ToServer.mask(codec.profile().version);
    let sequence = (Iv::new([a, b, c, d]).sequence() ^ mask).to_le_bytes();
    for (place, byte) in stream.iter_mut().zip(sequence) {
        *place = byte;
    }
    let whole = receive(&mut start(Lookahead::OFF), &stream, usize::MAX);
    let few = Lookahead {
        packets: 3,
        bytes: 40,
    };
    for step in [1, usize::from(split).max(1)] {
        assert_eq!(receive(&mut start(few), &stream, step), whole);
    }
}

/// Payloads to a peer: byte 0 picks the profile, byte 1 the splits, 2..6 are the IV; then each
/// payload is a length byte and so many bytes, the last one as many as there are.
///
/// # Panics
///
/// If what arrives, under any split, is not what was sent.
pub fn round_trip(data: &[u8]) {
    let Some((&[profile, split, a, b, c, d], mut rest)) = data.split_first_chunk() else {
        return;
    };
    let codec = Codec::new(profile_of(profile));
    let iv = Iv::new([a, b, c, d]);
    let ahead = Lookahead {
        packets: usize::from(split % 4),
        bytes: usize::from(split),
    };
    let mut encoder = codec.encoder(Direction::ToClient, iv).looking_ahead(ahead);
    let mut sent = Vec::new();
    let mut stream = Vec::new();
    while let Some((&len, more)) = rest.split_first() {
        let (payload, more) = more.split_at(usize::from(len).min(more.len()));
        sent.push(payload.to_vec());
        let mut frame = vec![0xEE; encoder.header_len(payload.len())];
        frame.extend_from_slice(payload);
        assert_eq!(encoder.encode(&mut frame), Ok(()));
        stream.extend_from_slice(&frame);
        rest = more;
    }
    for step in [1, usize::from(split).max(1), usize::MAX] {
        let decoder = codec.decoder(Direction::ToClient, iv);
        let mut decoder = decoder.accepting(0..=usize::MAX);
        let received = receive(&mut decoder, &stream, step);
        assert_eq!(received.packets, sent);
        assert_eq!(received.error, None);
        assert_eq!(decoder.iv(), encoder.iv());
    }
}

/// A greeting: byte 0 picks the form, the others arrive.
///
/// # Panics
///
/// If what was understood is not the same bytes when it is written, or takes more than there is.
pub fn hello(data: &[u8]) {
    let Some((&form, bytes)) = data.split_first() else {
        return;
    };
    let form = match form % 4 {
        0 => HelloForm::Patch,
        1 => HelloForm::Kms,
        2 => HelloForm::Bare,
        _ => HelloForm::Ims,
    };
    let Ok(Some((hello, len))) = Hello::parse(form, bytes) else {
        return;
    };
    let mut buf = [0; 2 + 512];
    let mut writer = Writer::new(&mut buf);
    assert_eq!(hello.write(&mut writer), Ok(()));
    assert_eq!(Some(writer.len()), Some(len));
    if form != HelloForm::Ims {
        assert_eq!(Some(writer.written()), bytes.get(..len));
    }
}

/// Gives `stream` to `decoder`, `step` bytes at a time.
fn receive(decoder: &mut Decoder, stream: &[u8], step: usize) -> Received {
    let mut received = Received::default();
    let mut buffer = Vec::new();
    for piece in stream.chunks(step.min(stream.len()).max(1)) {
        buffer.extend_from_slice(piece);
        loop {
            let (before, iv) = (buffer.clone(), decoder.iv());
            let peeked = decoder.peek_opcode(&buffer);
            match decoder.decode(&mut buffer) {
                Ok(Decoded::Packet { payload, frame_len }) => {
                    check_peek(peeked, payload);
                    received.packets.push(payload.to_vec());
                    buffer.drain(..frame_len);
                }
                Ok(Decoded::Incomplete { missing }) => {
                    assert_ne!(missing, 0);
                    assert_eq!((&buffer, decoder.iv()), (&before, iv));
                    break;
                }
                Err(error) => {
                    assert_eq!((&buffer, decoder.iv()), (&before, iv));
                    received.error = Some(error);
                    return received;
                }
            }
        }
    }
    received
}

fn check_peek(peeked: Result<Option<u16>, DecodeError>, payload: &[u8]) {
    let Ok(Some(opcode)) = peeked else {
        assert!(payload.len() < 2, "an opcode is there and was not seen");
        return;
    };
    let [low, high] = opcode.to_le_bytes();
    assert_eq!(payload.first(), Some(&low));
    assert!(high == 0 || payload.get(1) == Some(&high));
}

fn profile_of(byte: u8) -> Profile {
    let modern = Profile {
        header: HeaderForm::Extended,
        shanda: false,
        ..Profile::GMS_95
    };
    match byte % 7 {
        0 => Profile::GMS_83,
        1 => Profile::GMS_28,
        2 => modern,
        3 => Profile {
            to_client: Layer::Linear,
            ..modern
        },
        4 => Profile {
            region: Region::Kms,
            to_server: Layer::Kms,
            to_client: Layer::Kms,
            ..modern
        },
        5 => Profile {
            header: HeaderForm::Old,
            to_server: Layer::Xor,
            to_client: Layer::Xor,
            ..modern
        },
        _ => Profile {
            header: HeaderForm::Extended,
            ..Profile::GMS_83
        },
    }
}
