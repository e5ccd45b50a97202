//! What the server list shows (minecraft.md 5).

use super::{Packet, packets::status::Response};
use crate::buffer::{Full, Writer, var_int_len};
use serde::Serialize;
use std::{error::Error, fmt, io};

/// Longest description a client accepts, in UTF-16 code units.
pub const MAX_DESCRIPTION: usize = 32_767;

/// Bytes of a frame that hold any description and what is around it.
pub const MAX_RESPONSE_FRAME: usize = 4 * MAX_DESCRIPTION + 16;

/// A server, as the list shows it.
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    /// What the version is called.
    pub version: &'a str,
    /// Players online.
    pub online: u32,
    /// Most players there can be.
    pub max: u32,
    /// Who is online, or any lines of text; seen when the pointer rests on the number.
    pub sample: &'a [Sample<'a>],
    /// What is written below the server's name.
    pub motd: &'a str,
    /// A picture.
    pub favicon: Option<&'a Favicon>,
}

/// A line of the sample.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Sample<'a> {
    /// A player's name, or any text.
    pub name: &'a str,
    /// A UUID with dashes.
    pub id: &'a str,
}

/// A picture of 64 by 64 points, as the list takes it.
#[derive(Clone, PartialEq, Eq)]
pub struct Favicon(String);

/// Why a file is no picture for the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadFavicon {
    /// It does not begin like a PNG.
    NotPng,
    /// It is not 64 points wide and high.
    NotSquare64,
    /// With everything around it, it would not fit into a description.
    TooLarge,
}

impl Favicon {
    /// Longest file that leaves 8 KiB for the rest of a description.
    pub const MAX_FILE: usize = (MAX_DESCRIPTION - 8192) / 4 * 3;

    /// Takes the content of a PNG file.
    pub fn new(png: &[u8]) -> Result<Self, BadFavicon> {
        const START: &[u8] = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR";
        const SIZE: &[u8] = &[0, 0, 0, 64, 0, 0, 0, 64];
        let Some(header) = png.strip_prefix(START) else {
            return Err(BadFavicon::NotPng);
        };
        if !header.starts_with(SIZE) {
            return Err(BadFavicon::NotSquare64);
        }
        if png.len() > Self::MAX_FILE {
            return Err(BadFavicon::TooLarge);
        }
        let mut url = String::from("data:image/png;base64,");
        url.extend(png.chunks(3).flat_map(base64));
        Ok(Self(url))
    }
}

fn base64(bytes: &[u8]) -> [char; 4] {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let byte = |at| bytes.get(at).copied().map_or(0, u32::from);
    let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    std::array::from_fn(|at| {
        let digit = bits >> (18 - 6 * at) & 0x3F;
        match DIGITS.get(digit as usize) {
            Some(&digit) if at <= bytes.len() => char::from(digit),
            _ => '=',
        }
    })
}

impl fmt::Debug for Favicon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Favicon({} characters)", self.0.len())
    }
}

impl fmt::Display for BadFavicon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotPng => "it is not a PNG",
            Self::NotSquare64 => "it is not 64 by 64 points",
            Self::TooLarge => "it is larger than 18 kB",
        })
    }
}

impl Error for BadFavicon {}

#[derive(Serialize)]
struct Document<'a> {
    version: Version<'a>,
    players: Players<'a>,
    description: Component<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    favicon: Option<&'a str>,
}

#[derive(Serialize)]
struct Version<'a> {
    name: &'a str,
    protocol: i32,
}

#[derive(Serialize)]
struct Players<'a> {
    max: u32,
    online: u32,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    sample: &'a [Sample<'a>],
}

/// A chat component that is plain text.
#[derive(Serialize)]
pub(super) struct Component<'a> {
    pub(super) text: &'a str,
}

impl Description<'_> {
    /// Appends the frame of the response to a client that speaks `protocol`: it shows as
    /// compatible whoever asks.
    ///
    /// Fails if it does not fit into `writer`, or is longer than a client accepts.
    pub fn write(&self, protocol: i32, writer: &mut Writer<'_>) -> Result<(), Full> {
        let document = Document {
            version: Version {
                name: self.version,
                protocol,
            },
            players: Players {
                max: self.max,
                online: self.online,
                sample: self.sample,
            },
            description: Component { text: self.motd },
            favicon: self.favicon.map(|favicon| favicon.0.as_str()),
        };
        let mut length = Length::default();
        serde_json::to_writer(&mut length, &document).map_err(|_| Full)?;
        if length.units > MAX_DESCRIPTION {
            return Err(Full);
        }
        let text = i32::try_from(length.bytes).map_err(|_| Full)?;
        let body = 1 + var_int_len(text) + length.bytes;
        writer.all_or_nothing(|writer| {
            writer.var_int(i32::try_from(body).map_err(|_| Full)?)?;
            writer.u8(Response::ID)?;
            writer.var_int(text)?;
            serde_json::to_writer(Sink(writer), &document).map_err(|_| Full)
        })
    }
}

/// Counts what is written.
#[derive(Default)]
struct Length {
    bytes: usize,
    /// UTF-16 code units.
    units: usize,
}

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len();
        // A character of four bytes takes two units, every other one.
        let units = |byte: &u8| match byte {
            0x80..=0xBF => 0,
            0xF0.. => 2,
            _ => 1,
        };
        self.units += bytes.iter().map(units).sum::<usize>();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Sink<'a, 'b>(&'a mut Writer<'b>);

impl io::Write for Sink<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.bytes(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(Full) => Err(io::ErrorKind::WriteZero.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
