//! A client on its way into a server: greets it, follows it to the port it names, logs in.

use crate::{
    player::{HELLO, Player, Told},
    wire::Outgoing,
};
use samara::kaillera::{
    connect::{self, Reply},
    message::{ClientMessage, ConnectionType},
};
use std::time::Duration;

/// Who waits for an answer says again what it said last when nothing comes for so long.
pub(crate) const SILENCE: Duration = Duration::from_secs(2);

/// One client and how far it is.
#[derive(Debug)]
pub(crate) struct Visitor {
    client: usize,
    player: Player,
    stage: Stage,
}

/// How far a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Outside,
    Knocking,
    LoggingIn,
    Inside,
    /// Sent away, or never let in.
    Gone,
}

/// What a datagram was worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    News,
    /// Nothing in it was new.
    Again,
    /// It was no message of a server's.
    Malformed,
}

impl Visitor {
    /// The client at position `client` of its wire.
    pub(crate) fn new(client: usize, name: &str, connection_type: ConnectionType) -> Self {
        Self {
            client,
            player: Player::new(name.as_bytes(), connection_type),
            stage: Stage::Outside,
        }
    }

    pub(crate) fn stage(&self) -> Stage {
        self.stage
    }

    pub(crate) fn is_inside(&self) -> bool {
        self.stage == Stage::Inside
    }

    /// Says what it has to say when nothing came for [`SILENCE`], the first time included.
    pub(crate) fn nudge(&mut self, out: &mut Outgoing) {
        match self.stage {
            Stage::Gone => {}
            Stage::Outside | Stage::Knocking => {
                self.stage = Stage::Knocking;
                out.start_over(self.client);
                out.send(self.client, HELLO);
            }
            Stage::LoggingIn | Stage::Inside => {
                let client = self.client;
                self.player.repeat(|datagram| out.send(client, datagram));
            }
        }
    }

    /// Says one message.
    pub(crate) fn say(&mut self, message: &ClientMessage<'_>, out: &mut Outgoing) {
        let client = self.client;
        // Nothing said here is longer than a datagram.
        let _ = self
            .player
            .say(message, |datagram| out.send(client, datagram));
    }

    /// Sends the inputs of one message; says whether they travelled as one byte.
    pub(crate) fn play(&mut self, input: &[u8], out: &mut Outgoing) -> bool {
        let client = self.client;
        // An input is shorter than a datagram.
        let _ = self
            .player
            .play(input, |datagram| out.send(client, datagram));
        self.player.sent_index()
    }

    /// Says goodbye, if anybody would hear it.
    pub(crate) fn leave(&mut self, out: &mut Outgoing) -> bool {
        let is_known = matches!(self.stage, Stage::LoggingIn | Stage::Inside);
        if is_known {
            self.say(&ClientMessage::Quit { message: b"" }, out);
        }
        is_known
    }

