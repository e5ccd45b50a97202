//! The plain greeting that the server sends first (maple.md 7).
//!
//! ```text
//! 0        2         4          6         6+m        10+m        14+m     15+m
//! +--------+---------+----------+---------+----------+-----------+--------+-------------
//! | L      | version | m        | patch   | IV to    | IV to the | locale | more, of
//! |        |         |          |         | server   | client    |        | newer clients
//! +--------+---------+----------+---------+----------+-----------+--------+-------------
//! ```
//!
//! `L` counts what follows it. It is to be written by itself, in one segment, before anything
//! else: one client reads it with a single call.

#![forbid(unsafe_code)]

use super::{HelloForm, Iv};
use crate::buffer::{Full, Reader, Truncated, Writer};
use std::{error::Error, fmt};

/// Lengths that a hello may announce.
const LENGTHS: std::ops::RangeInclusive<usize> = 11..=512;

/// Where KMS has its version number: this constant (maple.md 7.1).
const KMS_MARKER: u16 = 291;

/// Which release of a version speaks, as the hello tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release<'a> {
    /// A patch string, often "1" or empty.
    Patch(&'a [u8]),
    /// KMS and KMST: a sub-version, hidden with the version in a decimal text.
    Kms(u8),
    /// VMS: nothing.
    Bare,
    /// IMS: a sub-version.
    Ims(u8),
}

/// The greeting: what the client must be, and where both streams start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello<'a> {
    /// The game version.
    pub version: u16,
    /// The release of that version.
    pub release: Release<'a>,
    /// The IV of the first packet to the server.
    pub to_server: Iv,
    /// The IV of the first packet to the client.
    pub to_client: Iv,
    /// The region, as [`Region::locale`](super::Region::locale) numbers it.
    pub locale: u8,
    /// What newer servers add.
    pub more: &'a [u8],
}

/// Why bytes are no hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelloError {
    /// The announced length is not 11 to 512.
    BadLength,
    /// The fields do not fit into the announced length.
    Truncated,
    /// A version in decimal text is no number, or has bits that nothing stands for.
    BadVersion,
}

impl fmt::Display for HelloError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadLength => "a hello's length is not 11 to 512",
            Self::Truncated => "a hello's fields do not fit its length",
            Self::BadVersion => "a hello's version is not understood",
        })
    }
}

impl Error for HelloError {}

impl From<Truncated> for HelloError {
    fn from(_: Truncated) -> Self {
        Self::Truncated
    }
}

impl<'a> Hello<'a> {
    /// Reads the hello at the start of `bytes` and says how many bytes it took; `None` while it
    /// is incomplete.
    ///
    /// The form must be known, but for KMS, which shows itself.
    pub fn parse(form: HelloForm, bytes: &'a [u8]) -> Result<Option<(Self, usize)>, HelloError> {
        let mut reader = Reader::new(bytes);
        let Ok(len) = reader.u16_le() else {
            return Ok(None);
        };
        let len = usize::from(len);
        if !LENGTHS.contains(&len) {
            return Err(HelloError::BadLength);
        }
        let Ok(fields) = reader.bytes(len) else {
            return Ok(None);
        };
        let hello = Self::fields(form, Reader::new(fields))?;
        Ok(Some((hello, 2 + len)))
    }

    fn fields(form: HelloForm, mut reader: Reader<'a>) -> Result<Self, HelloError> {
        let mut version = reader.u16_le()?;
        let release = match form {
            HelloForm::Bare => Release::Bare,
            HelloForm::Ims => {
                let [_, sub] = reader.array()?;
                Release::Ims(sub)
            }
            HelloForm::Patch | HelloForm::Kms => {
                let len = reader.u16_le()?;
                let text = reader.bytes(usize::from(len))?;
                if version == KMS_MARKER {
                    let sub;
                    (version, sub) = kms_version(text).ok_or(HelloError::BadVersion)?;
                    Release::Kms(sub)
                } else {
                    Release::Patch(text)
                }
            }
        };
        Ok(Self {
            version,
            release,
            to_server: Iv::new(reader.array()?),
            to_client: Iv::new(reader.array()?),
            locale: reader.u8()?,
            more: reader.rest(),
        })
    }

    /// Writes the hello; fails with [`Full`], and then writes nothing, if it does not fit or is
    /// longer than a hello may be.
    pub fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let mut text = [0; 8];
        let text = match self.release {
            Release::Kms(sub) => {
                let hidden = u32::from(self.version ^ 0x8000) ^ u32::from(sub) << 16;
                Some(decimal(hidden, &mut text))
            }
            Release::Patch(text) => Some(text),
            Release::Bare | Release::Ims(_) => None,
        };
        let release = match self.release {
            Release::Bare => 0,
            Release::Ims(_) => 2,
            _ => 2 + text.map_or(0, <[u8]>::len),
        };
        let len = 2 + release + 4 + 4 + 1 + self.more.len();
        if !LENGTHS.contains(&len) {
            return Err(Full);
        }
        writer.all_or_nothing(|writer| {
            writer.u16_le(len as u16)?;
            writer.u16_le(match self.release {
                Release::Kms(_) => KMS_MARKER,
                _ => self.version,
            })?;
            if let Some(text) = text {
                writer.u16_le(text.len() as u16)?;
                writer.bytes(text)?;
            }
            if let Release::Ims(sub) = self.release {
                writer.bytes(&[0, sub])?;
            }
            writer.bytes(&self.to_server.bytes())?;
            writer.bytes(&self.to_client.bytes())?;
            writer.u8(self.locale)?;
            writer.bytes(self.more)
        })
    }
}

/// Version and sub-version out of KMS's decimal text.
fn kms_version(text: &[u8]) -> Option<(u16, u8)> {
    // The shortest spelling only, so that a hello read and written again is the same.
    if text.len() > 8 || text.first() == Some(&b'0') || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let hidden: u32 = str::from_utf8(text).ok()?.parse().ok()?;
    let sub = u8::try_from(hidden >> 16).ok()?;
    let version = (hidden & 0xFFFF) as u16 ^ 0x8000;
    (version & 0x8000 == 0).then_some((version, sub))
}

fn decimal(mut value: u32, text: &mut [u8; 8]) -> &[u8] {
    let mut start = text.len();
    for (at, digit) in text.iter_mut().enumerate().rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
        start = at;
        if value == 0 {
            break;
        }
    }
    text.get(start..).unwrap_or_default()
}
