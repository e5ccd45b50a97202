//! What must hold for any bytes a peer sends: one function per decoder.
//!
//! Tests feed them vectors and random bytes, a fuzzer what it finds. Each panics when its
//! decoder breaks a promise, and returns quietly when the bytes are refused.

use super::{
    DecodeError,
    bundle::{Bundle, BundleWriter, MAX_MESSAGES, Order},
    connect::{Connect, MAX_REPLY, Reply, parse_reply, write_hellod00d},
    message::{ClientMessage, MAX_INPUT, ServerMessage},
};
use crate::buffer::{Full, Writer};

/// The most bytes by which a message grows when a body that ended early is completed.
const COMPLETION: usize = 32;

/// A connect string and a reply, both read from `data`.
///
/// # Panics
///
/// If text leaves its bounds, a letter begins a bundle, or a port does not survive its reply.
pub fn connect(data: &[u8]) {
    let found = Connect::parse(data);
    assert_eq!(
        found.is_some(),
        matches!(data.first(), Some(b'H' | b'P' | b'T' | b'V'))
    );
    assert!(
        found.is_none() || Bundle::parse(data).is_err(),
        "both a connect string and a bundle"
    );
    if let Some(Connect::Hello { version }) = found {
        assert!(!version.is_empty() && !version.contains(&0));
        assert!(data.starts_with(&[b"HELLO", version, b"\0"].concat()));
    }
    if let Some(Reply::Port(port)) = parse_reply(data) {
        assert_ne!(port, 0);
        let mut buf = [0; MAX_REPLY];
        let mut writer = Writer::new(&mut buf);
        assert_eq!(write_hellod00d(port, &mut writer), Ok(()));
        assert_eq!(parse_reply(writer.written()), Some(Reply::Port(port)));
    }
}

/// A bundle's framing.
///
/// # Panics
///
/// If the messages do not tile the front of `data`, or do not write themselves again.
pub fn bundle(data: &[u8]) {
    let Ok(bundle) = Bundle::parse(data) else {
        return;
    };
    assert!((1..=MAX_MESSAGES).contains(&bundle.len()));
    assert_eq!(
        data.first().map(|&count| usize::from(count)),
        Some(bundle.len())
    );
    assert_eq!(bundle.newest_first().count(), bundle.len());
    assert!(bundle.oldest_first().eq(bundle.newest_first().rev()));
    let newest = bundle.newest_first().next().map(|message| message.number);
    assert_eq!(newest, Some(bundle.newest()));

    let mut buf = vec![0; data.len()];
    let mut writer = BundleWriter::new(&mut buf);
    for message in bundle.newest_first() {
        let content = [&[message.kind], message.body].concat();
        assert_eq!(writer.push(message.number, &content), Ok(()));
        assert_eq!(
            message.number.order_after(Some(message.number)),
            Order::Duplicate
        );
        assert_eq!(
            message.number.next().order_after(Some(message.number)),
            Order::Next
        );
    }
    let len = writer.finish();
    assert_eq!(buf.get(..len), data.get(..len));
}

/// A message from a client: the first byte is its kind, the others are its body.
///
/// # Panics
///
/// If what was understood changes when it is written and read again.
pub fn client_message(data: &[u8]) {
    let Some((&kind, body)) = data.split_first() else {
        return;
    };
    let Ok(message) = ClientMessage::decode(kind, body) else {
        return;
    };
    assert!(message.kind().sent_by_client());
    assert_eq!(message.kind() as u8, kind);
    if let ClientMessage::GameData { input } = message {
        assert!((1..=MAX_INPUT).contains(&input.len()));
    }
    let encoded = write(data, |writer| message.encode(writer));
    assert_eq!(reread(&encoded, ClientMessage::decode), Some(message));
}

/// A message from a server: the first byte is its kind, the others are its body.
///
/// # Panics
///
/// If what was understood changes when it is written and read again, or if a list has other
/// entries than it counts.
pub fn server_message(data: &[u8]) {
    let Some((&kind, body)) = data.split_first() else {
        return;
    };
    let Ok(message) = ServerMessage::decode(kind, body) else {
        return;
    };
    assert!(message.kind().sent_by_server());
    assert_eq!(message.kind() as u8, kind);
    match message {
        ServerMessage::GameData { input } => assert!(!input.is_empty()),
        ServerMessage::ServerStatus {
            users,
            games,
            entries,
        } => {
            assert_eq!(message.users().count(), users as usize);
            assert_eq!(message.games().count(), games as usize);
            let again = write(entries, |writer| {
                message.users().try_for_each(|user| user.encode(writer))?;
                message.games().try_for_each(|game| game.encode(writer))
            });
            assert_eq!(again, entries);
        }
        ServerMessage::PlayerInformation { players, entries } => {
            assert_eq!(message.players().count(), players as usize);
            let again = write(entries, |writer| {
                message.players().try_for_each(|one| one.encode(writer))
            });
            assert_eq!(again, entries);
        }
        _ => {}
    }
    let encoded = write(data, |writer| message.encode(writer));
    assert_eq!(reread(&encoded, ServerMessage::decode), Some(message));
}

/// What `encode` writes into a buffer with room for `data` and the completion of its fields.
fn write(data: &[u8], encode: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>) -> Vec<u8> {
    let mut buf = vec![0; data.len() + COMPLETION];
    let mut writer = Writer::new(&mut buf);
    assert_eq!(
        encode(&mut writer),
        Ok(()),
        "what was read fits where it came from"
    );
    writer.written().to_vec()
}

fn reread<'a, M>(
    encoded: &'a [u8],
    decode: impl FnOnce(u8, &'a [u8]) -> Result<M, DecodeError>,
) -> Option<M> {
    let (&kind, body) = encoded.split_first()?;
    decode(kind, body).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    fn small_or_any() -> impl Strategy<Value = u8> {
        prop_oneof![3 => 0..8_u8, 1 => any::<u8>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn random_text(data in "(HELLO|HELLOD00D|PING|PONG|[HPTV])[0-9.+]{0,6}\0?.{0,4}") {
            connect(data.as_bytes());
        }

        #[test]
        fn random_bundles(data in vec(small_or_any(), 0..200)) {
            connect(&data);
            bundle(&data);
        }

        #[test]
        fn random_messages(kind in 0..0x1A_u8, mut data in vec(small_or_any(), 1..120)) {
            data[0] = kind;
            client_message(&data);
            server_message(&data);
        }
    }
}
