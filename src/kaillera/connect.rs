//! The text handshake: hello, ping, the port reply, full (kaillera.md 1).
//!
//! ```text
//! client                          server
//!   | -- PING\0 ------------------> |
//!   | <----------------- PONG\0 --- |   always, from anybody
//!   | -- HELLO0.83\0 -------------> |
//!   | <------ HELLOD00D<port>\0 --- |   or TOO\0 when full
//!   | -- first bundle ------------> |   to <port>
//! ```
//!
//! Nothing in it makes a session: a user begins with the first bundle.

use crate::buffer::{Full, Reader, Writer};
use std::io::Write as _;

/// The only protocol version a server speaks.
pub const VERSION: &[u8] = b"0.83";

/// Asks whether a server is there.
pub const PING: &[u8] = b"PING\0";

/// The answer to [`PING`].
pub const PONG: &[u8] = b"PONG\0";

/// The answer to a hello when the server is full.
pub const TOO: &[u8] = b"TOO\0";

/// The answer to a hello with another version, where an operator wants one.
pub const VER: &[u8] = b"VER\0";

const HELLO: &[u8] = b"HELLO";
const HELLO_REPLY: &[u8] = b"HELLOD00D";

/// Length of the longest reply, `HELLOD00D65535\0`.
pub const MAX_REPLY: usize = 15;

/// A datagram of the connect phase, as a server understands it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connect<'a> {
    /// `PING\0`: answer with `PONG\0`.
    Ping,
    /// `HELLO<version>\0`; only version `0.83` is served.
    Hello {
        /// The bytes between `HELLO` and the terminator.
        version: &'a [u8],
    },
    /// Begins like a connect string (`H`, `P`, `T`, `V`) but is none that a server answers.
    Unanswered,
}

impl<'a> Connect<'a> {
    /// Reads a datagram; `None` if its first byte says that it belongs to no connect phase.
    ///
    /// Bytes after the first zero byte are ignored (kaillera.md 1.2).
    pub fn parse(datagram: &'a [u8]) -> Option<Self> {
        if !matches!(datagram.first(), Some(b'H' | b'P' | b'T' | b'V')) {
            return None;
        }
        let Ok(text) = Reader::new(datagram).nul_terminated() else {
            return Some(Self::Unanswered);
        };
        // Another server's reply also begins with HELLO: answering it could make two servers
        // talk to each other for ever.
        if text.starts_with(HELLO_REPLY) {
            return Some(Self::Unanswered);
        }
        Some(match text.strip_prefix(HELLO) {
            Some(version) if !version.is_empty() => Self::Hello { version },
            None if text == b"PING" => Self::Ping,
            _ => Self::Unanswered,
        })
    }
}

/// Writes `HELLOD00D<port>\0`, the answer that grants a session on `port`.
///
/// # Errors
///
/// [`Full`] if fewer than 11 to 15 bytes are left.
pub fn write_hellod00d(port: u16, writer: &mut Writer<'_>) -> Result<(), Full> {
    let mut digits = [0; 5];
    let mut rest = digits.as_mut_slice();
    write!(rest, "{port}").map_err(|_| Full)?;
    let unused = rest.len();
    let digits = digits.get(..digits.len() - unused).ok_or(Full)?;
    writer.all_or_nothing(|writer| {
        writer.bytes(HELLO_REPLY)?;
        writer.nul_terminated(digits)
    })
}

/// What a server answers in the connect phase, as a client understands it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The server is there.
    Pong,
    /// Go on at this port, which is never 0.
    Port(u16),
    /// No place is free.
    Full,
    /// The server speaks another version.
    WrongVersion,
}

/// Reads a server's answer; `None` if it is none, or names port 0 or one above 65535.
///
/// Bytes after the first zero byte are ignored.
pub fn parse_reply(datagram: &[u8]) -> Option<Reply> {
    match Reader::new(datagram).nul_terminated().ok()? {
        b"PONG" => Some(Reply::Pong),
        b"TOO" => Some(Reply::Full),
        b"VER" => Some(Reply::WrongVersion),
        text => parse_port(text.strip_prefix(HELLO_REPLY)?).map(Reply::Port),
    }
}

