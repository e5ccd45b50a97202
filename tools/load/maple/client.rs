//! A client: says packets that carry the time, and hears them again.

use mio::net::TcpStream;
use samara::{
    maple::{Codec, Decoded, Decoder, Direction, Encoder, Hello, Lookahead, Opcodes, Region},
    timer::Time,
};
use std::{
    io::{self, ErrorKind, Read, Write},
    time::Duration,
};

/// Bytes of a packet that this needs: opcode, who said it, when it was due, how late it left.
pub(crate) const LEAST: usize = 2 + 4 + 8 + 4;
/// Bytes of a frame before its payload.
pub(super) const HEADER: usize = 4;
/// What waits to be sent by a client that says nothing more until less does.
const MOST_WAITING: usize = 4 << 20;

const AHEAD: Lookahead = Lookahead {
    packets: 8,
    bytes: 512,
};

/// What is written into each packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Who said it.
    pub(super) number: u32,
    pub(super) due: Time,
    /// How much later it left; at most four seconds.
    pub(super) lag: Duration,
}

/// A packet that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) opcode: u16,
    pub(super) stamp: Stamp,
    /// Bytes of its frame.
    pub(super) len: usize,
}

pub(super) struct Client {
    pub(super) socket: TcpStream,
    number: u32,
    streams: Option<(Encoder, Decoder)>,
    /// Received and not understood.
    input: Vec<u8>,
    /// Said, and sent up to there.
    output: Vec<u8>,
    sent: usize,
    /// Packets of its own that it has not heard again.
    pub(super) under_way: usize,
}

impl Client {
    pub(super) fn new(socket: TcpStream, number: u32) -> Self {
        Self {
            socket,
            number,
            streams: None,
            input: Vec::new(),
            output: Vec::new(),
            sent: 0,
            under_way: 0,
        }
    }

    pub(super) fn is_greeted(&self) -> bool {
        self.streams.is_some()
    }

    /// Whether it may say more.
    pub(super) fn has_room(&self) -> bool {
        self.output.len() < MOST_WAITING
    }

    /// Says a packet of `size` bytes, due at `due`.
    pub(super) fn say(&mut self, opcode: u16, size: usize, due: Time, now: Time) -> io::Result<()> {
        let mut payload = [0; LEAST];
        let stamp = Stamp {
            number: self.number,
            due,
            lag: now.since(due),
        };
        stamp.write(opcode, &mut payload);
        self.append(&payload, size)?;
        self.under_way += 1;
        Ok(())
    }

    fn append(&mut self, payload: &[u8], size: usize) -> io::Result<()> {
        let Some((encoder, _)) = &mut self.streams else {
            return Ok(());
        };
        let begin = self.output.len();
        self.output.extend_from_slice(&[0; HEADER]);
        self.output.extend_from_slice(payload);
        self.output.resize(begin + HEADER + size, 0x55);
        let frame = self.output.get_mut(begin..).unwrap_or_default();
        encoder.encode(frame).map_err(io::Error::other)
    }

