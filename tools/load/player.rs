//! A player without a socket: logs in, opens or enters a room, gets ready, plays.

use samara::{
    buffer::Full,
    kaillera::{
        Client, DecodeError, Kind, MAX_DATAGRAM,
        client::{Event, Habits},
        message::{ClientMessage, ConnectionType, GameId, MAX_INPUT, ServerMessage},
    },
};

/// What a client says first, from whatever port.
pub(crate) const HELLO: &[u8] = b"HELLO0.83\0";

/// Longest datagram a player sends.
const LONGEST: usize = MAX_DATAGRAM + MAX_INPUT;

/// Where in a datagram the kind of its newest message is (kaillera.md 2.1).
const KIND_OF_NEWEST: usize = 5;

/// One player's link and what it has to do by itself: answer acks, get ready when told to start.
#[derive(Debug)]
pub(crate) struct Player {
    client: Client,
    name: Vec<u8>,
    connection_type: ConnectionType,
    /// What it writes its datagrams into.
    datagram: Box<[u8]>,
}

/// What a player is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told<'a> {
    /// The server let it in.
    LoggedIn,
    /// The room it asked for is open.
    Opened(GameId),
    /// It is in the room.
    Entered,
    /// Its game starts; the player has said by itself that it is ready.
    Starts {
        /// Frame delay in messages.
        delay: u16,
    },
    /// Everybody is ready: the first input is due.
    Go,
    /// The inputs of one message of each player.
    Frames(&'a [u8]),
    /// What came before is lost, or named a cache entry that does not exist.
    Lost(u16),
    /// A line of the server itself, or in the room.
    Line(&'a [u8]),
    /// A line in the lobby.
    Chat(&'a [u8]),
    /// Nothing that was not told before.
    Nothing,
    /// It is no longer in its game, its room or on the server, or was never let in.
    Out,
}

impl Player {
    /// A player that has said nothing yet.
    pub(crate) fn new(name: &[u8], connection_type: ConnectionType) -> Self {
        Self {
            client: Client::new(Habits::default()),
            name: name.to_vec(),
            connection_type,
            datagram: vec![0; LONGEST].into_boxed_slice(),
        }
    }

    /// Asks to log in.
    pub(crate) fn log_in(&mut self, send: impl FnMut(&[u8])) -> Result<(), Full> {
        let name = std::mem::take(&mut self.name);
        let message = ClientMessage::UserInformation {
            name: &name,
            emulator: b"samara-load",
            connection_type: self.connection_type,
        };
        let said = self.say(&message, send);
        self.name = name;
        said
    }

    /// Says one message.
    pub(crate) fn say(
        &mut self,
        message: &ClientMessage<'_>,
        mut send: impl FnMut(&[u8]),
    ) -> Result<(), Full> {
        let length = self.client.send(message, &mut self.datagram)?;
        send(self.datagram.get(..length).unwrap_or_default());
        Ok(())
    }

    /// Sends the inputs of one message.
    pub(crate) fn play(&mut self, input: &[u8], mut send: impl FnMut(&[u8])) -> Result<(), Full> {
        let length = self.client.send_input(input, &mut self.datagram)?;
        send(self.datagram.get(..length).unwrap_or_default());
        Ok(())
    }

    /// Whether what it sent last were inputs that travelled as one byte.
    pub(crate) fn sent_index(&self) -> bool {
        self.datagram.get(KIND_OF_NEWEST) == Some(&(Kind::CachedGameData as u8))
    }

    /// Sends the last datagram again, as clients do that wait for too long.
    pub(crate) fn repeat(&mut self, mut send: impl FnMut(&[u8])) {
        if let Some(length) = self.client.write_last(&mut self.datagram) {
            send(self.datagram.get(..length).unwrap_or_default());
        }
    }

    /// Takes a datagram: answers what a client answers by itself and passes on the rest.
    pub(crate) fn receive(
        &mut self,
        datagram: &[u8],
        mut send: impl FnMut(&[u8]),
        mut each: impl FnMut(Told<'_>),
    ) -> Result<(), DecodeError> {
        let mut acks = 0;
        let mut starts = false;
        let name = self.name.as_slice();
        let received = self.client.receive(datagram, |event| match event {
            Event::Message(ServerMessage::ServerAck) => acks += 1,
            event => {
                if let Some(told) = told(name, event) {
                    starts |= matches!(told, Told::Starts { .. });
                    each(told);
                }
            }
        });
        let answers = std::iter::repeat_n(ClientMessage::ClientAck, acks)
            .chain(starts.then_some(ClientMessage::AllReady));
        for answer in answers {
            // Neither is longer than a datagram.
            let _ = self.say(&answer, &mut send);
        }
        if received? == 0 {
            each(Told::Nothing);
        }
        Ok(())
    }
}

fn told<'a>(me: &[u8], event: Event<'a>) -> Option<Told<'a>> {
    let message = match event {
        Event::Frames(input) => return Some(Told::Frames(input)),
        Event::Missed(count) => return Some(Told::Lost(count)),
        Event::BadIndex(_) => return Some(Told::Lost(1)),
        Event::Message(message) => message,
    };
    match message {
        ServerMessage::UserJoined { name, .. } if name == me => Some(Told::LoggedIn),
        ServerMessage::CreateGame { owner, game, .. } if owner == me => Some(Told::Opened(game)),
        ServerMessage::JoinGame { name, .. } if name == me => Some(Told::Entered),
        ServerMessage::StartGame { delay, .. } => Some(Told::Starts { delay }),
        ServerMessage::AllReady => Some(Told::Go),
        ServerMessage::Chat { text, .. } => Some(Told::Chat(text)),
        ServerMessage::GameChat { text, .. } | ServerMessage::InformationMessage { text, .. } => {
            Some(Told::Line(text))
        }
        ServerMessage::PlayerDrop { name, .. }
        | ServerMessage::QuitGame { name, .. }
        | ServerMessage::Quit { name, .. }
            if name == me =>
        {
            Some(Told::Out)
        }
        ServerMessage::ConnectionRejected { .. } => Some(Told::Out),
        _ => None,
    }
}
