use super::*;
use proptest::prelude::*;

#[test]
fn indices_are_apart() {
    let mut buf = ByteBuf::<8>::new();
    buf.write_bytes(b"abcd").unwrap();
    assert_eq!((buf.readable(), buf.free()), (4, 4));
    assert_eq!(buf.read_bytes(3), Ok(b"abc".as_slice()));
    assert_eq!((buf.unread(), buf.written()), (&b"d"[..], &b"abcd"[..]));
    buf.write_array(*b"efgh").unwrap();
    buf.compact();
    assert_eq!((buf.unread(), buf.free()), (&b"defgh"[..], 3));
    buf.skip(5).unwrap();
    assert!(buf.is_empty());
    buf.rewind();
    assert_eq!(buf.unread(), b"defgh");
}

#[test]
fn what_does_not_fit_changes_nothing() {
    let mut buf = ByteBuf::<5>::new();
    buf.write(0xAB_u8).unwrap();
    let full = Overflow { needed: 8, free: 4 };
    assert_eq!(buf.write(1_u64), Err(full));
    assert_eq!(buf.write_le(1.0_f64), Err(full));
    assert_eq!(buf.write_array([0; 8]), Err(full));
    assert_eq!(buf.write_bytes(&[0; 8]), Err(full));
    assert_eq!(buf.write_string("1234567"), Err(full));
    assert_eq!(buf.write_var_int(-1), Err(Overflow { needed: 5, free: 4 }));
    assert_eq!(buf.written(), [0xAB]);
    assert_eq!(
        full.to_string(),
        "8 bytes do not fit into the 4 that are free"
    );
}

#[test]
fn what_is_not_there_is_not_read() {
    let mut buf = ByteBuf::<16>::new();
    buf.write_bytes(&[0x80, 0x80]).unwrap();
    let few = Underflow {
        needed: 4,
        readable: 2,
    };
    assert_eq!(buf.read::<u32>(), Err(few));
    assert_eq!(buf.read_le::<f32>(), Err(few));
    assert_eq!(buf.read_array::<4>(), Err(few));
    assert_eq!(buf.read_bytes(4), Err(few));
    assert_eq!(buf.skip(4), Err(few));
    assert_eq!(buf.read_var_int(), Err(BadValue::Truncated));
    assert_eq!(buf.read_string(9), Err(BadValue::Truncated));
    assert_eq!(buf.readable(), 2);
    assert_eq!(few.to_string(), "4 bytes are wanted and 2 are left");
}

#[test]
fn bytes_of_before_are_out_of_sight() {
    let mut buf = ByteBuf::<4>::new();
    buf.write_array([1, 2, 3, 4]).unwrap();
    buf.clear();
    buf.write(9_u8).unwrap();
    assert_eq!(buf.written(), [9]);
    assert!(buf.read::<u16>().is_err());
    assert!(format!("{buf:?}").contains("[9]"));
}

#[test]
fn a_failed_group_is_taken_back() {
    let mut buf = ByteBuf::<4>::new();
    let failed = buf.write_with(|writer| {
        writer.u16_be(1)?;
        writer.u32_be(2)
    });
    assert_eq!((failed, buf.readable()), (Err(Full), 0));
    buf.write(0x0102_u16).unwrap();
    let failed = buf.read_with(|reader| {
        reader.u8()?;
        reader.u16_be()
    });
    assert_eq!((failed, buf.readable()), (Err(Truncated), 2));
}

#[test]
fn a_buffer_is_filled_when_the_program_is_compiled() {
    const BUF: ByteBuf<8> = {
        let mut buf = ByteBuf::new();
        assert!(buf.write_array(0x1234_u16.to_be_bytes()).is_ok());
        assert!(buf.write_bytes(b"ab").is_ok());
        assert!(matches!(buf.read_array(), Ok([0x12])));
        buf
    };
    assert_eq!(BUF.unread(), [0x34, b'a', b'b']);
}

/// A write and the read that takes it back.
#[derive(Clone, Debug)]
enum Value {
    U8(u8),
    I16(i16),
    U32Le(u32),
    I64(i64),
    U128(u128),
    /// By their bits: a NaN is not equal to itself.
    F32(u32),
    F64Le(u64),
    Bool(bool),
    VarInt(i32),
    VarLong(i64),
    Text(String),
}

