//! What waits to be sent on one connection.

use crate::buffer::Frame;
use std::{
    collections::VecDeque,
    io::{self, IoSlice, Write},
};

/// Blocks handed to the system with one call.
const GATHERED: usize = 16;

/// Whether a write that was cut short says that the socket is full, as epoll promises; else only
/// [`io::ErrorKind::WouldBlock`] says so.
const SHORT_MEANS_FULL: bool = cfg!(target_os = "linux");

/// Bytes in order, in blocks lent by a pool; the memory of an emptied queue serves the next
/// connection.
#[derive(Debug, Default)]
pub(super) struct OutQueue {
    blocks: VecDeque<Waiting>,
    len: usize,
}

/// The bytes of a block that have not been sent: from `start` to the frame's end.
#[derive(Debug)]
struct Waiting {
    frame: Frame,
    start: usize,
}

/// What one flush did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flushed {
    pub(super) bytes: usize,
    pub(super) would_block: bool,
}

impl OutQueue {
    /// Bytes that wait.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether it holds a block.
    pub(super) fn holds_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Appends `bytes`; `take` gives further blocks. False if there was none: then the queue
    /// holds a part of the bytes and is of no use but to be cleared.
    pub(super) fn append(
        &mut self,
        mut bytes: &[u8],
        mut take: impl FnMut(bool) -> Option<Frame>,
    ) -> bool {
        while !bytes.is_empty() {
            if !self.has_room(1) && !self.add(&mut take) {
                return false;
            }
            let fits = |room: &mut [u8]| {
                let (now, later) = bytes.split_at(room.len().min(bytes.len()));
                if let Some(place) = room.get_mut(..now.len()) {
                    place.copy_from_slice(now);
                }
                bytes = later;
                now.len()
            };
            self.fill_last(fits);
        }
        true
    }

    /// Lets `fill` write up to `most` bytes in one piece; it answers how many it wrote. False if
    /// there was no block.
    pub(super) fn write(
        &mut self,
        most: usize,
        fill: impl FnOnce(&mut [u8]) -> usize,
        mut take: impl FnMut(bool) -> Option<Frame>,
    ) -> bool {
        if !self.has_room(most) && !self.add(&mut take) {
            return false;
        }
        self.fill_last(|room| {
            let most = most.min(room.len());
            fill(room.get_mut(..most).unwrap_or_default()).min(most)
        });
        // A block of which nothing was used would otherwise be sent as an empty piece.
        if self
            .blocks
            .back()
            .is_some_and(|last| last.frame.len() == last.start)
        {
            self.blocks.pop_back();
        }
        true
    }

    /// Sends until nothing is left or the socket takes no more.
    pub(super) fn flush(&mut self, socket: &mut impl Write) -> io::Result<Flushed> {
        let mut flushed = Flushed::default();
        while !self.is_empty() {
            let mut pieces = [IoSlice::new(&[]); GATHERED];
            let mut offered = 0;
            let mut count = 0;
            for (piece, waiting) in pieces.iter_mut().zip(&self.blocks) {
                let bytes = waiting.frame.get(waiting.start..).unwrap_or_default();
                *piece = IoSlice::new(bytes);
                offered += bytes.len();
                count += 1;
            }
            match socket.write_vectored(pieces.get(..count).unwrap_or_default()) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(sent) => {
                    self.advance(sent);
                    flushed.bytes += sent;
                    if sent < offered && SHORT_MEANS_FULL {
                        flushed.would_block = true;
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    flushed.would_block = true;
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(flushed)
    }

    /// Forgets what waits; the blocks go home.
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.len = 0;
    }

    fn has_room(&self, wanted: usize) -> bool {
        self.blocks
            .back()
            .is_some_and(|last| last.frame.capacity() - last.frame.len() >= wanted.max(1))
    }

    /// `take` is told whether it is the queue's first block.
    fn add(&mut self, take: &mut impl FnMut(bool) -> Option<Frame>) -> bool {
        match take(self.blocks.is_empty()) {
            Some(frame) => {
                self.blocks.push_back(Waiting { frame, start: 0 });
                true
            }
            None => false,
        }
    }

    fn fill_last(&mut self, fill: impl FnOnce(&mut [u8]) -> usize) {
        if let Some(Waiting { frame, .. }) = self.blocks.back_mut() {
            let len = frame.len();
            let room = frame.buffer_mut().get_mut(len..).unwrap_or_default();
            let filled = fill(room);
            frame.set_len(len + filled);
            self.len += frame.len() - len;
        }
    }

    fn advance(&mut self, mut sent: usize) {
        debug_assert!(sent <= self.len);
        self.len = self.len.saturating_sub(sent);
        while let Some(first) = self.blocks.front_mut() {
            let waiting = first.frame.len() - first.start;
            if sent < waiting {
                first.start += sent;
                break;
            }
            sent -= waiting;
            self.blocks.pop_front();
        }
    }
}
