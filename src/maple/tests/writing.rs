use super::*;
use crate::buffer::{Full, Reader, Truncated, Writer};

fn written(write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>) -> Vec<u8> {
    let mut buf = [0; 64];
    let mut writer = Writer::new(&mut buf);
    write(&mut writer).unwrap();
    writer.written().to_vec()
}

/// The calls of the vectors, as they are made here.
fn call(name: &str) -> Vec<u8> {
    const JAPAN: Charset = Charset::Ms932;
    written(|w| match name {
        "encode1(0x7f)" => w.u8(0x7F),
        "encode1(-1)" => w.i8(-1),
        "encode2(0x1234)" => w.u16_le(0x1234),
        "encode2(-2)" => w.i16_le(-2),
        "encode2(70000)" => w.u16_le(70_000_u32 as u16),
        "encode4(0x12345678)" => w.u32_le(0x1234_5678),
        "encode4(4294967295L)" => w.u32_le(u32::MAX),
        "encode8(0x0123456789ABCDEF)" => w.u64_le(0x0123_4567_89AB_CDEF),
        "encodeBoolean(true)" => w.bool(true),
        "encodeString(\"Packet-1\")" => w.string(JAPAN, "Packet-1"),
        "encodeString(\"\")" => w.string(JAPAN, ""),
        "encodeString(U+30E1 U+30A4 U+30D7 U+30EB)" => {
            w.string(JAPAN, "\u{30E1}\u{30A4}\u{30D7}\u{30EB}")
        }
        "encodeString(U+20AC)" => w.string(JAPAN, "\u{20AC}"),
        "encodeAsciiString(\"abc\")" => w.text(JAPAN, "abc"),
        "encodeAsciiString(\"abc\",6)" => w.text_padded_by_units(JAPAN, "abc", 6),
        "encodeAsciiString(\"abcdef\",3)" => w.text_padded_by_units(JAPAN, "abcdef", 3),
        "encodeAsciiString(U+30E1 U+30A4,6)" => {
            w.text_padded_by_units(JAPAN, "\u{30E1}\u{30A4}", 6)
        }
        "encodeString(\"ab\",5,'.')" => w.string_padded_by_units(JAPAN, "ab", 5, b'.'),
        "encodeNullTerminatedAsciiString(\"hi\")" => w.nul_terminated(b"hi"),
        "encodeXYCoordinate(-1,300)" => w.point(-1, 300),
        "encodeHex(\"0A ff 1\")" => w.hex("0A ff 1"),
        "encodeHex(\"zz12 34\")" => w.hex("zz12 34"),
        "writeZeroBytes(3)" => w.zeros(3),
        "encodeTempBanTimestamp(1700000000000)" | "encodeFileTimestamp(1700000000000,false)" => {
            w.i64_le(file_time(1_700_000_000_000))
        }
        "encodeFileTimestamp(1700000000000,true)" => {
            w.i64_le(file_time(1_700_000_000_000 / 60_000 * 60_000))
        }
        "encodeItemTimestamp(1700000000000)" => w.i32_le(item_time(1_700_000_000_000)),
        "encodeQuestTimestamp(1700000000000)" => w.i32_le(quest_time(1_700_000_000_000)),
        "encodeTempBanTimestamp(0)" => w.i64_le(file_time(0)),
        "encodeItemTimestamp(0)" => w.i32_le(item_time(0)),
        "encodeQuestTimestamp(0)" => w.i32_le(quest_time(0)),
        other => panic!("unknown call {other}"),
    })
}

#[test]
fn the_java_writers_calls() {
    for case in cases("writer") {
        let name = case["call"].as_str().unwrap();
        assert_eq!(call(name), unhex(&case["out"]), "{name}");
    }
}

#[test]
fn text_comes_back() {
    let text = "na\u{EF}ve \u{20AC}5";
    let bytes = written(|w| w.string(Charset::Windows1252, text));
    assert_eq!(bytes.len(), 2 + 8);
    let mut reader = Reader::new(&bytes);
    let read = reader.string().unwrap();
    assert_eq!(Charset::Windows1252.decode(read), text);
    assert!(matches!(
        Charset::Ms936.decode(b"plain"),
        std::borrow::Cow::Borrowed("plain")
    ));
    let long = "\u{30E1}".repeat(300);
    let mut buf = [0; 602];
    let mut writer = Writer::new(&mut buf);
    writer.string(Charset::Ms932, &long).unwrap();
    assert_eq!(writer.len(), 602);
    assert_eq!(Charset::Ms932.decode(&buf[2..]), long);
    let mut writer = Writer::new(&mut buf[..601]);
    assert_eq!(writer.string(Charset::Ms932, &long), Err(Full));
    assert!(writer.is_empty());
}