    /// Takes a datagram and passes on what it says, once the client has an ear for it.
    pub(crate) fn receive(
        &mut self,
        datagram: &[u8],
        out: &mut Outgoing,
        mut each: impl FnMut(Told<'_>),
    ) -> Heard {
        let is_reply = matches!(datagram.first(), Some(b'H' | b'P' | b'T' | b'V'));
        match (self.stage, is_reply) {
            (Stage::Outside | Stage::Gone, _) | (Stage::Knocking, false) => Heard::Again,
            (Stage::Knocking, true) => {
                self.knock_answered(datagram, out, each);
                Heard::News
            }
            // An answer to a greeting that was repeated.
            (Stage::LoggingIn | Stage::Inside, true) => Heard::Again,
            (Stage::LoggingIn | Stage::Inside, false) => {
                let (client, stage) = (self.client, &mut self.stage);
                let mut heard = Heard::News;
                let received = self.player.receive(
                    datagram,
                    |answer| out.send(client, answer),
                    |told| {
                        match told {
                            Told::LoggedIn => *stage = Stage::Inside,
                            Told::Out => *stage = Stage::Gone,
                            Told::Nothing => heard = Heard::Again,
                            _ => {}
                        }
                        each(told);
                    },
                );
                received.map_or(Heard::Malformed, |()| heard)
            }
        }
    }

    fn knock_answered(
        &mut self,
        datagram: &[u8],
        out: &mut Outgoing,
        mut each: impl FnMut(Told<'_>),
    ) {
        match connect::parse_reply(datagram) {
            Some(Reply::Port(port)) => {
                self.stage = Stage::LoggingIn;
                let client = self.client;
                out.follow(client, port);
                // A login is shorter than a datagram.
                let _ = self.player.log_in(|datagram| out.send(client, datagram));
            }
            Some(Reply::Full | Reply::WrongVersion) => {
                self.stage = Stage::Gone;
                each(Told::Out);
            }
            Some(Reply::Pong) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Wire;
    use samara::{
        buffer::Writer,
        kaillera::{
            bundle::{Bundle, BundleWriter, MessageNumber},
            message::{ServerMessage, UserId},
        },
    };
    use std::net::{SocketAddr, UdpSocket};

    fn bind() -> (UdpSocket, SocketAddr) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let patience = Duration::from_secs(20);
        socket.set_read_timeout(Some(patience)).unwrap();
        let address = socket.local_addr().unwrap();
        (socket, address)
    }

    /// What the next datagrams are worth, as many of them.
    fn hear(wire: &mut Wire, visitor: &mut Visitor, datagrams: usize) -> Vec<Heard> {
        let mut heard = Vec::new();
        while heard.len() < datagrams {
            let each = |_, datagram: &[u8], out: &mut Outgoing| {
                heard.push(visitor.receive(datagram, out, |_| {}));
            };
            wire.receive(Duration::from_millis(50), each).unwrap();
        }
        wire.flush();
        heard
    }

    /// What a server says to somebody it lets in.
    fn welcome() -> Vec<u8> {
        let mut message = [0; 64];
        let mut writer = Writer::new(&mut message);
        let joined = ServerMessage::UserJoined {
            name: b"somebody",
            id: UserId(1),
            ping: 1,
            connection_type: ConnectionType::Lan,
        };
        joined.encode(&mut writer).unwrap();
        let mut datagram = [0; 128];
        let mut bundle = BundleWriter::new(&mut datagram);
        bundle.push(MessageNumber(0), writer.written()).unwrap();
        let length = bundle.finish();
        datagram[..length].to_vec()
    }

    #[test]
    fn goes_where_the_server_says() {
        let ((public, to), (private, private_address)) = (bind(), bind());
        let mut wire = Wire::new(to, 241, 1).unwrap();
        let mut visitor = Visitor::new(0, "somebody", ConnectionType::Lan);
        visitor.nudge(wire.outgoing());
        wire.flush();
        let mut buffer = [0; 512];
        let (length, peer) = public.recv_from(&mut buffer).unwrap();
        assert_eq!(&buffer[..length], HELLO);
        let reply = format!("HELLOD00D{}\0", private_address.port());
        public.send_to(reply.as_bytes(), peer).unwrap();
        public.send_to(reply.as_bytes(), peer).unwrap();
        let heard = hear(&mut wire, &mut visitor, 2);
        assert_eq!(
            heard,
            [Heard::News, Heard::Again],
            "the second says nothing"
        );

        let (length, peer) = private.recv_from(&mut buffer).unwrap();
        let login = Bundle::parse(&buffer[..length]).unwrap();
        assert_eq!(login.newest(), MessageNumber(0));
        assert_eq!(visitor.stage(), Stage::LoggingIn);
        for datagram in [&welcome()[..], &welcome(), b"\x01\x00"] {
            private.send_to(datagram, peer).unwrap();
        }
        let heard = hear(&mut wire, &mut visitor, 3);
        assert_eq!(heard, [Heard::News, Heard::Again, Heard::Malformed]);
        assert!(visitor.is_inside());

        assert!(visitor.leave(wire.outgoing()));
        wire.flush();
        let (length, _) = private.recv_from(&mut buffer).unwrap();
        assert_eq!(Bundle::parse(&buffer[..length]).unwrap().len(), 2);
    }

    #[test]
    fn a_full_server_is_left() {
        let (public, to) = bind();
        let mut wire = Wire::new(to, 242, 1).unwrap();
        let mut visitor = Visitor::new(0, "somebody", ConnectionType::Lan);
        visitor.nudge(wire.outgoing());
        wire.flush();
        let (_, peer) = public.recv_from(&mut [0; 64]).unwrap();
        public.send_to(connect::TOO, peer).unwrap();
        hear(&mut wire, &mut visitor, 1);
        assert_eq!(visitor.stage(), Stage::Gone);
        assert!(!visitor.leave(wire.outgoing()));
    }
}
