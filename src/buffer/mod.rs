//! How bytes are held, read and written: fixed capacity, checked, named endianness.
//!
//! Neither side allocates or panics: a [`Reader`] that runs out answers [`Truncated`], a
//! [`Writer`] that runs out answers [`Full`], and both stay where they were.

#![forbid(unsafe_code)]

mod pool;
mod reader;
mod writer;

pub use pool::{Frame, FramePool};
pub use reader::{Reader, Truncated};
pub use writer::{Full, Writer};
