//! The driver: clients that each have one input under way.

use crate::{
    player::{HELLO, Player, Told},
    wire::{Outgoing, Wire},
};
use samara::{
    buffer::Writer,
    kaillera::{
        Kind,
        bundle::{BundleWriter, MessageNumber},
        message::{ClientMessage, ConnectionType, GameId},
    },
};
use std::{
    collections::VecDeque,
    io,
    net::SocketAddr,
    time::{Duration, Instant},
};

/// The network of the clients' addresses.
const NETWORK: u8 = 200;
/// Messages in each datagram, as most clients send them.
const REDUNDANCY: usize = 3;
/// Bytes of input per message.
const INPUT: usize = 4;
/// Inputs in ten that are new; the others are the last new one, which is in every cache.
const NEW: u64 = 3;
/// Entries of an input cache (kaillera.md 8.2).
const CACHE: u64 = 256;
/// For anything that normally takes no time at all.
const PATIENCE: Duration = Duration::from_secs(30);

/// Clients that each have one input under way.
pub(crate) struct Clients {
    wire: Wire,
    hands: Vec<Hand>,
}

/// What a client has sent, as far as the next datagram needs it.
struct Hand {
    next: u16,
    newest_answer: u16,
    last: VecDeque<([u8; INPUT + 4], usize)>,
    cached: u64,
    dice: u64,
    /// Messages it may still send.
    left: u32,
}

/// How one turn of play went.
pub(crate) struct Played {
    pub(crate) answers: u64,
    pub(crate) bytes: u64,
    pub(crate) time: Duration,
}

impl Played {
    pub(crate) fn answer_length(&self) -> usize {
        (self.bytes / self.answers.max(1)) as usize
    }
}

impl Clients {
    /// Clients that nobody knows, for an echo.
    pub(crate) fn without_games(to: SocketAddr, clients: usize) -> io::Result<Self> {
        Ok(Self {
            wire: Wire::new(to, NETWORK, clients)?,
            hands: (0..clients as u64)
                .map(|n| Hand::new(n, 0, u16::MAX))
                .collect(),
        })
    }

    /// Clients whose games have begun, two in each.
    pub(crate) fn in_games(to: SocketAddr, clients: usize) -> io::Result<Self> {
        let mut lobby = Lobby::new(to, clients)?;
        lobby.wait("logins", |guest| guest.in_lobby)?;
        for owner in (0..clients).step_by(2) {
            lobby.say(owner, &ClientMessage::CreateGame { rom: b"bench" });
        }
        lobby.wait("rooms", |guest| !guest.owns || guest.game.is_some())?;
        for owner in (0..clients).step_by(2) {
            if let Some(game) = lobby.guests.get(owner).and_then(|guest| guest.game) {
                lobby.say(owner + 1, &ClientMessage::JoinGame { game });
            }
        }
        lobby.wait("members", |guest| guest.in_room)?;
        for owner in (0..clients).step_by(2) {
            lobby.say(owner, &ClientMessage::StartGame);
        }
        lobby.wait("starts", |guest| guest.plays)?;
        let hands = lobby.guests.iter().zip(0..);
        let hands = hands.map(|(guest, n)| Hand::new(n, guest.said, guest.newest));
        Ok(Self {
            hands: hands.collect(),
            wire: lobby.wire,
        })
    }

    /// Lets every client send so many messages, the next one when the last is answered.
    pub(crate) fn play(&mut self, messages: u32) -> io::Result<Played> {
        let Self { wire, hands } = self;
        for (index, hand) in hands.iter_mut().enumerate() {
            hand.left = messages.saturating_sub(1);
            wire.outgoing().queue(index, |buffer| hand.write(buffer));
        }
        let start = Instant::now();
        let all = u64::from(messages) * hands.len() as u64;
        let mut played = Played {
            answers: 0,
            bytes: 0,
            time: Duration::ZERO,
        };
        while played.answers < all {
            turn(wire, |index, datagram, out| {
                if let Some(hand) = hands.get_mut(index)
                    && hand.is_news(datagram)
                {
                    played.answers += 1;
                    played.bytes += datagram.len() as u64;
                    if hand.left > 0 {
                        hand.left -= 1;
                        out.queue(index, |buffer| hand.write(buffer));
                    }
                }
            })?;
        }
        played.time = start.elapsed();
        Ok(played)
    }
}

impl Hand {
    fn new(seed: u64, next: u16, newest_answer: u16) -> Self {
        Self {
            next,
            newest_answer,
            last: VecDeque::with_capacity(REDUNDANCY + 1),
            cached: 0,
            left: 0,
            dice: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        }
    }

    /// Whether a datagram brings new frames. What an echo sends back has the client's own
    /// number and kind, which is as good.
    fn is_news(&mut self, datagram: &[u8]) -> bool {
        let &[_, low, high, _, _, kind, ..] = datagram else {
            return false;
        };
        let number = u16::from_le_bytes([low, high]);
        if !matches!(number.wrapping_sub(self.newest_answer), 1..0x8000) {
            return false;
        }
        self.newest_answer = number;
        kind == Kind::GameData as u8 || kind == Kind::CachedGameData as u8
    }

