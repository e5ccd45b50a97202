//! What Kaillera says: one user's link, as bytes (v0.83, the "v086" generation).

#![forbid(unsafe_code)]

pub mod bundle;
pub mod connect;
mod error;
pub mod message;

pub use error::DecodeError;
