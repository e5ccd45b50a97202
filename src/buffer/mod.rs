//! How bytes are held, read and written: fixed capacity, checked, named endianness.

mod pool;
mod reader;
mod writer;

pub use pool::{Frame, FramePool};
pub use reader::{Reader, Truncated};
pub use writer::{Full, Writer};
