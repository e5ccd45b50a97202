//! The packets of a player in a world.

pub mod clientbound;
mod parts;
pub mod serverbound;
mod shapes;

pub use parts::*;
pub use shapes::{Cloud, MapPatch, Particles, Window, WindowFrame};
