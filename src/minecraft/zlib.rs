//! Compressed bodies, inflated and made within bounds.

use super::{Content, FrameError, Framing, field::MAX_BODY, frame::MAX_FRAME};
use crate::buffer::{Encode, Full, Writer, var_int_len};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use std::fmt;

/// The state of zlib and the memory for one body, for a thread to use for all its connections.
///
/// It grows to the longest body there ever was, [`MAX_BODY`] at most, and stays so.
#[derive(Default)]
pub struct Zlib {
    inflate: Option<Decompress>,
    deflate: Option<Compress>,
    body: Vec<u8>,
    packed: Vec<u8>,
}

impl Zlib {
    /// Takes memory when something comes that is compressed, or has to be.
    pub fn new() -> Self {
        Self::default()
    }

    /// The body in a frame, inflated if it must be.
    ///
    /// Inflates no further than the length the frame says. Fails if the connection must be
    /// closed.
    pub fn body<'a>(&'a mut self, content: Content<'a>) -> Result<&'a [u8], FrameError> {
        let (len, zlib) = match content {
            Content::Body(body) => return Ok(body),
            Content::Deflated { len, zlib } => (len, zlib),
        };
        let len = len.min(MAX_BODY);
        // A byte more shows whether the stream goes on.
        let (status, made) = self.inflate(zlib, len + 1)?;
        if made != len {
            return Err(FrameError::SizeMismatch);
        }
        if status != Status::StreamEnd {
            return Err(FrameError::BadZlib);
        }
        Ok(self.body.get(..len).unwrap_or_default())
    }

    /// The first bytes of the body in a frame, at most `most`; the rest is not inflated.
    pub fn front<'a>(
        &'a mut self,
        content: Content<'a>,
        most: usize,
    ) -> Result<&'a [u8], FrameError> {
        let (len, zlib) = match content {
            Content::Body(body) => return Ok(body.get(..most).unwrap_or(body)),
            Content::Deflated { len, zlib } => (len.min(most), zlib),
        };
        let (_, made) = self.inflate(zlib, len)?;
        Ok(self.body.get(..made.min(len)).unwrap_or_default())
    }

    /// How it went, and how many bytes of `room` came out.
    fn inflate(&mut self, zlib: &[u8], room: usize) -> Result<(Status, usize), FrameError> {
        if self.body.len() < room {
            self.body.resize(room, 0);
        }
        let place = self.body.get_mut(..room).unwrap_or_default();
        let inflate = self.inflate.get_or_insert_with(|| Decompress::new(true));
        inflate.reset(true);
        let status = inflate.decompress(zlib, place, FlushDecompress::Finish);
        let made = usize::try_from(inflate.total_out()).unwrap_or(0);
        status
            .map(|status| (status, made))
            .map_err(|_| FrameError::BadZlib)
    }

    /// Appends the frame of `packet`, compressed if `framing` says so.
    ///
    /// Fails if it does not fit into `writer` or no frame can hold it; nothing is written then.
    pub fn write<P: Encode>(
        &mut self,
        framing: Framing,
        packet: &P,
        writer: &mut Writer<'_>,
    ) -> Result<(), Full> {
        let len = packet.encoded_len();
        let Some(threshold) = framing.threshold() else {
            return writer.all_or_nothing(|writer| {
                prefix(writer, len)?;
                packet.encode(writer)
            });
        };
        if len < threshold {
            return writer.all_or_nothing(|writer| {
                prefix(writer, len + 1)?;
                writer.u8(0)?;
                packet.encode(writer)
            });
        }
        let mut body = std::mem::take(&mut self.body);
        if body.len() < len {
            body.resize(len.min(MAX_BODY), 0);
        }
        let mut scratch = Writer::new(&mut body);
        let result = packet
            .encode(&mut scratch)
            .and_then(|()| self.deflate(scratch.written(), writer));
        self.body = body;
        result
    }

    /// Appends the frame of an encoded `body`, compressed if `framing` says so.
    pub fn write_body(
        &mut self,
        framing: Framing,
        body: &[u8],
        writer: &mut Writer<'_>,
    ) -> Result<(), Full> {
        match framing.threshold() {
            None => writer.all_or_nothing(|writer| {
                prefix(writer, body.len())?;
                writer.bytes(body)
            }),
            Some(threshold) if body.len() < threshold => writer.all_or_nothing(|writer| {
                prefix(writer, body.len() + 1)?;
                writer.u8(0)?;
                writer.bytes(body)
            }),
            Some(_) => self.deflate(body, writer),
        }
    }

    fn deflate(&mut self, body: &[u8], writer: &mut Writer<'_>) -> Result<(), Full> {
        if body.len() > MAX_BODY {
            return Err(Full);
        }
        // What zlib adds to bytes that it cannot compress is less than this.
        let room = body.len() + body.len() / 1000 + 64;
        if self.packed.len() < room {
            self.packed.resize(room, 0);
        }
        let deflate = self
            .deflate
            .get_or_insert_with(|| Compress::new(Compression::default(), true));
        deflate.reset();
        let status = deflate.compress(body, &mut self.packed, FlushCompress::Finish);
        if !matches!(status, Ok(Status::StreamEnd)) {
            return Err(Full);
        }
        let made = usize::try_from(deflate.total_out()).map_err(|_| Full)?;
        let packed = self.packed.get(..made).ok_or(Full)?;
        let len = i32::try_from(body.len()).map_err(|_| Full)?;
        writer.all_or_nothing(|writer| {
            prefix(writer, var_int_len(len) + packed.len())?;
            writer.var_int(len)?;
            writer.bytes(packed)
        })
    }
}

impl fmt::Debug for Zlib {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zlib")
            .field("body", &self.body.len())
            .field("packed", &self.packed.len())
            .finish()
    }
}

fn prefix(writer: &mut Writer<'_>, len: usize) -> Result<(), Full> {
    match i32::try_from(len) {
        Ok(prefix) if (1..=MAX_FRAME).contains(&len) => writer.var_int(prefix),
        _ => Err(Full),
    }
}
