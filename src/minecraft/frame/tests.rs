use super::*;
use crate::minecraft::{
    Zlib,
    tests::{bytes, list, text, vectors},
};
use proptest::prelude::*;

const PLAIN: Framing = Framing::new(MAX_FRAME);

fn frame<'b>(framing: Framing, bytes: &'b [u8]) -> Result<Frame<'b>, FrameError> {
    match framing.receive(bytes)? {
        Received::Frame(frame) => Ok(frame),
        Received::Incomplete { missing } => panic!("{missing} bytes are missing"),
    }
}

fn written(zlib: &mut Zlib, framing: Framing, body: &[u8]) -> Vec<u8> {
    let mut buf = vec![0; body.len() + body.len() / 100 + 100];
    let mut writer = Writer::new(&mut buf);
    zlib.write_body(framing, body, &mut writer).unwrap();
    writer.written().to_vec()
}

#[test]
fn plain_frames_are_what_the_vectors_say() {
    let mut zlib = Zlib::new();
    for vector in list(&vectors()["packets"]) {
        let (body, bytes) = (bytes(&vector["body"]), bytes(&vector["frame"]));
        let frame = frame(PLAIN, &bytes).unwrap();
        assert_eq!(frame.bytes, bytes);
        assert_eq!(frame.content, Content::Body(&body));
        assert_eq!(written(&mut zlib, PLAIN, &body), bytes);
    }
}

#[test]
fn compressed_frames_are_what_the_vectors_say() {
    let mut zlib = Zlib::new();
    for vector in list(&vectors()["compressed"]) {
        let (body, bytes) = (bytes(&vector["body"]), bytes(&vector["frame"]));
        let framing = PLAIN.with_threshold(vector["threshold"].as_i64().unwrap() as i32);
        let content = frame(framing, &bytes).unwrap().content;
        let compressed = vector["compressed"].as_bool().unwrap();
        assert_eq!(matches!(content, Content::Deflated { .. }), compressed);
        assert_eq!(zlib.body(content), Ok(&body[..]));
        assert_eq!(zlib.front(content, 14), Ok(&body[..body.len().min(14)]));
        assert_eq!(zlib.front(content, 1), Ok(&body[..1]));
        let ours = written(&mut zlib, framing, &body);
        assert!(compressed || ours == bytes);
        let content = frame(framing, &ours).unwrap().content;
        assert_eq!(matches!(content, Content::Deflated { .. }), compressed);
        assert_eq!(zlib.body(content), Ok(&body[..]));
    }
}

#[test]
fn invalid_frames_are_refused_for_what_is_wrong() {
    let mut zlib = Zlib::new();
    for vector in list(&vectors()["invalid"]) {
        let framing = match text(&vector["kind"]) {
            "frame" => PLAIN,
            "compressed_frame" => {
                PLAIN.with_threshold(vector["threshold"].as_i64().unwrap() as i32)
            }
            _ => continue,
        };
        let bytes = bytes(&vector["hex"]);
        let expected = match text(&vector["error"]) {
            "bad_length" => FrameError::BadLength,
            "below_threshold" => FrameError::BelowThreshold,
            "size_mismatch" => FrameError::SizeMismatch,
            "bad_zlib" => FrameError::BadZlib,
            "incomplete" => {
                let received = framing.receive(&bytes);
                assert_eq!(received, Ok(Received::Incomplete { missing: 8 }));
                continue;
            }
            other => panic!("{other}"),
        };
        let result = frame(framing, &bytes).and_then(|it| zlib.body(it.content).map(drop));
        assert_eq!(result, Err(expected), "{vector}");
    }
}

#[test]
fn the_recorded_session_is_understood() {
    let vectors = vectors();
    let mut zlib = Zlib::new();
    for vector in list(&vectors["session"]["frames"]) {
        let on = vector["compression_on"].as_bool().unwrap();
        let framing = PLAIN.with_threshold(if on { 256 } else { -1 });
        let bytes = bytes(&vector["frame"]);
        let content = frame(framing, &bytes).unwrap().content;
        let deflated = vector["data_length"].as_u64().is_some_and(|len| len > 0);
        assert_eq!(matches!(content, Content::Deflated { .. }), deflated);
        let body = zlib.body(content).unwrap();
        let id = crate::minecraft::packets::id_of(body).unwrap();
        let (state, direction) = (text(&vector["state"]), text(&vector["direction"]));
        let expected = &vectors["packet_ids"][state][direction][text(&vector["name"])];
        assert_eq!(expected.as_i64(), Some(i64::from(id)));
    }
}

#[test]
fn a_bomb_is_inflated_no_further_than_it_says() {
    let mut zlib = Zlib::new();
    let framing = PLAIN.with_threshold(0);
    let bytes = written(&mut zlib, framing, &vec![0; MAX_BODY]);
    assert!(bytes.len() < 3000);
    let Content::Deflated { zlib: stream, .. } = frame(framing, &bytes).unwrap().content else {
        panic!("it is compressed");
    };
    let mut fresh = Zlib::new();
    let said = Content::Deflated {
        len: 1000,
        zlib: stream,
    };
    assert_eq!(fresh.body(said), Err(FrameError::SizeMismatch));
    assert!(format!("{fresh:?}").contains("body: 1001"));
    let cut = Content::Deflated {
        len: MAX_BODY,
        zlib: &stream[..stream.len() - 1],
    };
    assert!(fresh.body(cut).is_err());
}

#[test]
fn limits_hold() {
    let mut zlib = Zlib::new();
    let framing = Framing::new(10);
    let bytes = written(&mut zlib, framing, &[7; 10]);
    assert!(frame(framing, &bytes).is_ok());
    let bytes = written(&mut zlib, framing, &[7; 11]);
    assert_eq!(frame(framing, &bytes), Err(FrameError::BadLength));
    assert!(frame(framing.accepting(11), &bytes).is_ok());
    let mut buf = vec![0; MAX_BODY + 10];
    let mut writer = Writer::new(&mut buf);
    let body = vec![0; MAX_FRAME + 1];
    assert_eq!(zlib.write_body(PLAIN, &body, &mut writer), Err(Full));
    assert_eq!(zlib.write_body(PLAIN, &[], &mut writer), Err(Full));
    assert!(writer.is_empty());
}

proptest! {
    #[test]
    fn bodies_come_through_any_split(
        bodies in proptest::collection::vec(
            (any::<u8>(), 1..400_usize, any::<bool>()).prop_map(|(byte, len, same)| {
                (0..len).map(|at| if same { byte } else { byte.wrapping_mul(at as u8) }).collect()
            }),
            0..8,
        ),
        threshold in -1..300_i32,
        step in 1..50_usize,
    ) {
        let bodies: Vec<Vec<u8>> = bodies;
        let framing = PLAIN.with_threshold(threshold);
        let mut zlib = Zlib::new();
        let frames = bodies.iter().flat_map(|it| written(&mut zlib, framing, it));
        let stream: Vec<u8> = frames.collect();
        let mut received = Vec::new();
        let mut got = Vec::new();
        for piece in stream.chunks(step) {
            received.extend_from_slice(piece);
            while let Received::Frame(frame) = framing.receive(&received).unwrap() {
                got.push(zlib.body(frame.content).unwrap().to_vec());
                let len = frame.bytes.len();
                received.drain(..len);
            }
        }
        prop_assert!(received.is_empty());
        prop_assert_eq!(got, bodies);
    }
}
