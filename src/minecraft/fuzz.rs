//! What must hold for any bytes a peer sends: one function per decoder.
//!
//! Tests feed them random bytes, a fuzzer what it finds. Each panics when its decoder breaks a
//! promise, and returns quietly when the bytes are refused.

use super::{
    Content, Description, FrameError, Framing, LoginName, MAX_FRAME, MAX_RESPONSE_FRAME, Next,
    Packet, Received, Reception, Uuid, VERSION, Zlib,
    idle::{Fault, Limits, Passage, Session, Settings},
    packets::{handshaking, id_of, login, play, play::clientbound::ChunkData, status},
    recognize,
};
use crate::{
    buffer::{Full, Writer},
    timer::Time,
};
use std::time::Duration;

/// Most bytes of bodies that a fuzz run looks at.
const MAX_BODY: usize = 1 << 16;

/// A stream of frames: byte 0 picks the threshold, byte 1 the splits, the others arrive.
///
/// # Panics
///
/// If the bodies depend on how their bytes were split, or are others when they are framed again.
pub fn frames(data: &[u8]) {
    let Some((&[threshold, split], stream)) = data.split_first_chunk() else {
        return;
    };
    let framing = Framing::new(MAX_FRAME).with_threshold(i32::from(threshold) - 1);
    let mut zlib = Zlib::new();
    let (bodies, error) = receive(framing, &mut zlib, stream, usize::MAX);
    for step in [1, usize::from(split).max(1)] {
        let pieces = receive(framing, &mut zlib, stream, step);
        assert_eq!(pieces, (bodies.clone(), error));
    }
    let mut again = vec![0; stream.len() + bodies.concat().len() + 100 * bodies.len()];
    let mut writer = Writer::new(&mut again);
    for body in &bodies {
        assert_eq!(zlib.write_body(framing, body, &mut writer), Ok(()));
    }
    let received = receive(framing, &mut zlib, writer.written(), usize::MAX);
    assert_eq!(received, (bodies, None));
}

/// A body: byte 0 picks state and direction.
///
/// # Panics
///
/// If a packet is another one after it was written and read again, or longer than it says.
pub fn packet(data: &[u8]) {
    let Some((&table, body)) = data.split_first() else {
        return;
    };
    macro_rules! table {
        ($($table:ident)::*) => {{
            let Ok(packet) = $($table)::*::decode(body) else {
                return;
            };
            let bytes = written(packet.encoded_len(), |writer| packet.encode(writer));
            // Longer forms of numbers end here.
            assert!(bytes.len() <= body.len());
            let Ok(again) = $($table)::*::decode(&bytes) else {
                panic!("{packet:?} is not read again");
            };
            // By what they show: a NaN is equal to nothing.
            assert_eq!(format!("{again:?}"), format!("{packet:?}"));
            let len = again.encoded_len();
            assert_eq!(written(len, |writer| again.encode(writer)), bytes);
        }};
    }
    match table % 7 {
        0 => table!(handshaking::Serverbound),
        1 => table!(status::Serverbound),
        2 => table!(status::Clientbound),
        3 => table!(login::Serverbound),
        4 => table!(login::Clientbound),
        5 => table!(play::serverbound::Serverbound),
        _ => table!(play::clientbound::Clientbound),
    }
}

/// The first bytes of a connection: byte 0 picks the splits.
///
/// # Panics
///
/// If the answer depends on how the bytes were split, or comes to bytes that were not recognized.
pub fn reception(data: &[u8]) {
    let Some((&split, bytes)) = data.split_first() else {
        return;
    };
    let whole = answer(bytes, usize::MAX);
    if recognize(bytes) == Some(false) {
        assert!(whole.0.is_empty());
        assert!(!matches!(whole.1, Next::Login(_)));
    }
    // A short form of the old ping is all there is until more comes.
    if whole.1 != Next::MoreSoon && bytes.first() != Some(&0xFE) {
        assert_eq!(answer(bytes, usize::from(split).max(1)), whole);
    }
}

/// A session between two peers, a step at a time: byte 0 says what happens, two bytes how long
/// a body follows, little-endian.
///
/// # Panics
///
/// If the session keeps more than it may, or what is replayed cannot be read.
pub fn session(data: &[u8]) {
    let limits = Limits {
        columns: 4,
        column_bytes: 2000,
        block_changes: 8,
        block_entities: 3,
        partial_frames: 2,
        entities: 5,
        players: 3,
        boards: 3,
        value_bytes: 100,
        live_bytes: 500,
    };
    let settings = Settings {
        limits,
        view_distance: 2,
        anti_afk: None,
    };
    let Some(name) = LoginName::new("x") else {
        return;
    };
    let framing = Framing::new(MAX_FRAME).with_threshold(64);
    let mut now = Time::ZERO;
    let mut session = Session::new(settings, Uuid(1), name, framing, now);
    let mut zlib = Zlib::new();
    let mut frame = vec![0; MAX_BODY + 1000];
    let mut rest = data;
    while let Some((&[what, low, high], more)) = rest.split_first_chunk() {
        let len = usize::from(u16::from_le_bytes([low, high])).min(more.len());
        let (body, more) = more.split_at(len);
        rest = more;
        now += Duration::from_secs(1);
        let mut writer = Writer::new(&mut frame);
        if body.is_empty() || zlib.write_body(framing, body, &mut writer).is_err() {
            continue;
        }
        let result = step(&mut session, what, writer.written(), now, &mut zlib);
        if result.is_err() || matches!(result, Ok(Passage::Ended(_))) {
            return;
        }
        let (columns, bytes, entities) = session.size();
        assert!(columns <= limits.columns && bytes <= limits.column_bytes);
        assert!(entities <= limits.entities);
    }
    session.attach(now, &mut zlib);
    let mut stream = Vec::new();
    loop {
        let mut writer = Writer::new(&mut frame);
        let done = session.write_client(&mut writer);
        stream.extend_from_slice(writer.written());
        if done {
            break;
        }
    }
    check_replay(&stream, framing, &mut zlib);
}

