//! The published vectors, for the tests of this room's files.

use super::*;
use crate::buffer::{BadValue, Full, Reader, Writer};
use serde_json::Value;

pub(super) fn vectors() -> Value {
    serde_json::from_str(include_str!("../../tests/data/minecraft.json")).unwrap()
}

pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

pub(super) fn bytes(hex: &Value) -> Vec<u8> {
    text(hex)
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn written(write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>) -> Vec<u8> {
    let mut buf = vec![0; 600];
    let mut writer = Writer::new(&mut buf);
    write(&mut writer).unwrap();
    writer.written().to_vec()
}

#[test]
fn numbers_are_what_the_vectors_say() {
    let vectors = vectors();
    let primitives = &vectors["primitives"];
    let long = |value: &Value| text(value).parse::<i64>().unwrap();
    let double = |value: &Value| value.as_f64().unwrap_or(-0.0);
    let int = |value: &Value| value.as_i64().unwrap();
    for vector in list(&primitives["varint"]) {
        let (value, hex) = (int(&vector["value"]) as i32, bytes(&vector["hex"]));
        assert_eq!(written(|w| w.var_int(value)), hex);
        assert_eq!(Reader::new(&hex).var_int(), Ok(value));
    }
    for vector in list(&primitives["varlong"]) {
        let (value, hex) = (long(&vector["value"]), bytes(&vector["hex"]));
        assert_eq!(written(|w| w.var_long(value)), hex);
        assert_eq!(Reader::new(&hex).var_long(), Ok(value));
    }
    for vector in list(&primitives["string"]) {
        let (value, hex) = (text(&vector["value"]), bytes(&vector["hex"]));
        assert_eq!(written(|w| w.var_string(value)), hex);
        assert_eq!(Reader::new(&hex).var_string(200), Ok(value));
        let units = int(&vector["utf16_units"]) as usize;
        assert_eq!(Reader::new(&hex).var_string(units), Ok(value));
        if units > 0 {
            let error = Err(BadValue::TooLong);
            assert_eq!(Reader::new(&hex).var_string(units - 1), error);
        }
    }
    let check = |kind: &str, write: &dyn Fn(&Value, &mut Writer<'_>) -> Result<(), Full>| {
        for vector in list(&primitives[kind]) {
            let hex = bytes(&vector["hex"]);
            assert_eq!(written(|w| write(&vector["value"], w)), hex, "{vector}");
        }
    };
    check("f32", &|value, w| w.write(double(value) as f32));
    check("f64", &|value, w| w.write(double(value)));
    check("i16", &|value, w| w.write(int(value) as i16));
    check("i32", &|value, w| w.write(int(value) as i32));
    check("i64", &|value, w| w.write(long(value)));
}

#[test]
fn items_and_tags_end_where_the_vectors_do() {
    fn check<'a, T: Field<'a> + std::fmt::Debug>(hex: &'a [u8]) {
        let mut reader = Reader::new(hex);
        let value = T::read(&mut reader).unwrap();
        assert!(reader.is_empty(), "{value:?}");
        assert_eq!(written(|w| value.write(w)), hex);
        for len in 0..hex.len() {
            assert!(T::read(&mut Reader::new(&hex[..len])).is_err());
        }
    }
    let vectors = vectors();
    for vector in list(&vectors["primitives"]["slot"]) {
        check::<Slot<'_>>(&bytes(&vector["hex"]));
    }
    for vector in list(&vectors["primitives"]["nbt"]) {
        check::<OptNbt<'_>>(&bytes(&vector["hex"]));
    }
}

#[test]
fn tags_are_not_nested_without_end() {
    let nested = |depth: usize| {
        let mut bytes = b"\x0A\0\0".to_vec();
        bytes.extend(b"\x0A\0\0".repeat(depth - 1));
        bytes.extend(vec![0; depth]);
        bytes
    };
    assert!(Nbt::read(&mut Reader::new(&nested(512))).is_ok());
    let deep = nested(513);
    assert_eq!(
        Nbt::read(&mut Reader::new(&deep)),
        Err(DecodeError::BadData)
    );
    // A list of nothing, two billion times.
    let list = b"\x0A\0\0\x09\0\0\x00\x7F\xFF\xFF\xFF\0";
    assert_eq!(Nbt::read(&mut Reader::new(list)), Err(DecodeError::BadData));
    let bytes = b"\x0A\0\0\x07\0\0\x7F\xFF\xFF\xFF\0";
    assert_eq!(
        Nbt::read(&mut Reader::new(bytes)),
        Err(DecodeError::Truncated)
    );
}

#[test]
fn invalid_values_are_refused_for_what_is_wrong() {
    for vector in list(&vectors()["invalid"]) {
        let hex = bytes(&vector["hex"]);
        let mut reader = Reader::new(&hex);
        let error = match text(&vector["kind"]) {
            "varint" => reader.var_int().map(drop),
            "varlong" => reader.var_long().map(drop),
            "string" => reader.var_string(32_767).map(drop),
            "string_max16" => reader.var_string(16).map(drop),
            _ => continue,
        };
        let expected = match text(&vector["error"]) {
            "too_long" => BadValue::TooLong,
            "truncated" => BadValue::Truncated,
            "bad_length" => BadValue::BadLength,
            "bad_utf8" => BadValue::BadText,
            other => panic!("{other}"),
        };
        assert_eq!(error, Err(expected), "{vector}");
        assert_eq!(reader.rest(), hex);
    }
}

#[test]
fn a_stream_is_encrypted_on_and_on() {
    let vectors = vectors();
    let vector = &vectors["encryption"];
    let secret: SharedSecret = bytes(&vector["key"]).try_into().unwrap();
    let (mut encryptor, mut decryptor) = (Encryptor::new(&secret), Decryptor::new(&secret));
    for chunk in list(&vector["chunks"]) {
        let mut work = bytes(&chunk["plain"]);
        encryptor.encrypt(&mut work);
        assert_eq!(work, bytes(&chunk["cipher"]));
        // In any pieces.
        for piece in work.chunks_mut(3) {
            decryptor.decrypt(piece);
        }
        assert_eq!(work, bytes(&chunk["plain"]));
    }
}
