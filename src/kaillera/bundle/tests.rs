use super::*;
use proptest::{collection::vec, prelude::*};

const KEEP_ALIVE: &[u8] = &[0x09, 0];

/// A bundle as a list: number, then kind and body together.
type Model = Vec<(u16, Vec<u8>)>;

fn list(bundle: &Bundle<'_>) -> Model {
    bundle
        .newest_first()
        .map(|message| (message.number.0, [&[message.kind], message.body].concat()))
        .collect()
}

/// The framing rules once more, with nothing in mind but the rules.
fn parse_naively(datagram: &[u8]) -> Option<Model> {
    if datagram.len() < 5 || datagram[0] < 1 || datagram[0] > 32 {
        return None;
    }
    let mut messages = Vec::new();
    let mut rest = &datagram[1..];
    for _ in 0..datagram[0] {
        if rest.len() < 4 {
            return None;
        }
        let number = u16::from(rest[0]) + 256 * u16::from(rest[1]);
        let length = usize::from(rest[2]) + 256 * usize::from(rest[3]);
        rest = &rest[4..];
        if length == 0 || length > rest.len() {
            return None;
        }
        if length == 1 && rest[0] != 0x09 && rest[0] != 0x15 {
            return None;
        }
        messages.push((number, rest[..length].to_vec()));
        rest = &rest[length..];
    }
    Some(messages)
}

#[test]
fn the_example_of_the_specification() {
    let datagram = [3, 7, 0, 2, 0, 9, 0, 6, 0, 2, 0, 9, 0, 5, 0, 2, 0, 9, 0];
    let bundle = Bundle::parse(&datagram).unwrap();
    assert_eq!(bundle.len(), 3);
    assert_eq!(bundle.newest(), MessageNumber(7));
    let numbers: Vec<u16> = bundle
        .oldest_first()
        .map(|message| message.number.0)
        .collect();
    assert_eq!(numbers, [5, 6, 7]);
    assert!(
        bundle
            .newest_first()
            .all(|message| message.kind == 9 && message.body == [0])
    );

    let mut buf = [0; 19];
    let mut writer = BundleWriter::new(&mut buf);
    for number in [7, 6, 5] {
        writer.push(MessageNumber(number), KEEP_ALIVE).unwrap();
    }
    assert_eq!(writer.finish(), 19);
    assert_eq!(buf, datagram);
}

#[test]
fn framing_errors_drop_the_datagram() {
    let cases: [(&[u8], DecodeError); 11] = [
        (&[], DecodeError::Truncated),
        (&[1, 0, 0, 0], DecodeError::Truncated),
        (&[0, 0, 0, 2, 0, 9, 0], DecodeError::BadCount),
        (&[33, 0, 0, 2, 0, 9, 0], DecodeError::BadCount),
        (&[255, 0, 0, 2, 0, 9, 0], DecodeError::BadCount),
        (&[1, 0, 0, 2, 0], DecodeError::Truncated),
        (&[2, 0, 0, 2, 0, 9, 0, 0, 0], DecodeError::Truncated),
        (&[1, 0, 0, 0, 0, 9], DecodeError::BadLength),
        (&[1, 0, 0, 3, 0, 9, 0], DecodeError::BadLength),
        (&[1, 0, 0, 255, 255, 9, 0], DecodeError::BadLength),
        (&[1, 0, 0, 1, 0, 0x14], DecodeError::BadLength),
    ];
    for (datagram, error) in cases {
        assert_eq!(Bundle::parse(datagram).err(), Some(error), "{datagram:?}");
    }
}

#[test]
fn keepalive_and_ready_may_be_bare() {
    for kind in 0..=u8::MAX {
        let parsed = [1, 0, 0, 1, 0, kind];
        assert_eq!(
            Bundle::parse(&parsed).is_ok(),
            kind == 0x09 || kind == 0x15,
            "{kind:#x}"
        );
    }
}

#[test]
fn bytes_after_the_counted_messages_are_ignored() {
    let datagram = [1, 7, 0, 2, 0, 9, 0, 6, 0, 2, 0, 9, 0];
    let bundle = Bundle::parse(&datagram).unwrap();
    assert_eq!(list(&bundle), [(7, KEEP_ALIVE.to_vec())]);
}

#[test]
fn messages_beyond_what_an_offset_can_hold_are_refused() {
    let mut datagram = vec![2, 1, 0, 0xFF, 0xFF, 0x12];
    datagram.resize(5 + 0xFFFF, 0);
    datagram.extend([0, 0, 2, 0, 9, 0]);
    assert_eq!(Bundle::parse(&datagram).err(), Some(DecodeError::BadLength));
    datagram[0] = 1;
    assert!(Bundle::parse(&datagram).is_ok());
}