fn step(
    session: &mut Session,
    what: u8,
    frame: &[u8],
    now: Time,
    zlib: &mut Zlib,
) -> Result<Passage, Fault> {
    let Ok(Received::Frame(frame)) = session.framing().receive(frame) else {
        return Err(Fault::Unexpected);
    };
    let (mut up, mut down) = ([0; 4096], [0; 256]);
    let (mut up, mut down) = (Writer::new(&mut up), Writer::new(&mut down));
    match what % 8 {
        0..=3 => session.receive_from_upstream(now, &frame, zlib, &mut up),
        4 => session.receive_from_client(now, &frame, zlib),
        5 if !session.is_attached() => {
            session.attach(now, zlib);
            Ok(Passage::Keep)
        }
        5 => {
            session.write_client(&mut down);
            Ok(Passage::Keep)
        }
        6 => {
            session.detach(now, zlib, &mut up)?;
            Ok(Passage::Keep)
        }
        _ => session.expired(session.next_timeout().max(now), zlib, &mut up, &mut down),
    }
}

/// Columns are passed on unread; everything else that is replayed was made here.
fn check_replay(stream: &[u8], framing: Framing, zlib: &mut Zlib) {
    const SET_COMPRESSION: [u8; 3] = [2, 3, 64];
    let Some(stream) = stream.strip_prefix(&SET_COMPRESSION) else {
        panic!("no Set Compression");
    };
    let (bodies, error) = receive(framing, zlib, stream, usize::MAX);
    assert_eq!(error, None);
    for body in bodies.iter().skip(1) {
        if id_of(body) != Ok(i32::from(ChunkData::ID)) {
            let packet = play::clientbound::Clientbound::decode(body);
            assert!(packet.is_ok(), "{packet:?}: {body:02x?}");
        }
    }
}

/// Bodies, and why there were no more.
fn receive(
    framing: Framing,
    zlib: &mut Zlib,
    stream: &[u8],
    step: usize,
) -> (Vec<Vec<u8>>, Option<FrameError>) {
    let mut bodies = Vec::new();
    let mut waiting = Vec::new();
    for piece in stream.chunks(step.min(stream.len()).max(1)) {
        waiting.extend_from_slice(piece);
        loop {
            let frame = match framing.receive(&waiting) {
                Ok(Received::Frame(frame)) => frame,
                Ok(Received::Incomplete { missing }) => {
                    assert_ne!(missing, 0);
                    break;
                }
                Err(error) => return (bodies, Some(error)),
            };
            let is_large = matches!(frame.content, Content::Deflated { len, .. } if len > MAX_BODY);
            match zlib.body(frame.content) {
                Ok(_) if is_large => {}
                Ok(body) => {
                    let front = body.get(..15).unwrap_or(body).to_vec();
                    bodies.push(body.to_vec());
                    assert_eq!(zlib.front(frame.content, 15), Ok(&front[..]));
                }
                Err(error) => return (bodies, Some(error)),
            }
            let len = frame.bytes.len();
            waiting.drain(..len);
        }
    }
    (bodies, None)
}

fn written(len: usize, write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>) -> Vec<u8> {
    let mut bytes = vec![0; len];
    let mut writer = Writer::new(&mut bytes);
    assert_eq!(write(&mut writer), Ok(()));
    assert_eq!(writer.remaining(), 0);
    bytes
}

fn answer(bytes: &[u8], step: usize) -> (Vec<u8>, Next) {
    let description = Description {
        version: VERSION,
        online: 1,
        max: 2,
        sample: &[],
        motd: "x",
        favicon: None,
    };
    let mut reception = Reception::new();
    let mut buf = vec![0; MAX_RESPONSE_FRAME];
    let mut writer = Writer::new(&mut buf);
    let mut waiting = Vec::new();
    let mut next = Next::More;
    for piece in bytes.chunks(step.min(bytes.len()).max(1)) {
        waiting.extend_from_slice(piece);
        let progress = reception.receive(&waiting, &description, &mut writer);
        assert!(progress.consumed <= waiting.len());
        waiting.drain(..progress.consumed);
        next = progress.next;
        if !matches!(next, Next::More | Next::MoreSoon) {
            break;
        }
    }
    (writer.written().to_vec(), next)
}
