//! Strings and points in packets (maple.md 14), on the readers and writers of [`crate::buffer`].

#![forbid(unsafe_code)]

use super::Region;
use crate::buffer::{Full, Reader, Truncated, Writer};
use encoding_rs::{
    BIG5, EUC_KR, EncoderResult, Encoding, GBK, SHIFT_JIS, WINDOWS_874, WINDOWS_1252,
};
use std::{borrow::Cow, fmt};

/// The bytes that text has in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// GMS, EMS, BMS, and whoever has nothing else.
    Windows1252,
    /// KMS.
    Ms949,
    /// JMS.
    Ms932,
    /// CMS and MSEA.
    Ms936,
    /// TMS.
    Ms950,
    /// THMS.
    Ms874,
}

impl Charset {
    /// The charset of a region's clients.
    pub const fn of(region: Region) -> Self {
        match region {
            Region::Kms | Region::Kmst => Self::Ms949,
            Region::Jms => Self::Ms932,
            Region::Cms | Region::Cmst | Region::Msea => Self::Ms936,
            Region::Tms => Self::Ms950,
            Region::Thms => Self::Ms874,
            Region::Gms | Region::Ems | Region::Bms | Region::Ims | Region::Vms => {
                Self::Windows1252
            }
        }
    }

    /// The text that `bytes` are; borrowed if it is ASCII. What is no text becomes U+FFFD.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        self.encoding().decode_without_bom_handling(bytes).0
    }

    fn encoding(self) -> &'static Encoding {
        match self {
            Self::Windows1252 => WINDOWS_1252,
            Self::Ms949 => EUC_KR,
            Self::Ms932 => SHIFT_JIS,
            Self::Ms936 => GBK,
            Self::Ms950 => BIG5,
            Self::Ms874 => WINDOWS_874,
        }
    }
}

/// Writes what Maple packets hold beside numbers. Lengths count bytes.
pub trait WriteMaple {
    /// Appends `text` without a length; a character that the charset lacks becomes `?`.
    fn text(&mut self, charset: Charset, text: &str) -> Result<(), Full>;

    /// Appends a length and `text`: what a string is in a packet.
    fn string(&mut self, charset: Charset, text: &str) -> Result<(), Full>;

    /// Appends a length and `bytes`, at most 65,535.
    fn string_bytes(&mut self, bytes: &[u8]) -> Result<(), Full>;

    /// Appends `text` and zeros, `width` bytes in all; fails if that cuts the text.
    fn fixed_text(&mut self, charset: Charset, text: &str, width: usize) -> Result<(), Full>;

    /// Appends `text` and a zero for each UTF-16 unit it has fewer than `units`: as the Java
    /// library pads, which is wider than a field if the text is not ASCII.
    fn text_padded_by_units(
        &mut self,
        charset: Charset,
        text: &str,
        units: usize,
    ) -> Result<(), Full>;

    /// Appends the count of UTF-16 units, then `text`, then `fill` up to `units` of them: as the
    /// Java library pads, whose length is wrong if the text is not ASCII.
    fn string_padded_by_units(
        &mut self,
        charset: Charset,
        text: &str,
        units: usize,
        fill: u8,
    ) -> Result<(), Full>;

    /// Appends a point on a map.
    fn point(&mut self, x: i16, y: i16) -> Result<(), Full>;

    /// Appends the bytes that hex digits spell, in pairs; anything else between them is skipped,
    /// and so is a digit left over.
    fn hex(&mut self, digits: &str) -> Result<(), Full>;
}

