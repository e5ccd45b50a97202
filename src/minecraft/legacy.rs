//! The ping of clients before 1.7, raw bytes both ways (minecraft.md 5.3).

use super::Description;
use crate::buffer::{Full, Reader, Truncated, Writer};

/// The first byte of every request.
const PING: u8 = 0xFE;

/// What the answer begins with.
const ANSWER: u8 = 0xFF;

/// A protocol number that old clients take for another version's.
const INCOMPATIBLE: &str = "127";

/// Longest host name in a request, in UTF-16 code units.
const MAX_HOST: i16 = 255;

/// How a client asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Up to 1.3: one byte.
    Beta,
    /// 1.4 and 1.5: two; 1.6: more, which say nothing new.
    Modern,
}

/// What the bytes since the first one are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// A whole request of the longest form.
    Whole,
    /// A request of a short form, or the start of a longer one: time will tell.
    Short(Form),
    /// Nothing that a client sends.
    Bad,
}

/// Whether this begins an old client's request. Followed by anything else, the first byte is the
/// length of a Handshake.
pub(super) fn begins(received: &[u8]) -> bool {
    matches!(received, [PING] | [PING, 0x01] | [PING, 0x01, 0xFA, ..])
}

/// Looks at what was received, the first byte included.
pub(super) fn parse(received: &[u8]) -> Request {
    match received {
        [PING] => Request::Short(Form::Beta),
        [PING, 0x01] => Request::Short(Form::Modern),
        [PING, 0x01, 0xFA, rest @ ..] => match long_form(&mut Reader::new(rest)) {
            Ok(true) => Request::Whole,
            Ok(false) => Request::Bad,
            Err(Truncated) => Request::Short(Form::Modern),
        },
        _ => Request::Bad,
    }
}

/// Whether a request of 1.6 keeps its bounds.
fn long_form(reader: &mut Reader<'_>) -> Result<bool, Truncated> {
    let channel: Vec<u16> = "MC|PingHost".encode_utf16().collect();
    if usize::from(reader.u16_be()?) != channel.len() {
        return Ok(false);
    }
    for unit in channel {
        if reader.u16_be()? != unit {
            return Ok(false);
        }
    }
    let rest = reader.i16_be()?;
    reader.skip(1)?;
    let host = reader.i16_be()?;
    if !(0..=MAX_HOST).contains(&host) || rest != 7 + 2 * host {
        return Ok(false);
    }
    reader.skip(usize::from(host.unsigned_abs()) * 2 + 4)?;
    Ok(true)
}

/// Appends the answer, after which the connection closes.
pub(super) fn answer(
    form: Form,
    description: &Description<'_>,
    writer: &mut Writer<'_>,
) -> Result<(), Full> {
    writer.all_or_nothing(|writer| {
        writer.u8(ANSWER)?;
        let length_at = writer.len();
        writer.u16_be(0)?;
        match form {
            Form::Beta => {
                // The sign separates the fields, so the text must not have it.
                let motd = description.motd.chars().filter(|&c| c != '\u{A7}');
                motd.clone().try_for_each(|c| utf16(writer, c))?;
                numbers(description, '\u{A7}', writer)?;
            }
            Form::Modern => {
                text(writer, "\u{A7}1\0")?;
                text(writer, INCOMPATIBLE)?;
                for part in [description.version, description.motd] {
                    utf16(writer, '\0')?;
                    text(writer, part)?;
                }
                numbers(description, '\0', writer)?;
            }
        }
        let units = (writer.len() - length_at - 2) / 2;
        let units = u16::try_from(units).map_err(|_| Full)?;
        writer.overwrite(length_at, |writer| writer.u16_be(units))
    })
}

fn numbers(
    description: &Description<'_>,
    separator: char,
    writer: &mut Writer<'_>,
) -> Result<(), Full> {
    for number in [description.online, description.max] {
        utf16(writer, separator)?;
        text(writer, &number.to_string())?;
    }
    Ok(())
}

fn text(writer: &mut Writer<'_>, text: &str) -> Result<(), Full> {
    text.chars().try_for_each(|c| utf16(writer, c))
}

fn utf16(writer: &mut Writer<'_>, c: char) -> Result<(), Full> {
    for unit in c.encode_utf16(&mut [0; 2]) {
        writer.u16_be(*unit)?;
    }
    Ok(())
}