    /// Writes the next input behind the last two.
    fn write(&mut self, buffer: &mut [u8]) -> usize {
        let mut message = [0; INPUT + 4];
        let mut writer = Writer::new(&mut message);
        let roll = self.roll();
        let input = (roll as u32).to_le_bytes();
        let said = if self.cached == 0 || (roll >> 40) % 10 < NEW {
            self.cached += 1;
            ClientMessage::GameData { input: &input }
        } else {
            let index = (self.cached.min(CACHE) - 1) as u8;
            ClientMessage::CachedGameData { index }
        };
        if said.encode(&mut writer).is_err() {
            return 0;
        }
        let length = writer.len();
        self.last.push_front((message, length));
        self.last.truncate(REDUNDANCY);
        let mut bundle = BundleWriter::new(buffer);
        for (age, (message, length)) in (0..).zip(&self.last) {
            let number = MessageNumber(self.next.wrapping_sub(age));
            let message = message.get(..*length).unwrap_or_default();
            if bundle.push(number, message).is_err() {
                break;
            }
        }
        self.next = self.next.wrapping_add(1);
        bundle.finish()
    }

    fn roll(&mut self) -> u64 {
        self.dice = self
            .dice
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            .wrapping_add(1);
        self.dice ^ (self.dice >> 29)
    }
}

/// Clients on their way into a game.
struct Lobby {
    wire: Wire,
    guests: Vec<Guest>,
}

struct Guest {
    player: Player,
    owns: bool,
    in_lobby: bool,
    game: Option<GameId>,
    in_room: bool,
    plays: bool,
    /// Messages sent, and the newest number received.
    said: u16,
    newest: u16,
}

impl Lobby {
    fn new(to: SocketAddr, clients: usize) -> io::Result<Self> {
        let guests = (0..clients).map(|n| Guest {
            player: Player::new(format!("client {n}").as_bytes(), ConnectionType::Lan),
            owns: n % 2 == 0,
            in_lobby: false,
            game: None,
            in_room: false,
            plays: false,
            said: 0,
            newest: 0,
        });
        let mut lobby = Self {
            wire: Wire::new(to, NETWORK, clients)?,
            guests: guests.collect(),
        };
        for index in 0..clients {
            lobby.wire.outgoing().send(index, HELLO);
        }
        let mut welcome = 0;
        while welcome < clients {
            turn(&mut lobby.wire, |_, _, _| welcome += 1)?;
        }
        for (index, guest) in lobby.guests.iter_mut().enumerate() {
            let out = lobby.wire.outgoing();
            guest.said += 1;
            let _ = guest.player.log_in(|datagram| out.send(index, datagram));
        }
        Ok(lobby)
    }

    fn say(&mut self, index: usize, message: &ClientMessage<'_>) {
        if let Some(guest) = self.guests.get_mut(index) {
            let out = self.wire.outgoing();
            guest.said += 1;
            let _ = guest
                .player
                .say(message, |datagram| out.send(index, datagram));
        }
    }

    fn wait(&mut self, what: &str, done: impl Fn(&Guest) -> bool) -> io::Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while !self.guests.iter().all(&done) {
            if Instant::now() > deadline {
                return Err(io::Error::other(format!("waited in vain for {what}")));
            }
            let guests = &mut self.guests;
            turn(&mut self.wire, |index, datagram, out| {
                if let Some(guest) = guests.get_mut(index) {
                    guest.hear(datagram, |datagram| out.send(index, datagram));
                }
            })?;
        }
        Ok(())
    }
}

/// Sends what waits and hands out what comes, which is not nothing.
fn turn(wire: &mut Wire, mut each: impl FnMut(usize, &[u8], &mut Outgoing)) -> io::Result<()> {
    wire.flush();
    let start = Instant::now();
    let mut came = false;
    while !came {
        wire.receive(PATIENCE, |index, datagram, out| {
            came = true;
            each(index, datagram, out);
        })?;
        if start.elapsed() >= PATIENCE {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
    Ok(())
}

impl Guest {
    fn hear(&mut self, datagram: &[u8], mut send: impl FnMut(&[u8])) {
        if let &[_, low, high, ..] = datagram {
            self.newest = u16::from_le_bytes([low, high]);
        }
        let said = &mut self.said;
        let answer = |datagram: &[u8]| {
            *said += 1;
            send(datagram);
        };
        let (in_lobby, game) = (&mut self.in_lobby, &mut self.game);
        let (in_room, plays) = (&mut self.in_room, &mut self.plays);
        let _ = self.player.receive(datagram, answer, |told| match told {
            Told::LoggedIn => *in_lobby = true,
            Told::Opened(new) => *game = Some(new),
            Told::Entered => *in_room = true,
            Told::Go => *plays = true,
            _ => {}
        });
    }
}