    /// Gives the system what waits.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        while let Some(rest) = self.output.get(self.sent..).filter(|it| !it.is_empty()) {
            match self.socket.write(rest) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.output.clear();
        self.sent = 0;
        Ok(())
    }

    /// Reads all there is, through `piece`, and tells of each packet.
    pub(super) fn receive(
        &mut self,
        codec: &Codec,
        piece: &mut [u8],
        mut heard: impl FnMut(Heard),
    ) -> io::Result<()> {
        loop {
            match self.socket.read(piece) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    let received = piece.get(..count).unwrap_or_default();
                    self.input.extend_from_slice(received);
                    self.understand(codec, &mut heard)?;
                    // Less than there was room for is all there was.
                    if count < piece.len() {
                        return self.flush();
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return self.flush(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn understand(&mut self, codec: &Codec, heard: &mut impl FnMut(Heard)) -> io::Result<()> {
        let mut at = 0;
        if self.streams.is_none() {
            let form = codec.profile().hello;
            let parsed = Hello::parse(form, &self.input).map_err(io::Error::other)?;
            let Some((hello, len)) = parsed else {
                return Ok(());
            };
            let encoder = codec.encoder(Direction::ToServer, hello.to_server);
            let decoder = codec.decoder(Direction::ToClient, hello.to_client);
            self.streams = Some((encoder.looking_ahead(AHEAD), decoder.looking_ahead(AHEAD)));
            at = len;
        }
        let profile = codec.profile();
        let mut pings = 0;
        while let Some((_, decoder)) = &mut self.streams
            && let Some(rest) = self.input.get_mut(at..)
        {
            let decoded = decoder.decode(rest).map_err(io::Error::other)?;
            let Decoded::Packet { payload, frame_len } = decoded else {
                break;
            };
            match Stamp::read(payload) {
                Some((opcode, stamp)) => {
                    if stamp.number == self.number {
                        self.under_way = self.under_way.saturating_sub(1);
                    }
                    heard(Heard {
                        opcode,
                        stamp,
                        len: frame_len,
                    });
                }
                None => pings += usize::from(is_ping(profile.region, profile.version, payload)),
            }
            at += frame_len;
        }
        self.input.drain(..at);
        (0..pings).try_for_each(|_| self.answer(profile.region, profile.version))
    }

    /// Says that it is still there.
    fn answer(&mut self, region: Region, version: u16) -> io::Result<()> {
        let opcodes = Opcodes::find(region, version).unwrap_or_default();
        match opcodes.pong {
            Some(pong) => self.append(&pong.to_le_bytes(), 2),
            None => Ok(()),
        }
    }
}

fn is_ping(region: Region, version: u16, payload: &[u8]) -> bool {
    let ping = Opcodes::find(region, version).and_then(|it| it.ping);
    ping.is_some_and(|ping| payload == ping.to_le_bytes())
}

impl Stamp {
    fn write(&self, opcode: u16, room: &mut [u8; LEAST]) {
        let lag = u32::try_from(self.lag.as_nanos()).unwrap_or(u32::MAX);
        let parts = opcode.to_le_bytes().into_iter();
        let parts = parts.chain(self.number.to_le_bytes());
        let parts = parts.chain(self.due.as_nanos().to_le_bytes());
        let parts = parts.chain(lag.to_le_bytes());
        room.iter_mut().zip(parts).for_each(|(to, byte)| *to = byte);
    }

    fn read(payload: &[u8]) -> Option<(u16, Self)> {
        let (opcode, rest) = payload.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (due, rest) = rest.split_first_chunk()?;
        let lag = u32::from_le_bytes(*rest.first_chunk()?);
        let stamp = Self {
            number: u32::from_le_bytes(*number),
            due: Time::from_nanos(u64::from_le_bytes(*due)),
            lag: Duration::from_nanos(lag.into()),
        };
        Some((u16::from_le_bytes(*opcode), stamp))
    }

    /// When it left.
    pub(super) fn left(&self) -> Time {
        self.due + self.lag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_read_as_it_was_written() {
        let stamp = Stamp {
            number: 77,
            due: Time::from_millis(123_456),
            lag: Duration::from_micros(42),
        };
        let mut room = [0; LEAST];
        stamp.write(0x1234, &mut room);
        assert_eq!(Stamp::read(&room), Some((0x1234, stamp)));
        assert_eq!(stamp.left(), Time::from_nanos(123_456_042_000));
        assert_eq!(Stamp::read(&room[..LEAST - 1]), None);
    }

    #[test]
    fn pings_are_known() {
        let ping = Opcodes::find(Region::Gms, 83).unwrap().ping.unwrap();
        assert!(is_ping(Region::Gms, 83, &ping.to_le_bytes()));
        assert!(!is_ping(Region::Gms, 83, &[0x31, 0]));
    }
}