#[test]
fn fields_of_a_fixed_width() {
    assert_eq!(
        written(|w| w.fixed_text(Charset::Windows1252, "Name", 13)),
        b"Name\0\0\0\0\0\0\0\0\0"
    );
    let mut buf = [0; 64];
    let mut writer = Writer::new(&mut buf);
    let cut = writer.fixed_text(Charset::Ms932, "\u{30E1}\u{30A4}", 3);
    assert_eq!(cut, Err(Full));
    assert!(writer.is_empty());
    let mut reader = Reader::new(b"Name\0\xFF\xFFnext");
    assert_eq!(reader.fixed_text(7), Ok(b"Name".as_slice()));
    assert_eq!(reader.rest(), b"next");
}

#[test]
fn a_failed_string_consumes_nothing() {
    let mut reader = Reader::new(&[3, 0, b'a', b'b']);
    assert_eq!(reader.string(), Err(Truncated));
    assert_eq!(reader.position(), 0);
    let mut reader = Reader::new(&[0, 0x80]);
    assert_eq!(reader.string_of_signed_len(), Err(Truncated));
    assert_eq!(reader.position(), 0);
    let mut reader = Reader::new(&[1, 0, b'a', 0xFF, 0xFF, 0x2C, 1]);
    assert_eq!(reader.string_of_signed_len(), Ok(b"a".as_slice()));
    assert_eq!(reader.point(), Ok((-1, 300)));
}

#[test]
fn bytes_are_shown_as_dumps_show_them() {
    assert_eq!(Hex(&[0x0A, 0xFF, 1]).to_string(), "0A FF 01");
    assert_eq!(Hex(&[]).to_string(), "");
}

#[test]
fn a_packet_grows_through_the_frames_of_its_pool() {
    let pool = PacketPool::new(&[(1, 65_600), (2, 16), (1, 64)]);
    let codec = Codec::new(Profile::GMS_83);
    let mut encoder = codec.encoder(Direction::ToClient, Iv::FIXED);
    let mut packet = pool.begin().unwrap();
    packet.write(|w| w.u16_le(0x11)).unwrap();
    for byte in 0..100 {
        packet
            .write(|w| {
                w.u8(byte)?;
                w.bool(true)
            })
            .unwrap();
    }
    assert_eq!(packet.payload().len(), 202);
    assert_eq!(packet.payload()[2..6], [0, 1, 1, 1]);
    let mut expected = [&[0; 4], &*packet.payload()].concat();
    let frame = packet.seal(&mut encoder).unwrap();
    let mut again = codec.encoder(Direction::ToClient, Iv::FIXED);
    again.encode(&mut expected).unwrap();
    assert_eq!(*frame, expected);

    // The largest frame is out, so another packet ends with the middle one.
    let mut other = pool.begin().unwrap();
    other.write(|w| w.zeros(60)).unwrap();
    assert_eq!(other.write(|w| w.u8(1)), Err(Full));
    assert_eq!(other.payload().len(), 60);
    drop(frame);
    other.write(|w| w.u8(1)).unwrap();
}

#[test]
fn a_long_packet_makes_room_for_its_longer_header() {
    let pool = PacketPool::new(&[(1, EXTENDED_MARKER + 4), (1, EXTENDED_MARKER + 8)]);
    let codec = Codec::new(Profile {
        header: HeaderForm::Extended,
        ..Profile::GMS_83
    });
    let mut encoder = codec.encoder(Direction::ToClient, Iv::FIXED);
    let mut packet = pool.begin().unwrap();
    packet.write(|w| w.fill(9, EXTENDED_MARKER)).unwrap();
    let frame = packet.seal(&mut encoder).unwrap();
    let mut bytes = frame.to_vec();
    let mut decoder = codec.decoder(Direction::ToClient, Iv::FIXED);
    let Ok(Decoded::Packet { payload, .. }) = decoder.decode(&mut bytes) else {
        panic!("not decoded");
    };
    assert_eq!(payload, vec![9; EXTENDED_MARKER]);
}
