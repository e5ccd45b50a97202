//! A fixed set of frames: taken at the start, lent out, returned on drop.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::buffer::Full;
use bytes::BytesMut;

/// Bytes allocated at once, unless a single frame is larger.
const ALLOCATION: usize = 16 << 20;

/// Lends a fixed number of [`Frame`]s of a fixed size; clones share the frames.
///
/// All memory is allocated by [`FramePool::new`]. The frame returned last is lent first,
/// while its bytes are still in a cache.
#[derive(Clone)]
pub struct FramePool {
    home: Arc<Home>,
}

impl FramePool {
    /// Allocates `frames` frames of `frame_size` bytes each.
    ///
    /// They are pieces of few large allocations, so frames that were never lent cost address
    /// space and no memory. One allocation for all could be more than the system promises.
    pub fn new(frames: usize, frame_size: usize) -> Self {
        let at_once = (ALLOCATION / frame_size.max(1)).max(1);
        let mut rest = BytesMut::new();
        let block = |index: usize| {
            if index.is_multiple_of(at_once) {
                rest = BytesMut::zeroed(at_once.min(frames - index).saturating_mul(frame_size));
            }
            let bytes = rest.split_to(frame_size.min(rest.len()));
            Box::new(Block { len: 0, bytes })
        };
        let mut free: Vec<_> = (0..frames).map(block).collect();
        // The first frame lent is the first of the allocations.
        free.reverse();
        Self {
            home: Arc::new(Home {
                free: Mutex::new(free),
                frames,
                frame_size,
            }),
        }
    }

    /// Takes an empty frame, or `None` if all are lent out: nobody ever waits for one.
    pub fn try_take(&self) -> Option<Frame> {
        self.try_take_sparing(0)
    }

    /// Takes an empty frame if more than `spared` are left for others.
    pub fn try_take_sparing(&self, spared: usize) -> Option<Frame> {
        let mut free = self.home.free();
        let block = if free.len() > spared {
            free.pop()
        } else {
            None
        };
        drop(free);
        Some(self.lend(block?))
    }

    /// Appends up to `up_to` empty frames to `into`, fewer if the pool runs out.
    ///
    /// Allocates only if `into` lacks the capacity.
    pub fn take_many(&self, into: &mut Vec<Frame>, up_to: usize) {
        let mut free = self.home.free();
        let kept = free.len().saturating_sub(up_to);
        into.extend(free.drain(kept..).rev().map(|block| self.lend(block)));
    }

    /// How many frames are not lent out.
    pub fn available(&self) -> usize {
        self.home.free().len()
    }

    /// How many frames the pool owns, lent out or not.
    pub fn capacity(&self) -> usize {
        self.home.frames
    }

    /// How many bytes each frame can hold.
    pub fn frame_size(&self) -> usize {
        self.home.frame_size
    }

    fn lend(&self, mut block: Box<Block>) -> Frame {
        block.len = 0;
        Frame {
            home: Arc::clone(&self.home),
            block: Some(block),
        }
    }
}

impl fmt::Debug for FramePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FramePool")
            .field("available", &self.available())
            .field("capacity", &self.capacity())
            .field("frame_size", &self.frame_size())
            .finish()
    }
}

/// A buffer with one owner; reads as the bytes filled so far and goes home on drop.
///
/// It is two words, as it travels through queues by value, and may be dropped on another
/// thread than it was taken on.
pub struct Frame {
    home: Arc<Home>,
    /// `None` only while being dropped.
    block: Option<Box<Block>>,
}

impl Frame {
    /// How many bytes the frame can hold.
    pub fn capacity(&self) -> usize {
        self.home.frame_size
    }

    /// Declares the first `len` bytes filled, at most the capacity.
    pub fn set_len(&mut self, len: usize) {
        if let Some(block) = &mut self.block {
            block.len = len.min(block.bytes.len());
        }
    }

    /// The whole capacity, to be filled from the front and then declared by
    /// [`Frame::set_len`]; it may hold bytes of the frame's last user.
    pub fn buffer_mut(&mut self) -> &mut [u8] {
        self.block
            .as_mut()
            .map(|block| &mut block.bytes[..])
            .unwrap_or_default()
    }

    /// Replaces the content by `bytes`; fails with [`Full`] if they exceed the capacity,
    /// and then changes nothing.
    pub fn copy_from(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let place = self.buffer_mut().get_mut(..bytes.len()).ok_or(Full)?;
        place.copy_from_slice(bytes);
        self.set_len(bytes.len());
        Ok(())
    }
}