#[test]
fn a_bundle_of_nothing_has_no_bytes() {
    assert_eq!(BundleWriter::new(&mut []).finish(), 0);
    assert_eq!(BundleWriter::new(&mut [0; 8]).finish(), 0);
    assert_eq!(
        BundleWriter::new(&mut []).push(MessageNumber(0), KEEP_ALIVE),
        Err(Full)
    );
}

#[test]
fn no_message_is_too_long_for_its_length_field() {
    let mut buf = vec![0; 0x2_0000];
    let mut writer = BundleWriter::new(&mut buf);
    assert_eq!(writer.push(MessageNumber(0), &[0x12; 0x1_0000]), Err(Full));
    assert_eq!(writer.push(MessageNumber(0), &[0x12; 0xFFFF]), Ok(()));
}

#[test]
fn half_of_all_numbers_are_ahead() {
    let last = Some(MessageNumber(65534));
    assert_eq!(MessageNumber(65534).order_after(last), Order::Duplicate);
    assert_eq!(MessageNumber(65535).order_after(last), Order::Next);
    assert_eq!(
        MessageNumber(0).order_after(last),
        Order::Newer { missed: 1 }
    );
    assert_eq!(
        MessageNumber(32765).order_after(last),
        Order::Newer { missed: 32766 }
    );
    assert_eq!(MessageNumber(32766).order_after(last), Order::Old);
    assert_eq!(MessageNumber(65533).order_after(last), Order::Old);
    assert_eq!(MessageNumber(5).order_after(None), Order::First);
    assert_eq!(MessageNumber(65535).next(), MessageNumber(0));
}

prop_compose! {
    fn messages(most: usize)(
        list in vec((any::<u16>(), vec(any::<u8>(), 2..40)), 0..most),
    ) -> Model {
        list
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        messages in messages(40),
        capacity in 0_usize..1500,
        trailing in vec(any::<u8>(), 0..20),
    ) {
        let mut buf = vec![0xEE; capacity];
        let mut writer = BundleWriter::new(&mut buf);
        let mut model = Model::new();
        let mut size = 1;
        for (number, content) in messages {
            let fits = model.len() < 32 && size + 4 + content.len() <= capacity;
            let pushed = writer.push(MessageNumber(number), &content);
            prop_assert_eq!(pushed.is_ok(), fits);
            if fits {
                size += 4 + content.len();
                model.push((number, content));
            }
        }
        let len = writer.finish();
        prop_assert_eq!(len, if model.is_empty() { 0 } else { size });
        prop_assert!(buf[len.max(1).min(capacity)..].iter().all(|&byte| byte == 0xEE));

        buf.truncate(len);
        buf.extend(trailing);
        if !model.is_empty() {
            let bundle = Bundle::parse(&buf).unwrap();
            prop_assert_eq!(bundle.newest().0, model[0].0);
            prop_assert_eq!(list(&bundle), model);
        }
    }

    #[test]
    fn framing_agrees_with_the_rules_whatever_breaks(
        messages in messages(6),
        changes in vec((any::<prop::sample::Index>(), prop_oneof![0..4_u8, any::<u8>()]), 0..4),
        cut in 0_usize..12,
    ) {
        let mut buf = vec![0; 300];
        let mut writer = BundleWriter::new(&mut buf);
        for (number, content) in messages {
            writer.push(MessageNumber(number), &content).unwrap();
        }
        let len = writer.finish();
        buf.truncate(len.saturating_sub(cut));
        for (index, value) in changes {
            if !buf.is_empty() {
                let index = index.index(buf.len());
                buf[index] = value;
            }
        }
        let parsed = Bundle::parse(&buf).ok().map(|bundle| list(&bundle));
        prop_assert_eq!(parsed, parse_naively(&buf));
    }

    #[test]
    fn order_agrees_with_numbers_that_never_wrap(
        last in 0_u64..1 << 40,
        ahead in prop_oneof![-40_i64..40, -32768_i64..32768],
    ) {
        prop_assume!(last.checked_add_signed(ahead).is_some());
        let number = last.wrapping_add_signed(ahead);
        let expected = match ahead {
            0 => Order::Duplicate,
            1 => Order::Next,
            2.. => Order::Newer { missed: (ahead - 1) as u16 },
            _ => Order::Old,
        };
        let order = MessageNumber(number as u16).order_after(Some(MessageNumber(last as u16)));
        prop_assert_eq!(order, expected);
        prop_assert_eq!(order.is_new(), ahead > 0);
        prop_assert_eq!(MessageNumber(last as u16).next().0, (last + 1) as u16);
    }
}
