//! The Maple stream: cipher and framing.

pub mod shanda;
