//! Minecraft Java Edition 1.12.2, protocol 340 (minecraft.md).
//!
//! ```text
//!                                client                                   server
//! handshaking   Reception          | -- Handshake: 1 status, 2 login ------> |
//! status        Description        | -- Request ---------------------------> |
//!                                  | <------------------ Response: JSON ---- |
//!                                  | -- Ping, Pong: the same number -------> |
//! login         Next::Login        | -- Login Start: a name ---------------> |
//!               idle::Session      | <-- Set Compression, Login Success ---- |
//! play          packets::play      | <------------- 33 and 80 kinds -------> |
//!
//! frame      +--------+-----------------------------+
//!            | length | body, or compressed body    |     numbers are big-endian
//!            +--------+-----------------------------+
//!                       id, fields                         see [`Framing`], [`packets`]
//! ```
//!
//! Old clients ping with a byte that begins no frame; [`Reception`] answers them, too. A service
//! moves bytes: it gives what was received to [`Reception`] until that answers neither
//! [`Next::More`] nor [`Next::MoreSoon`], and for [`Next::Login`] runs an [`idle::Session`] between
//! two connections.
//!
//! # Example
//!
//! ```
//! use samara::{
//!     buffer::Writer,
//!     minecraft::{Description, MAX_RESPONSE_FRAME, Next, Reception, VERSION},
//! };
//!
//! let description = Description {
//!     version: VERSION,
//!     online: 3,
//!     max: 100,
//!     sample: &[],
//!     motd: "Kaillera, too",
//!     favicon: None,
//! };
//! let mut reception = Reception::new();
//! let mut out = vec![0; MAX_RESPONSE_FRAME];
//! let mut writer = Writer::new(&mut out);
//! let asked = b"\x10\0\xD4\x02\x09localhost\x63\xDD\x01\x01\0";
//! let progress = reception.receive(asked, &description, &mut writer);
//! assert_eq!((progress.consumed, progress.next), (asked.len(), Next::More));
//! assert!(writer.written().ends_with(br#""description":{"text":"Kaillera, too"}}"#));
//! ```

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
    LEGACY_WAIT, LOGIN_WAIT, Next, PROTOCOL, Progress, Reception, VERSION, component, recognize,
    refuse, refuse_with,
};
pub use slot::{Item, Slot};
pub use status::{BadFavicon, Description, Favicon, MAX_DESCRIPTION, MAX_RESPONSE_FRAME, Sample};
pub use text::{Bytes, Json, LongText, Rest, Text};
pub use zlib::Zlib;

#[cfg(test)]
mod tests;
