//! A client: says packets that carry the time, and hears them again.

use mio::net::TcpStream;
use samara::{
    maple::{Codec, DecodeError, Decoded, Decoder, Direction, Encoder, Hello, Lookahead},
    timer::Time,
};
use std::io::{self, ErrorKind, Read, Write};

/// Bytes of a packet that this needs: opcode, who said it, when.
pub(crate) const LEAST: usize = 2 + 4 + 8;

pub(crate) struct Client {
    pub(crate) socket: TcpStream,
    number: u32,
    streams: Option<(Encoder, Decoder)>,
    /// Received and not understood; sent as far as the system took it.
    input: Vec<u8>,
    output: Vec<u8>,
    /// Packets of its own that it has not heard again.
    pub(crate) under_way: usize,
}

impl Client {
    pub(crate) fn new(socket: TcpStream, number: u32) -> Self {
        Self {
            socket,
            number,
            streams: None,
            input: Vec::new(),
            output: Vec::new(),
            under_way: 0,
        }
    }

    pub(crate) fn is_greeted(&self) -> bool {
        self.streams.is_some()
    }

    /// Says a packet of `size` bytes, due at `due`.
    pub(crate) fn say(&mut self, opcode: u16, size: usize, due: Time) -> io::Result<()> {
        let Some((encoder, _)) = &mut self.streams else {
            return Ok(());
        };
        let begin = self.output.len();
        self.output.extend_from_slice(&[0; 4]);
        self.output.extend_from_slice(&opcode.to_le_bytes());
        self.output.extend_from_slice(&self.number.to_le_bytes());
        self.output.extend_from_slice(&due.as_nanos().to_le_bytes());
        self.output.resize(begin + 4 + size, 0x55);
        let frame = self.output.get_mut(begin..).unwrap_or_default();
        encoder.encode(frame).map_err(io::Error::other)?;
        self.under_way += 1;
        Ok(())
    }

    /// Gives the system what waits.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        while !self.output.is_empty() {
            match self.socket.write(&self.output) {
                Ok(count) => _ = self.output.drain(..count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads all there is, and tells `heard` of each packet when it was due.
    pub(crate) fn receive(
        &mut self,
        codec: &Codec,
        mut heard: impl FnMut(usize, Time),
    ) -> io::Result<()> {
        let mut piece = [0; 64 << 10];
        loop {
            match self.socket.read(&mut piece) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    let piece = piece.get(..count).unwrap_or_default();
                    self.input.extend_from_slice(piece);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
            self.understand(codec, &mut heard)?;
        }
    }

    fn understand(&mut self, codec: &Codec, heard: &mut impl FnMut(usize, Time)) -> io::Result<()> {
        let mut at = 0;
        if self.streams.is_none() {
            let form = codec.profile().hello;
            let parsed = Hello::parse(form, &self.input).map_err(io::Error::other)?;
            let Some((hello, len)) = parsed else {
                return Ok(());
            };
            let ahead = Lookahead {
                packets: 8,
                bytes: 512,
            };
            let encoder = codec.encoder(Direction::ToServer, hello.to_server);
            let decoder = codec.decoder(Direction::ToClient, hello.to_client);
            self.streams = Some((encoder.looking_ahead(ahead), decoder.looking_ahead(ahead)));
            at = len;
        }
        while let Some((_, decoder)) = &mut self.streams
            && let Some(rest) = self.input.get_mut(at..)
        {
            let decoded = decoder.decode(rest);
            let decoded = decoded.map_err(|error: DecodeError| io::Error::other(error))?;
            let Decoded::Packet { payload, frame_len } = decoded else {
                break;
            };
            if let Some((number, due)) = stamp(payload) {
                heard(payload.len(), Time::from_nanos(due));
                if number == self.number {
                    self.under_way = self.under_way.saturating_sub(1);
                }
            }
            at += frame_len;
        }
        self.input.drain(..at);
        Ok(())
    }
}

/// Who said a packet, and when it was due.
fn stamp(payload: &[u8]) -> Option<(u32, u64)> {
    let (_, rest) = payload.split_first_chunk::<2>()?;
    let (number, rest) = rest.split_first_chunk()?;
    let due = rest.first_chunk()?;
    Some((u32::from_le_bytes(*number), u64::from_le_bytes(*due)))
}
