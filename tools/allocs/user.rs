//! A user on a socket: the library's client, and the patience of somebody who waits for it.

use crate::player::{HELLO, Player, Told};
use samara::{
    buffer::Full,
    kaillera::{
        connect,
        message::{ClientMessage, ConnectionType},
    },
    service::kaillera::FRAME_SIZE,
};
use std::{
    fmt, io,
    net::{Ipv4Addr, SocketAddr, UdpSocket},
    time::Duration,
};

/// For anything that normally takes no time at all.
const PATIENCE: Duration = Duration::from_secs(20);
/// The same for the server's answer to a Quit, which can be lost.
const LAST_WORD: Duration = Duration::from_secs(2);
/// How often a user listens for it: who talks faster than it is heard loses the Quit itself.
const LAST_WORDS: usize = 3;

/// What went wrong, in words.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                Self("the server does not answer".into())
            }
            _ => Self(format!("the socket to the server: {error}")),
        }
    }
}

/// A player and its socket, which is connected to the server.
#[derive(Debug)]
pub(crate) struct User {
    player: Player,
    socket: UdpSocket,
    datagram: Box<[u8]>,
}

impl User {
    /// A user that is logged in, from a port of its own.
    pub(crate) fn log_in(to: SocketAddr, name: &str) -> Result<Self, Failure> {
        let mut user = Self::knock(to, name)?;
        user.enter()?;
        Ok(user)
    }

    /// A user that has said who it is and not yet been let in.
    pub(crate) fn knock(to: SocketAddr, name: &str) -> Result<Self, Failure> {
        let mut user = Self {
            player: Player::new(name.as_bytes(), ConnectionType::Lan),
            socket: socket(to)?,
            datagram: vec![0; FRAME_SIZE].into_boxed_slice(),
        };
        user.socket.send(HELLO)?;
        let length = user.socket.recv(&mut user.datagram)?;
        let answer = user.datagram.get(..length).unwrap_or_default();
        match connect::parse_reply(answer) {
            Some(connect::Reply::Port(port)) if port == to.port() => {}
            other => return Err(Failure(format!("a hello was answered by {other:?}"))),
        }
        user.send(|player, send| player.log_in(send))?;
        Ok(user)
    }

    /// Waits to be let in.
    pub(crate) fn enter(&mut self) -> Result<(), Failure> {
        self.wait_for(|told| matches!(told, Told::LoggedIn).then_some(()))
    }

    /// Says one message.
    pub(crate) fn say(&mut self, message: &ClientMessage<'_>) -> Result<(), Failure> {
        self.send(|player, send| player.say(message, send))
    }

    /// Sends the inputs of one message.
    pub(crate) fn play(&mut self, input: &[u8]) -> Result<(), Failure> {
        self.send(|player, send| player.play(input, send))
    }

    /// Receives until one of the things told is what is waited for.
    pub(crate) fn wait_for<T>(
        &mut self,
        mut wanted: impl FnMut(Told<'_>) -> Option<T>,
    ) -> Result<T, Failure> {
        let mut found = None;
        loop {
            self.receive(|told| found = found.take().or_else(|| wanted(told)))?;
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }

    /// Receives one datagram.
    pub(crate) fn receive(&mut self, each: impl FnMut(Told<'_>)) -> Result<(), Failure> {
        let length = self.socket.recv(&mut self.datagram)?;
        self.hear(length, each)
    }

    /// Receives what has come, and waits for nothing; says whether there was something.
    pub(crate) fn catch_up(&mut self) -> Result<bool, Failure> {
        self.socket.set_nonblocking(true)?;
        let mut some = false;
        let caught_up = loop {
            match self.socket.recv(&mut self.datagram) {
                Ok(length) => match self.hear(length, |_| {}) {
                    Ok(()) => some = true,
                    Err(failure) => break Err(failure),
                },
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break Ok(some),
                Err(error) => break Err(error.into()),
            }
        };
        self.socket.set_nonblocking(false)?;
        caught_up
    }

    /// Quits, and listens until the server says so too; says it again if it does not. Its answer
    /// can be lost: whether the session is gone is for the server to tell.
    pub(crate) fn log_out(mut self) -> Result<(), Failure> {
        self.say(&ClientMessage::Quit { message: b"" })?;
        self.socket.set_read_timeout(Some(LAST_WORD))?;
        let mut out = false;
        for _ in 0..LAST_WORDS {
            while !out
                && self
                    .receive(|told| out |= matches!(told, Told::Out))
                    .is_ok()
            {}
            if out {
                break;
            }
            self.send(|player, send| {
                player.repeat(send);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn hear(&mut self, length: usize, mut each: impl FnMut(Told<'_>)) -> Result<(), Failure> {
        let mut lost = None;
        let each = |told: Told<'_>| match told {
            Told::Lost(count) => lost = Some(count),
            told => each(told),
        };
        let mut heard = Ok(());
        let datagram = self.datagram.get(..length).unwrap_or_default();
        let said = answering(&self.socket, |send| {
            heard = self.player.receive(datagram, send, each);
        });
        heard.map_err(|error| Failure(format!("a datagram of the server: {error}")))?;
        match lost {
            None => Ok(said?),
            Some(count) => Err(Failure(format!("{count} messages of the server are lost"))),
        }
    }

    fn send(
        &mut self,
        act: impl FnOnce(&mut Player, &mut dyn FnMut(&[u8])) -> Result<(), Full>,
    ) -> Result<(), Failure> {
        let mut fits = Ok(());
        answering(&self.socket, |send| fits = act(&mut self.player, send))?;
        fits.map_err(|Full| Failure("a message is longer than a datagram".into()))
    }
}

/// Sends what `act` has to say; fails as its first datagram that could not leave.
fn answering(socket: &UdpSocket, act: impl FnOnce(&mut dyn FnMut(&[u8]))) -> io::Result<()> {
    let mut sent = Ok(());
    act(&mut |datagram| {
        if sent.is_ok() {
            sent = socket.send(datagram).map(drop);
        }
    });
    sent
}

/// A socket for talking to `to`, whose reads give up in the end.
pub(crate) fn socket(to: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.connect(to)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    Ok(socket)
}
