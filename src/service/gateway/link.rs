//! Two streams that have been joined: what comes out of one goes into the other, unread as far as
//! that is possible (maple.md 13.2).

use crate::maple::{
    Codec, DecodeError, Decoded, Decoder, Direction, Encoder, Exchange, HEADER_LEN, Hello, Iv,
    Lookahead, Migration, Migrations, RelayError, Relayed,
};
use std::{net::SocketAddrV4, ops::RangeInclusive};

/// Which packets of clients pass, by opcode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// All of them.
    #[default]
    All,
    /// These only.
    Allow(Vec<u16>),
    /// All but these.
    Deny(Vec<u16>),
}

impl Filter {
    fn passes(&self, opcode: u16) -> bool {
        match self {
            Self::All => true,
            Self::Allow(list) => list.contains(&opcode),
            Self::Deny(list) => !list.contains(&opcode),
        }
    }
}

/// What is looked for in packets.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Packets that send a client elsewhere.
    pub migrations: Migrations,
    /// Packets of clients that pass.
    pub filter: Filter,
    /// Lengths of payloads that a client may send.
    pub lengths: RangeInclusive<usize>,
    /// Keystreams made before their packets, on each of a link's four streams.
    pub lookahead: Lookahead,
}

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is the other side's now, in place, or will be when the exchange has run.
    Passed,
    /// It goes no further.
    Dropped,
    /// The connection it came from cannot go on.
    Broken(DecodeError),
}

/// Our end of a client's connection.
#[derive(Debug)]
pub struct ClientEnd {
    decoder: Decoder,
    encoder: Encoder,
}

impl ClientEnd {
    /// Speaks with a client that was sent these IVs.
    pub fn new(codec: &Codec, rules: &Rules, to_server: Iv, to_client: Iv) -> Self {
        let decoder = codec.decoder(Direction::ToServer, to_server);
        let encoder = codec.encoder(Direction::ToClient, to_client);
        Self {
            decoder: decoder
                .accepting(rules.lengths.clone())
                .looking_ahead(rules.lookahead),
            encoder: encoder.looking_ahead(rules.lookahead),
        }
    }

    /// How long the frame at the front of `received` is, if it is there whole.
    pub fn frame_len(&self, received: &[u8]) -> Result<Option<usize>, DecodeError> {
        let announced = self.decoder.header(received)?;
        let len = announced.map(|it| it.header_len + it.len);
        Ok(len.filter(|&len| len <= received.len()))
    }

    /// The opcode of the packet at the front of `received`, which stays as it is.
    pub fn peek_opcode(&self, received: &[u8]) -> Result<Option<u16>, DecodeError> {
        self.decoder.peek_opcode(received)
    }

    /// Reads a copy of the packet at the front of `frame`; the stream stays where it is.
    pub fn read_copy<'b>(&self, codec: &Codec, frame: &'b mut [u8]) -> Option<&'b [u8]> {
        let mut decoder = codec.decoder(Direction::ToServer, self.decoder.iv());
        match decoder.decode(frame) {
            Ok(Decoded::Packet { payload, .. }) => Some(payload),
            _ => None,
        }
    }
}

/// A client joined with a server.
#[derive(Debug)]
pub struct Link {
    client: ClientEnd,
    from_server: Decoder,
    to_server: Encoder,
}

impl Link {
    /// Joins a client with the server that said `hello`.
    pub fn new(codec: &Codec, rules: &Rules, client: ClientEnd, hello: &Hello<'_>) -> Self {
        let from_server = codec.decoder(Direction::ToClient, hello.to_client);
        let to_server = codec.encoder(Direction::ToServer, hello.to_server);
        Self {
            client,
            from_server: from_server.looking_ahead(rules.lookahead),
            to_server: to_server.looking_ahead(rules.lookahead),
        }
    }

    /// Bytes of the frame at the front of what `direction`'s sender sent, if it is there whole,
    /// and the IV it was made with.
    pub fn front(
        &self,
        direction: Direction,
        received: &[u8],
    ) -> Result<Option<(usize, Iv)>, DecodeError> {
        let decoder = match direction {
            Direction::ToServer => &self.client.decoder,
            Direction::ToClient => &self.from_server,
        };
        let announced = decoder.header(received)?;
        let len = announced.map(|it| it.header_len + it.len);
        let len = len.filter(|&len| len <= received.len());
        Ok(len.map(|len| (len, decoder.iv())))
    }

    /// Passes on a packet of the client: `frame` is what [`Link::front`] found.
    pub fn to_server<'b>(
        &mut self,
        rules: &Rules,
        frame: &'b mut [u8],
        exchange: &mut Exchange<'b>,
    ) -> Step {
        let decoder = &mut self.client.decoder;
        if rules.filter != Filter::All {
            match decoder.peek_opcode(frame) {
                Ok(Some(opcode)) if !rules.filter.passes(opcode) => {
                    return match decoder.decode(frame) {
                        Ok(_) => Step::Dropped,
                        Err(error) => Step::Broken(error),
                    };
                }
                Ok(_) => {}
                Err(error) => return Step::Broken(error),
            }
        }
        pass(decoder, &mut self.to_server, frame, exchange)
    }

    /// Passes on a packet of the server: `frame` is what [`Link::front`] found. If it sends the
    /// client to another server, `redirect` is asked where it shall be sent instead; `None`
    /// leaves the packet as it is.
    pub fn to_client<'b>(
        &mut self,
        rules: &Rules,
        frame: &'b mut [u8],
        exchange: &mut Exchange<'b>,
        redirect: impl FnOnce(Migration) -> Option<SocketAddrV4>,
    ) -> Step {
        let decoder = &mut self.from_server;
        let encoder = &mut self.client.encoder;
        let migrations = &rules.migrations;
        let opcode = match migrations.can_be(frame.len().saturating_sub(HEADER_LEN)) {
            true => decoder.peek_opcode(frame).ok().flatten(),
            false => None,
        };
        if !opcode.is_some_and(|opcode| migrations.is_opcode(opcode)) {
            return pass(decoder, encoder, frame, exchange);
        }
        match decoder.decode(frame) {
            Ok(Decoded::Packet { payload, .. }) => {
                if let Some(migration) = migrations.read(payload)
                    && let Some(public) = redirect(migration)
                {
                    migrations.redirect(payload, migration, public);
                }
            }
            Ok(Decoded::Incomplete { .. }) => return Step::Broken(DecodeError::TooShort),
            Err(error) => return Step::Broken(error),
        }
        match encoder.encode(frame) {
            Ok(()) => Step::Passed,
            // Both sides share a profile, so what one can say the other can.
            Err(_) => Step::Broken(DecodeError::TooLong),
        }
    }

    /// Makes all keystreams ahead that there may be.
    pub fn prefetch(&mut self) {
        self.client.decoder.prefetch();
        self.client.encoder.prefetch();
        self.from_server.prefetch();
        self.to_server.prefetch();
    }
}

fn pass<'b>(
    decoder: &mut Decoder,
    encoder: &mut Encoder,
    frame: &'b mut [u8],
    exchange: &mut Exchange<'b>,
) -> Step {
    match decoder.relay_in(exchange, encoder, frame) {
        Ok(Relayed::Frame { .. }) => Step::Passed,
        Ok(Relayed::Incomplete { .. }) => Step::Broken(DecodeError::TooShort),
        Err(RelayError::Decode(error)) => Step::Broken(error),
        // Both sides share a profile, so what one can say the other can.
        Err(_) => Step::Broken(DecodeError::TooLong),
    }
}
