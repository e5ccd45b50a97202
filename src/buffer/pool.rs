//! A bounded set of frames: made when first needed, lent out, returned on drop.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::buffer::Full;
use bytes::BytesMut;

/// Lends a limited number of [`Frame`]s of a fixed size; clones share the frames.
///
/// Frames are made, a few at a time, when all that were made before are lent out, and kept
/// from then on: a pool allocates while its load grows beyond what it ever was, and never again.
/// The frame returned last is lent first, while its bytes are still in a cache.
#[derive(Clone)]
pub struct FramePool {
    home: Arc<Home>,
}

impl FramePool {
    /// A pool of at most `frames` frames of `frame_size` bytes each; allocates none of them yet.
    pub fn new(frames: usize, frame_size: usize) -> Self {
        Self {
            home: Arc::new(Home {
                shelf: Mutex::default(),
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
        let mut shelf = self.home.shelf();
        if self.home.available(&shelf) <= spared {
            return None;
        }
        if shelf.free.is_empty() {
            self.home.make(&mut shelf);
        }
        let block = shelf.free.pop();
        drop(shelf);
        Some(self.lend(block?))
    }

    /// Appends up to `up_to` empty frames to `into`, fewer if the pool runs out.
    ///
    /// Apart from new frames it allocates only if `into` lacks the capacity.
    pub fn take_many(&self, into: &mut Vec<Frame>, up_to: usize) {
        let mut shelf = self.home.shelf();
        let mut missing = up_to.min(self.home.available(&shelf));
        while missing > 0 {
            if shelf.free.is_empty() {
                self.home.make(&mut shelf);
            }
            let kept = shelf.free.len().saturating_sub(missing);
            missing -= shelf.free.len() - kept;
            into.extend(shelf.free.drain(kept..).rev().map(|block| self.lend(block)));
        }
    }

    /// How many frames are not lent out.
    pub fn available(&self) -> usize {
        self.home.available(&self.home.shelf())
    }

    /// How many frames there can be, made or not, lent out or not.
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
            self.home.shelf().free.push(block);
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

/// Frames made at a time: the batch of 32 that a loop holds to receive into, and as many more as
/// a few rooms ever have on their way, so that theirs are all made with the first one.
const CHUNK: usize = 48;

/// The most bytes they may have, unless a single frame is longer.
const CHUNK_BYTES: usize = 256 << 10;

/// A frame is its block's pointer; only that moves.
type FreeList = Vec<Box<Block>>;

struct Home {
    shelf: Mutex<Shelf>,
    frames: usize,
    frame_size: usize,
}

/// The frames that are not lent out.
#[derive(Default)]
struct Shelf {
    /// Has room for all that were made, so that returning one allocates nothing.
    free: FreeList,
    made: usize,
}

impl Home {
    /// No change to the shelf is left half done by a panic, so poison means nothing.
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn available(&self, shelf: &Shelf) -> usize {
        self.frames - shelf.made + shelf.free.len()
    }

    /// Makes the next frames, pieces of one allocation, if there may be more.
    fn make(&self, shelf: &mut Shelf) {
        let at_once = CHUNK.min(CHUNK_BYTES / self.frame_size.max(1)).max(1);
        let count = at_once.min(self.frames - shelf.made);
        let mut all = BytesMut::zeroed(count.saturating_mul(self.frame_size));
        let block = || {
            let bytes = all.split_to(self.frame_size.min(all.len()));
            Box::new(Block { len: 0, bytes })
        };
        let made = shelf.made + count;
        shelf.free.reserve(made - shelf.free.len());
        shelf.free.extend(std::iter::repeat_with(block).take(count));
        shelf.made = made;
        // The first one lent is the first of the allocation.
        shelf.free.reverse();
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
    fn frames_are_made_when_there_is_none_left() {
        let pool = FramePool::new(2 * CHUNK + 3, 8);
        let made = || pool.home.shelf().made;
        assert_eq!((made(), pool.available()), (0, 2 * CHUNK + 3));
        drop(pool.try_take());
        drop(pool.try_take());
        assert_eq!(made(), CHUNK);

        let mut frames = Vec::new();
        pool.take_many(&mut frames, CHUNK + 1);
        assert_eq!((made(), frames.len()), (2 * CHUNK, CHUNK + 1));
        assert_eq!(pool.available(), CHUNK + 2);
        pool.take_many(&mut frames, usize::MAX);
        assert_eq!((made(), frames.len()), (2 * CHUNK + 3, 2 * CHUNK + 3));
        assert_eq!(pool.available(), 0);

        let room = pool.home.shelf().free.capacity();
        drop(frames);
        assert_eq!(pool.home.shelf().free.capacity(), room);
        assert_eq!(pool.available(), pool.capacity());
    }

    #[test]
    fn long_frames_are_made_few_at_a_time() {
        for (frame_size, at_once) in [(CHUNK_BYTES / 3, 3), (2 * CHUNK_BYTES, 1)] {
            let pool = FramePool::new(10, frame_size);
            drop(pool.try_take());
            assert_eq!(pool.home.shelf().made, at_once);
        }
    }

    #[test]
    fn frames_are_spared_made_or_not() {
        let pool = FramePool::new(3, 8);
        let one = pool.try_take_sparing(2);
        assert!(one.is_some());
        assert!(pool.try_take_sparing(2).is_none());
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