fn parse_port(digits: &[u8]) -> Option<u16> {
    // `parse` alone would take a plus sign.
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let port = str::from_utf8(digits).ok()?.parse().ok()?;
    (port != 0).then_some(port)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_four_letters_begin_a_connect_string() {
        for first in 0..=u8::MAX {
            let found = Connect::parse(&[first, 0]).is_some();
            assert_eq!(found, b"HPTV".contains(&first), "{first}");
        }
        assert_eq!(Connect::parse(b""), None);
    }

    #[test]
    fn ping_and_hello_are_understood_whatever_follows_the_terminator() {
        assert_eq!(Connect::parse(PING), Some(Connect::Ping));
        assert_eq!(Connect::parse(b"PING\0junk"), Some(Connect::Ping));
        let hello = Some(Connect::Hello { version: VERSION });
        assert_eq!(Connect::parse(b"HELLO0.83\0"), hello);
        assert_eq!(Connect::parse(b"HELLO0.83\0\0\0"), hello);
        assert_eq!(
            Connect::parse(b"HELLO0.86\0"),
            Some(Connect::Hello { version: b"0.86" })
        );
    }

    #[test]
    fn what_no_server_answers() {
        for text in [
            b"PING".as_slice(),
            b"PINGS\0",
            b"HELLO0.83",
            b"HELLO\0",
            b"HELL\0",
            b"HELLOD00D27888\0",
            b"HELLOD00D\0",
            b"TERM\0",
            b"P",
            PONG,
            TOO,
            VER,
        ] {
            assert_eq!(Connect::parse(text), Some(Connect::Unanswered), "{text:?}");
        }
    }

    #[test]
    fn replies_are_understood() {
        assert_eq!(parse_reply(PONG), Some(Reply::Pong));
        assert_eq!(parse_reply(TOO), Some(Reply::Full));
        assert_eq!(parse_reply(VER), Some(Reply::WrongVersion));
        assert_eq!(parse_reply(b"HELLOD00D27888\0"), Some(Reply::Port(27888)));
        assert_eq!(parse_reply(b"HELLOD00D00080\0"), Some(Reply::Port(80)));
    }

    #[test]
    fn bad_ports_are_refused() {
        for text in [
            b"HELLOD00D0\0".as_slice(),
            b"HELLOD00D65536\0",
            b"HELLOD00D424242\0",
            b"HELLOD00D99999999999999999999\0",
            b"HELLOD00D+1\0",
            b"HELLOD00D-1\0",
            b"HELLOD00D 1\0",
            b"HELLOD00D\0",
            b"HELLOD00D27888",
            b"HELLO0.83\0",
            b"",
        ] {
            assert_eq!(parse_reply(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_reply_that_does_not_fit_writes_nothing() {
        let mut buf = [0; MAX_REPLY];
        let mut writer = Writer::new(&mut buf);
        writer.u8(0).unwrap();
        assert_eq!(write_hellod00d(27888, &mut writer), Err(Full));
        assert_eq!(writer.len(), 1);
        assert_eq!(write_hellod00d(2788, &mut writer), Ok(()));
        assert_eq!(writer.written(), b"\0HELLOD00D2788\0");
    }

    proptest! {
        #[test]
        fn every_port_survives_the_reply(port: u16) {
            let mut buf = [0; MAX_REPLY];
            let mut writer = Writer::new(&mut buf);
            write_hellod00d(port, &mut writer).unwrap();
            let text = format!("HELLOD00D{port}\0");
            prop_assert_eq!(writer.written(), text.as_bytes());
            let expected = (port != 0).then_some(Reply::Port(port));
            prop_assert_eq!(parse_reply(writer.written()), expected);
        }
    }
}
