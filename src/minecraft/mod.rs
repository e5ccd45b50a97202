//! Minecraft

#![forbid(unsafe_code)]

mod cipher;
mod error;
mod field;
mod frame;
pub mod fuzz;
pub mod idle;
mod legacy;
mod list;
mod login_name;
mod metadata;
mod nbt;
pub mod packets;
mod place;
mod reception;
mod slot;
mod status;
mod text;
mod zlib;

pub use cipher::{Decryptor, Encryptor, SharedSecret};
pub use error::{DecodeError, FrameError};
pub use field::{Field, MAX_BODY, VarInt, VarLong};
pub use frame::{Content, Frame, Framing, MAX_FRAME, Plain, Received};
pub use list::{Count, List};
pub use login_name::LoginName;
pub use metadata::{Entry, Metadata};
pub use nbt::{Nbt, OptNbt};
pub use packets::{Direction, Packet, State};
pub use place::{Angle, Position, Uuid};
pub use reception::{
    LEGACY_WAIT, LOGIN_WAIT, Next, PROTOCOL, Progress, Reception, VERSION, recognize, refuse,
    refuse_with,
};
pub use slot::{Item, Slot};
pub use status::{BadFavicon, Description, Favicon, MAX_DESCRIPTION, MAX_RESPONSE_FRAME, Sample};
pub use text::{Bytes, Json, LongText, Rest, Text};
pub use zlib::Zlib;

#[cfg(test)]
mod tests;
