//! How bytes are held, read and written: fixed capacity, checked, named endianness.
//!
//! There is one vocabulary: a [`Reader`] takes values from a slice, a [`Writer`] appends them to
//! one, a [`ByteBuf`] has its bytes inline and lends both. Neither side allocates or panics: a
//! reader that runs out answers [`Truncated`], a writer that runs out answers [`Full`], and both
//! stay where they were.
//!
//! ```text
//! ByteBuf<N>   0          read            write               N
//!              +-----------+----------------+-----------------+
//!              | read      | Reader         | Writer          |
//!              +-----------+----------------+-----------------+
//! ```

#![forbid(unsafe_code)]

mod byte_buf;
mod encode;
mod number;
mod pool;
mod reader;
mod variable;
mod writer;

pub use byte_buf::{ByteBuf, Overflow, Underflow};
pub use encode::Encode;
pub use number::Number;
pub use pool::{Frame, FramePool};
pub use reader::{Reader, Truncated};
pub use variable::{BadValue, MAX_VAR_INT, MAX_VAR_LONG, var_int_len, var_long_len};
pub use writer::{Full, Writer};
