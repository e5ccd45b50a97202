//! Packets of a length not known ahead, in frames of a pool.

#![forbid(unsafe_code)]

use super::{EncodeError, Encoder, HEADER_LEN};
use crate::buffer::{Frame, FramePool, Full, Writer};
use std::{fmt, sync::Arc};

/// Lends frames of a few sizes to packets that grow; clones share the frames.
#[derive(Clone)]
pub struct PacketPool {
    /// Smallest frames first.
    sizes: Arc<[FramePool]>,
}

impl PacketPool {
    /// A pool of, for each pair, at most so many frames of so many bytes, made when first needed.
    pub fn new(sizes: &[(usize, usize)]) -> Self {
        let mut sizes: Vec<_> = sizes
            .iter()
            .map(|&(frames, size)| FramePool::new(frames, size))
            .collect();
        sizes.sort_by_key(FramePool::frame_size);
        Self {
            sizes: sizes.into(),
        }
    }

    /// Begins a packet behind room for its header; `None` if no frame has room for that or all
    /// are lent out.
    pub fn begin(&self) -> Option<PacketWriter<'_>> {
        Some(PacketWriter {
            frame: self.take(HEADER_LEN)?,
            len: HEADER_LEN,
            pool: self,
        })
    }

    /// A frame of `least` bytes or more, the smallest there is.
    fn take(&self, least: usize) -> Option<Frame> {
        self.sizes
            .iter()
            .filter(|pool| pool.frame_size() >= least)
            .find_map(FramePool::try_take)
    }
}

impl fmt::Debug for PacketPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.sizes.iter()).finish()
    }
}

/// A packet in the making: moves to a larger frame of its pool when it must.
#[derive(Debug)]
pub struct PacketWriter<'p> {
    frame: Frame,
    /// Bytes filled, the header's room included.
    len: usize,
    pool: &'p PacketPool,
}

impl PacketWriter<'_> {
    /// Appends what `write` writes, all of it or nothing.
    ///
    /// If it runs out of room, it runs again in a larger frame; fails if there is none.
    pub fn write(
        &mut self,
        mut write: impl FnMut(&mut Writer<'_>) -> Result<(), Full>,
    ) -> Result<(), Full> {
        loop {
            let room = self.frame.buffer_mut().get_mut(self.len..).ok_or(Full)?;
            let mut writer = Writer::new(room);
            if write(&mut writer).is_ok() {
                self.len += writer.len();
                return Ok(());
            }
            self.grow(self.frame.capacity() + 1)?;
        }
    }

    /// What was written so far.
    pub fn payload(&mut self) -> &mut [u8] {
        let filled = self.frame.buffer_mut().get_mut(HEADER_LEN..self.len);
        filled.unwrap_or_default()
    }

    /// Makes the packet the next frame of `encoder`, in place.
    ///
    /// Fails if the payload is too long for it; the encoder is then as it was, the packet gone.
    pub fn seal(mut self, encoder: &mut Encoder) -> Result<Frame, EncodeError> {
        let payload_len = self.len - HEADER_LEN;
        let shift = encoder.header_len(payload_len) - HEADER_LEN;
        if shift > 0 {
            if self.frame.capacity() < self.len + shift {
                self.grow(self.len + shift)
                    .map_err(|_| EncodeError::NoHeaderRoom)?;
            }
            let buffer = self.frame.buffer_mut();
            buffer.copy_within(HEADER_LEN..self.len, HEADER_LEN + shift);
            self.len += shift;
        }
        let frame = self.frame.buffer_mut().get_mut(..self.len);
        encoder.encode(frame.ok_or(EncodeError::NoHeaderRoom)?)?;
        self.frame.set_len(self.len);
        Ok(self.frame)
    }

    /// Moves to a frame of `least` bytes or more.
    fn grow(&mut self, least: usize) -> Result<(), Full> {
        let mut larger = self.pool.take(least).ok_or(Full)?;
        let filled = self.frame.buffer_mut().get(..self.len).ok_or(Full)?;
        let place = larger.buffer_mut().get_mut(..self.len).ok_or(Full)?;
        place.copy_from_slice(filled);
        self.frame = larger;
        Ok(())
    }
}