impl WriteMaple for Writer<'_> {
    fn text(&mut self, charset: Charset, text: &str) -> Result<(), Full> {
        if text.is_ascii() {
            return self.bytes(text.as_bytes());
        }
        self.all_or_nothing(|writer| encode(writer, charset, text))
    }

    fn string(&mut self, charset: Charset, text: &str) -> Result<(), Full> {
        if text.is_ascii() {
            return self.string_bytes(text.as_bytes());
        }
        self.all_or_nothing(|writer| {
            let start = writer.len();
            writer.u16_le(0)?;
            encode(writer, charset, text)?;
            let len = u16::try_from(writer.len() - start - 2).map_err(|_| Full)?;
            writer.overwrite(start, |writer| writer.u16_le(len))
        })
    }

    fn string_bytes(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let len = u16::try_from(bytes.len()).map_err(|_| Full)?;
        if self.remaining() < 2 + bytes.len() {
            return Err(Full);
        }
        self.u16_le(len)?;
        self.bytes(bytes)
    }

    fn fixed_text(&mut self, charset: Charset, text: &str, width: usize) -> Result<(), Full> {
        self.all_or_nothing(|writer| {
            let start = writer.len();
            writer.text(charset, text)?;
            let zeros = width.checked_sub(writer.len() - start).ok_or(Full)?;
            writer.zeros(zeros)
        })
    }

    fn text_padded_by_units(
        &mut self,
        charset: Charset,
        text: &str,
        units: usize,
    ) -> Result<(), Full> {
        self.all_or_nothing(|writer| {
            writer.text(charset, text)?;
            writer.zeros(units.saturating_sub(text.encode_utf16().count()))
        })
    }

    fn string_padded_by_units(
        &mut self,
        charset: Charset,
        text: &str,
        units: usize,
        fill: u8,
    ) -> Result<(), Full> {
        let has = text.encode_utf16().count();
        let len = u16::try_from(has.max(units)).map_err(|_| Full)?;
        self.all_or_nothing(|writer| {
            writer.u16_le(len)?;
            writer.text(charset, text)?;
            writer.fill(fill, units.saturating_sub(has))
        })
    }

    fn point(&mut self, x: i16, y: i16) -> Result<(), Full> {
        let [x0, x1] = x.to_le_bytes();
        let [y0, y1] = y.to_le_bytes();
        self.array([x0, x1, y0, y1])
    }

    fn hex(&mut self, digits: &str) -> Result<(), Full> {
        let mut digits = digits.chars().filter_map(|digit| digit.to_digit(16));
        self.all_or_nothing(|writer| {
            while let (Some(high), Some(low)) = (digits.next(), digits.next()) {
                writer.u8((high << 4 | low) as u8)?;
            }
            Ok(())
        })
    }
}

/// Reads what Maple packets hold beside numbers.
pub trait ReadMaple<'a> {
    /// The bytes of a string: a length of up to 65,535, then so many.
    fn string(&mut self) -> Result<&'a [u8], Truncated>;

    /// The same for lengths of up to 32,767, as most servers and clients have it; a length
    /// beyond counts as negative and fails.
    fn string_of_signed_len(&mut self) -> Result<&'a [u8], Truncated>;

    /// A field of `width` bytes up to its first zero.
    fn fixed_text(&mut self, width: usize) -> Result<&'a [u8], Truncated>;

    /// A point on a map, x and y.
    fn point(&mut self) -> Result<(i16, i16), Truncated>;
}

impl<'a> ReadMaple<'a> for Reader<'a> {
    fn string(&mut self) -> Result<&'a [u8], Truncated> {
        let mut ahead = self.clone();
        let len = ahead.u16_le()?;
        let text = ahead.bytes(usize::from(len))?;
        *self = ahead;
        Ok(text)
    }

    fn string_of_signed_len(&mut self) -> Result<&'a [u8], Truncated> {
        let mut ahead = self.clone();
        let len = usize::try_from(ahead.i16_le()?).map_err(|_| Truncated)?;
        let text = ahead.bytes(len)?;
        *self = ahead;
        Ok(text)
    }

    fn fixed_text(&mut self, width: usize) -> Result<&'a [u8], Truncated> {
        let field = self.bytes(width)?;
        Ok(field.split(|&byte| byte == 0).next().unwrap_or_default())
    }

    fn point(&mut self) -> Result<(i16, i16), Truncated> {
        let [x0, x1, y0, y1] = self.array()?;
        Ok((i16::from_le_bytes([x0, x1]), i16::from_le_bytes([y0, y1])))
    }
}

/// Shows bytes as packet dumps do: upper-case hex, separated by spaces.
#[derive(Clone, Copy, Debug)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            let space = if at == 0 { "" } else { " " };
            write!(f, "{space}{byte:02X}")?;
        }
        Ok(())
    }
}

fn encode(writer: &mut Writer<'_>, charset: Charset, mut text: &str) -> Result<(), Full> {
    let mut encoder = charset.encoding().new_encoder();
    let mut encoded = [0; 64];
    loop {
        let (result, read, len) =
            encoder.encode_from_utf8_without_replacement(text, &mut encoded, true);
        writer.bytes(encoded.get(..len).unwrap_or_default())?;
        text = text.get(read..).unwrap_or_default();
        match result {
            EncoderResult::InputEmpty => return Ok(()),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(_) => writer.u8(b'?')?,
        }
    }
}
