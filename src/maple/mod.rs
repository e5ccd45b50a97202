//! The Maple stream: ciphers and framing of one TCP connection (maple.md).
//!
//! ```text
//! server                                                                   client
//!   | -- Hello, in clear: version, one IV per direction ---------------------> |
//!   | -- frame ------------ Direction::ToClient, its IV -----------------------> |
//!   | <------------------- Direction::ToServer, its IV -------------- frame -- |
//!
//! frame      0                4 (or 8)
//!          +----------------+----------------------------------+
//!          | Header         | AES stream( Shanda( payload ) )  |     payload = opcode, body
//!          +----------------+----------------------------------+
//!            shows half the IV    keystream of this packet's IV
//! ```
//!
//! Each direction has an [`Iv`] of its own, and each packet another: the shuffle of the one
//! before. Header, keystream and shuffle are one step of an [`Encoder`] or a [`Decoder`], so
//! frames must go out in the order they were made, and none may be left out.
//!
//! Clients differ in which layers they have, in keys and in the hello: a [`Profile`] says which,
//! [`VARIANTS`] lists them. The keys are public and the IVs go in clear: all this hides nothing
//! and proves nothing.
//!
//! # Example
//!
//! ```
//! use samara::{
//!     buffer::{Reader, Writer},
//!     maple::{Codec, Decoded, Direction, Hello, IvPolicy, Lanes, Profile, Release},
//! };
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let codec = Codec::new(Profile::GMS_83);
//!
//! // The server says hello and remembers both IVs; the client reads them.
//! let (to_server, to_client) = IvPolicy::Random.choose([7, 1, 200, 33, 90, 4, 77, 250]);
//! let mut greeting = [0; 16];
//! let mut writer = Writer::new(&mut greeting);
//! Hello {
//!     version: 83,
//!     release: Release::Patch(b"1"),
//!     to_server,
//!     to_client,
//!     locale: codec.profile().region.locale(),
//!     more: &[],
//! }
//! .write(&mut writer)?;
//! let (hello, _) = Hello::parse(codec.profile().hello, &greeting)?.ok_or("incomplete")?;
//! let mut server = codec.encoder(Direction::ToClient, to_client);
//! let mut client = codec.decoder(Direction::ToClient, hello.to_client);
//!
//! // A packet is written behind room for its header and encoded where it is.
//! let mut frame = [0; 4 + 2 + 4];
//! let mut writer = Writer::new(&mut frame[4..]);
//! writer.u16_le(0x11)?;
//! writer.i32_le(-5)?;
//! server.encode(&mut frame)?;
//!
//! // The receiver finds out its opcode without decoding it, then decodes it where it is.
//! assert_eq!(client.peek_opcode(&frame)?, Some(0x11));
//! let Decoded::Packet { payload, frame_len } = client.decode(&mut frame)? else {
//!     return Err("incomplete".into());
//! };
//! assert_eq!(frame_len, 10);
//! let mut reader = Reader::new(payload);
//! assert_eq!((reader.u16_le()?, reader.i32_le()?), (0x11, -5));
//!
//! // One packet to many: Shanda once, the keystreams side by side.
//! let mut lanes = Lanes::new(65_535);
//! let mut other = codec.encoder(Direction::ToClient, to_server);
//! let mut queues = [[0_u8; 64]; 2];
//! let [first, second] = &mut queues;
//! let mut recipients = [(&mut server, &mut first[..]), (&mut other, &mut second[..])];
//! assert_eq!(lanes.seal_many(&[0x11, 0], &mut recipients)?, 2);
//! let decoded = client.decode(&mut queues[0][..6])?;
//! assert!(matches!(decoded, Decoded::Packet { payload: [0x11, 0], .. }));
//! # Ok(())
//! # }
//! ```

mod ahead;
mod batch;
mod cache;
pub mod cipher;
mod codec;
mod decoder;
mod encoder;
mod error;
pub mod fuzz;
mod header;
mod hello;
mod iv;
mod key;
mod keystream;
mod lanes;
mod migration;
mod opcodes;
mod packet;
mod profile;
mod relay;
pub mod shanda;
mod shuffle;
mod text;
mod timestamp;
mod track;
mod wz;

pub use ahead::Lookahead;
pub use batch::{Lanes, Recipient};
pub use cache::KeystreamCache;
pub use codec::Codec;
pub use decoder::{Decoded, Decoder};
pub use encoder::Encoder;
pub use error::{DecodeError, EncodeError};
pub use header::{
    Announced, Direction, EXTENDED_MARKER, HEADER_LEN, Header, HeaderForm, MAX_HEADER_LEN,
};
pub use hello::{Hello, HelloError, Release};
pub use iv::{CYCLES, Iv, IvPolicy};
pub use key::{CYCLE, GMS_118_TO_148, Key, KeyList};
pub use keystream::{
    BLOCK, FIRST_CHUNK, FIRST_CHUNK_EXTENDED, KeySchedule, Keystream, MAX_BLOCKS, NEXT_CHUNK,
    StartBlock, blocks_needed,
};
pub use migration::{CharacterId, Migration, Migrations};
pub use opcodes::Opcodes;
pub use packet::{PacketPool, PacketWriter};
pub use profile::{HelloForm, IvUpdate, KMS_BETA, Layer, Profile, Region, VARIANTS, Variant};
pub use relay::{Exchange, KeystreamOf, RelayError, Relayed, rekey};
pub use text::{Charset, Hex, ReadMaple, WriteMaple};
pub use timestamp::{file_time, item_time, quest_time};
pub use wz::{WzKey, WzKeyTooLong, repeat_pattern};

#[cfg(test)]
mod tests;