fn values() -> impl Strategy<Value = Vec<Value>> {
    let value = prop_oneof![
        any::<u8>().prop_map(Value::U8),
        any::<i16>().prop_map(Value::I16),
        any::<u32>().prop_map(Value::U32Le),
        any::<i64>().prop_map(Value::I64),
        any::<u128>().prop_map(Value::U128),
        any::<u32>().prop_map(Value::F32),
        any::<u64>().prop_map(Value::F64Le),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(Value::VarInt),
        any::<i64>().prop_map(Value::VarLong),
        "\\PC{0,12}".prop_map(Value::Text),
    ];
    proptest::collection::vec(value, 0..20)
}

fn write(buf: &mut ByteBuf<200>, value: &Value) -> Result<(), Overflow> {
    match value {
        Value::U8(it) => buf.write(*it),
        Value::I16(it) => buf.write(*it),
        Value::U32Le(it) => buf.write_le(*it),
        Value::I64(it) => buf.write(*it),
        Value::U128(it) => buf.write(*it),
        Value::F32(it) => buf.write(f32::from_bits(*it)),
        Value::F64Le(it) => buf.write_le(f64::from_bits(*it)),
        Value::Bool(it) => buf.write(*it),
        Value::VarInt(it) => buf.write_var_int(*it),
        Value::VarLong(it) => buf.write_var_long(*it),
        Value::Text(it) => buf.write_string(it),
    }
}

/// What the value is as bytes.
fn bytes(value: &Value) -> Vec<u8> {
    fn var(mut value: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    }
    match value {
        Value::U8(it) => vec![*it],
        Value::I16(it) => it.to_be_bytes().to_vec(),
        Value::U32Le(it) => it.to_le_bytes().to_vec(),
        Value::I64(it) => it.to_be_bytes().to_vec(),
        Value::U128(it) => it.to_be_bytes().to_vec(),
        Value::F32(it) => it.to_be_bytes().to_vec(),
        Value::F64Le(it) => it.to_le_bytes().to_vec(),
        Value::Bool(it) => vec![u8::from(*it)],
        Value::VarInt(it) => var(u64::from(*it as u32)),
        Value::VarLong(it) => var(*it as u64),
        Value::Text(it) => [var(it.len() as u64), it.as_bytes().to_vec()].concat(),
    }
}

fn check(buf: &mut ByteBuf<200>, value: &Value) {
    match value {
        Value::U8(it) => assert_eq!(buf.read(), Ok(*it)),
        Value::I16(it) => assert_eq!(buf.read(), Ok(*it)),
        Value::U32Le(it) => assert_eq!(buf.read_le(), Ok(*it)),
        Value::I64(it) => assert_eq!(buf.read(), Ok(*it)),
        Value::U128(it) => assert_eq!(buf.read(), Ok(*it)),
        Value::F32(it) => assert_eq!(buf.read().map(f32::to_bits), Ok(*it)),
        Value::F64Le(it) => assert_eq!(buf.read_le().map(f64::to_bits), Ok(*it)),
        Value::Bool(it) => assert_eq!(buf.read(), Ok(*it)),
        Value::VarInt(it) => assert_eq!(buf.read_var_int(), Ok(*it)),
        Value::VarLong(it) => assert_eq!(buf.read_var_long(), Ok(*it)),
        Value::Text(it) => assert_eq!(buf.read_string(24), Ok(it.as_str())),
    }
}

proptest! {
    #[test]
    fn it_holds_what_a_list_of_bytes_would(values in values()) {
        let mut buf = ByteBuf::<200>::new();
        let mut model = Vec::new();
        let mut kept = Vec::new();
        for value in &values {
            let bytes = bytes(value);
            let free = 200 - model.len();
            let fits = bytes.len() <= free;
            let overflow = Overflow { needed: bytes.len(), free };
            prop_assert_eq!(write(&mut buf, value), if fits { Ok(()) } else { Err(overflow) });
            if fits {
                model.extend(bytes);
                kept.push(value);
            }
            prop_assert_eq!(buf.written(), &model[..]);
        }
        for value in kept {
            check(&mut buf, value);
        }
        prop_assert!(buf.is_empty());
    }
}
