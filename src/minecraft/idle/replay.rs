//! A world on its way to a client that returns.

use crate::{
    buffer::{Full, Writer},
    minecraft::{Framing, Packet, Zlib},
};
use std::{collections::VecDeque, sync::Arc};

/// What a client has to get before anything is passed on to it, first to last.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// The world; the frames of its columns are shared with it.
    pieces: VecDeque<Arc<[u8]>>,
    /// Bytes of the first piece that were written.
    offset: usize,
    /// Frames that came meanwhile.
    live: VecDeque<u8>,
}

impl Replay {
    /// Has `frame` follow the world; fails if more than `most` bytes would wait.
    pub(super) fn queue(&mut self, frame: &[u8], most: usize) -> Result<(), Full> {
        if self.live.len() + frame.len() > most {
            return Err(Full);
        }
        self.live.extend(frame);
        Ok(())
    }

    /// Appends as much as there is room for; whether that was all.
    pub(super) fn write(&mut self, writer: &mut Writer<'_>) -> bool {
        while let Some(piece) = self.pieces.front() {
            let rest = piece.get(self.offset..).unwrap_or_default();
            let len = append(rest, writer);
            if len < rest.len() {
                self.offset += len;
                return false;
            }
            self.offset = 0;
            self.pieces.pop_front();
        }
        while !self.live.is_empty() {
            let len = append(self.live.as_slices().0, writer);
            if len == 0 {
                return false;
            }
            self.live.drain(..len);
        }
        true
    }
}

/// Writes what fits; how much it was.
fn append(bytes: &[u8], writer: &mut Writer<'_>) -> usize {
    let len = bytes.len().min(writer.remaining());
    let written = writer.bytes(bytes.get(..len).unwrap_or_default());
    written.map_or(0, |()| len)
}

/// Makes a replay.
pub(super) struct Script<'z> {
    zlib: &'z mut Zlib,
    framing: Framing,
    replay: Replay,
    /// Frames made here, until a shared one follows.
    frames: Vec<u8>,
}

impl<'z> Script<'z> {
    pub(super) fn new(zlib: &'z mut Zlib, framing: Framing) -> Self {
        Self {
            zlib,
            framing,
            replay: Replay::default(),
            frames: Vec::new(),
        }
    }

    /// Frames from here on are of this form.
    pub(super) fn set_framing(&mut self, framing: Framing) {
        self.framing = framing;
    }

    pub(super) fn packet<'a, P: Packet<'a>>(&mut self, packet: &P) {
        self.append(packet.encoded_len(), |zlib, framing, writer| {
            zlib.write(framing, packet, writer)
        });
    }

    pub(super) fn packets<'a, P: Packet<'a> + 'a>(&mut self, packets: impl IntoIterator<Item = P>) {
        for packet in packets {
            self.packet(&packet);
        }
    }

    /// A packet that was kept as its body.
    pub(super) fn body(&mut self, body: &[u8]) {
        self.append(body.len(), |zlib, framing, writer| {
            zlib.write_body(framing, body, writer)
        });
    }

    /// A frame as it was received.
    pub(super) fn frame(&mut self, frame: &Arc<[u8]>) {
        self.flush();
        self.replay.pieces.push_back(Arc::clone(frame));
    }

    pub(super) fn finish(mut self) -> Replay {
        self.flush();
        self.replay
    }

    fn append(
        &mut self,
        len: usize,
        write: impl FnOnce(&mut Zlib, Framing, &mut Writer<'_>) -> Result<(), Full>,
    ) {
        let start = self.frames.len();
        // Lengths, and what zlib adds at worst.
        self.frames.resize(start + len + len / 500 + 80, 0);
        let place = self.frames.get_mut(start..).unwrap_or_default();
        let mut writer = Writer::new(place);
        // Whatever was received fits a frame again; if not, it is left out.
        let _ = write(self.zlib, self.framing, &mut writer);
        let written = writer.len();
        self.frames.truncate(start + written);
    }

    fn flush(&mut self) {
        if !self.frames.is_empty() {
            self.replay.pieces.push_back(self.frames.as_slice().into());
            self.frames.clear();
        }
    }
}
