//! How bytes are held, read and written: fixed capacity, checked, named endianness.

mod reader;
mod writer;

pub use reader::{Reader, Truncated};
pub use writer::{Full, Writer};