impl Deref for Frame {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.block
            .as_ref()
            .and_then(|block| block.bytes.get(..block.len))
            .unwrap_or_default()
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.home.free().push(block);
        }
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .finish()
    }
}

/// A frame is its block's pointer; only that moves.
type FreeList = Vec<Box<Block>>;

struct Home {
    free: Mutex<FreeList>,
    frames: usize,
    frame_size: usize,
}

impl Home {
    /// No change to the list is left half done by a panic, so poison means nothing.
    fn free(&self) -> MutexGuard<'_, FreeList> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Block {
    len: usize,
    bytes: BytesMut,
}

#[cfg(test)]
mod tests {
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_frame_is_two_words() {
        assert_eq!(size_of::<Frame>(), 2 * size_of::<usize>());
        assert_eq!(size_of::<Option<Frame>>(), size_of::<Frame>());
    }

    #[test]
    fn an_empty_pool_says_so() {
        let pool = FramePool::new(1, 8);
        let frame = pool.try_take();
        assert!(frame.is_some());
        assert!(pool.try_take().is_none());
        drop(frame);
        assert!(pool.try_take().is_some());
    }

    #[test]
    fn the_last_one_home_goes_out_first() {
        let pool = FramePool::new(3, 8);
        let mut frames = Vec::new();
        pool.take_many(&mut frames, 3);
        let mut last = frames.pop().unwrap();
        last.copy_from(b"warm").unwrap();
        drop(frames);
        drop(last);

        let mut taken = Vec::new();
        pool.take_many(&mut taken, 2);
        assert_eq!(&taken[0].buffer_mut()[..4], b"warm");
        assert!(
            taken[0].is_empty(),
            "the last user's bytes are not readable"
        );
    }

    #[test]
    fn lengths_stay_within_the_capacity() {
        let pool = FramePool::new(1, 4);
        let mut frame = pool.try_take().unwrap();
        assert_eq!(frame.copy_from(b"12345"), Err(Full));
        assert!(frame.is_empty());
        frame.copy_from(b"123").unwrap();
        assert_eq!(&*frame, b"123");
        frame.buffer_mut()[3] = b'4';
        frame.set_len(usize::MAX);
        assert_eq!(&*frame, b"1234");
    }

    #[test]
    fn frames_outlive_the_pool_and_come_home_from_other_threads() {
        let pool = FramePool::new(64, 16);
        let mut frames = Vec::new();
        pool.take_many(&mut frames, 64);
        assert_eq!(pool.available(), 0);
        thread::spawn(move || drop(frames)).join().unwrap();
        assert_eq!(pool.available(), 64);

        let mut orphan = pool.try_take().unwrap();
        drop(pool);
        orphan.copy_from(b"alone").unwrap();
        assert_eq!(&*orphan, b"alone");
    }

    #[test]
    fn threads_share_one_pool_without_losing_a_frame() {
        let pool = FramePool::new(8, 8);
        thread::scope(|scope| {
            for name in 0..4u8 {
                let pool = pool.clone();
                scope.spawn(move || {
                    for _ in 0..2_000 {
                        let Some(mut frame) = pool.try_take() else {
                            continue;
                        };
                        frame.copy_from(&[name; 8]).unwrap();
                        assert_eq!(*frame, [name; 8]);
                    }
                });
            }
        });
        assert_eq!(pool.available(), pool.capacity());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_lent_and_what_is_left_add_up(
            steps in prop::collection::vec((0..4u8, 0..12usize), 0..60),
        ) {
            let pool = FramePool::new(10, 4);
            let mut held = Vec::new();
            for (step, amount) in steps {
                let before = held.len();
                let expected = match step {
                    0 => {
                        held.extend(pool.try_take());
                        (before + 1).min(10)
                    }
                    1 => {
                        pool.take_many(&mut held, amount);
                        (before + amount).min(10)
                    }
                    2 => {
                        held.truncate(before.saturating_sub(amount));
                        before.saturating_sub(amount)
                    }
                    _ => {
                        held.drain(..amount.min(before));
                        before - amount.min(before)
                    }
                };
                prop_assert_eq!(held.len(), expected);
                prop_assert_eq!(pool.available(), 10 - expected);
            }
        }
    }
}
