//! A modelled emulator and the person in front of it.
//!
//! ```text
//!  Off --> Pinging --> Hello --> LoggingIn --> Lobby <--> Room --> Loading --> Ready --> Playing
//!   ^                                            |          ^                              |
//!   +---- crash, quit, sent away, out of patience           +---- dropped, game over ------+
//! ```

mod connect;
mod lobby;
mod play;

use crate::{
    network::{Datagram, SERVER},
    rng::Rng,
    streams::{Part, Streams},
    view::View,
};
use play::Run;
use samara::{
    kaillera::{
        Kind,
        client::{Client, Event, Habits},
        message::{ClientMessage, ConnectionType, GameId, UserId},
    },
    timer::Time,
};
use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

/// Ports that belong to one client on its host.
pub(crate) const PORTS: u16 = 256;

/// The first of a client's ports; clients of one host have different ones.
pub(crate) fn first_port(number: u16) -> u16 {
    1024 + number % 250 * PORTS
}

/// Which of the field's clients it is (kaillera.md, the list of sources).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breed {
    /// Three sockets, never repeats but in a stalled game, deaf after ten missing messages.
    N02,
    /// Three sockets, repeats from 11 ms on, leaves three times.
    T02,
    /// One socket, repeats AllReady with new numbers, caches its inputs by option.
    Sup,
    /// One socket, no redundancy, stays in the lobby.
    Bot,
}

/// Who sits where, with what.
#[derive(Clone, Debug)]
pub(crate) struct Character {
    pub(crate) breed: Breed,
    /// Never 0.
    pub(crate) number: u16,
    pub(crate) host: Ipv4Addr,
    pub(crate) emulator: &'static [u8],
    pub(crate) connection_type: ConnectionType,
    pub(crate) caches: bool,
    /// Sends its acks when it likes, so far apart.
    pub(crate) fake_ping: Option<Duration>,
    pub(crate) keepalive: Duration,
    /// Bits flip on its way: nothing can be expected of it.
    pub(crate) garbled: bool,
    /// Does things on its own.
    pub(crate) lively: bool,
}

/// What a client says.
#[derive(Clone, Debug)]
pub(crate) enum Speech {
    Login,
    Ack,
    Quit(&'static [u8]),
    Chat(Vec<u8>),
    GameChat(Vec<u8>),
    KeepAlive,
    Create(Vec<u8>),
    Leave,
    Join(u32),
    Kick(u16),
    Start,
    Input(Vec<u8>),
    Drop,
    Ready,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Off {
        until: Time,
    },
    Pinging {
        until: Time,
    },
    Hello {
        until: Time,
    },
    LoggingIn {
        until: Time,
    },
    Lobby,
    Room,
    /// The emulator starts up.
    Loading {
        until: Time,
    },
    /// AllReady is said; again from some clients.
    Ready {
        again: Time,
    },
    Playing,
}

/// What an emulator reaches of the world.
pub(crate) struct Ctx<'a> {
    pub(crate) now: Time,
    pub(crate) out: &'a mut Vec<Datagram>,
    pub(crate) streams: &'a mut Streams,
}

pub(crate) struct Emulator {
    pub(crate) character: Character,
    pub(crate) phase: Phase,
    pub(crate) view: View,
    /// Nothing was missed since the login, so the view must be right.
    pub(crate) trusted: bool,
    /// The room it is in.
    pub(crate) room: Option<u32>,
    pub(crate) members: Vec<u16>,
    pub(crate) id: Option<u16>,
    /// The last lines heard.
    pub(crate) lines: Vec<Vec<u8>>,
    /// Numbers of players it was told stopped playing.
    pub(crate) drops: Vec<u8>,
    /// Logins that came to a good end.
    pub(crate) logins: u64,
    /// Refusals to let it in.
    pub(crate) refusals: u64,
    /// When the session's socket was bound; what was sent before does not reach it.
    pub(crate) bound: Time,
    pub(crate) loading_time: Option<Duration>,
    /// How long it shows a frame; less without a speed limit.
    pub(crate) frame: Duration,
    fidgets: bool,
    port: u16,
    link: Option<Client>,
    /// The newest number received.
    last: Option<u16>,
    heard: Time,
    unanswered: Option<Time>,
    acks: u32,
    next_ack: Option<Time>,
    keepalive_at: Time,
    act_at: Time,
    /// Fed up with what does not work any more.
    fed_up_at: Option<Time>,
    pub(crate) run: Option<Run>,
    games: u8,
    said_ready_at: Time,
    say: Vec<Speech>,
    quits_left: u8,
    quit_again: Time,
    rng: Rng,
}

impl Emulator {
    pub(crate) fn new(character: Character, starts: Time, mut rng: Rng) -> Self {
        Self {
            phase: Phase::Off { until: starts },
            view: View::default(),
            trusted: false,
            room: None,
            members: Vec::new(),
            id: None,
            lines: Vec::new(),
            drops: Vec::new(),
            logins: 0,
            refusals: 0,
            bound: Time::ZERO,
            loading_time: None,
            frame: play::FRAME,
            fidgets: false,
            port: first_port(character.number) + 4 * rng.within(0..=63) as u16,
            link: None,
            last: None,
            heard: Time::ZERO,
            unanswered: None,
            acks: 0,
            next_ack: None,
            keepalive_at: Time::ZERO,
            act_at: Time::ZERO,
            fed_up_at: None,
            run: None,
            games: 0,
            said_ready_at: Time::ZERO,
            say: Vec::new(),
            quits_left: 0,
            quit_again: Time::ZERO,
            character,
            rng,
        }
    }

    pub(crate) fn name(&self) -> Vec<u8> {
        format!("player {}", self.character.number).into_bytes()
    }

    /// The session's address.
    pub(crate) fn address(&self) -> SocketAddr {
        (self.character.host, self.port).into()
    }

    pub(crate) fn is_online(&self) -> bool {
        matches!(
            self.phase,
            Phase::Lobby
                | Phase::Room
                | Phase::Loading { .. }
                | Phase::Ready { .. }
                | Phase::Playing
        )
    }

    pub(crate) fn is_off(&self) -> bool {
        matches!(self.phase, Phase::Off { .. })
    }

    /// The game it plays, or played last.
    pub(crate) fn part(&self) -> Part {
        Part {
            client: self.character.number,
            game: self.games,
        }
    }

    /// When it does something next without hearing anything.
    pub(crate) fn wake(&self) -> Time {
        let phase = match self.phase {
            Phase::Off { until }
            | Phase::Pinging { until }
            | Phase::Hello { until }
            | Phase::LoggingIn { until }
            | Phase::Loading { until }
            | Phase::Ready { again: until } => Some(until),
            Phase::Lobby | Phase::Room | Phase::Playing => None,
        };
        let acts = self.character.lively && self.is_online();
        let quits = self.quits_left > 0 && self.is_off();
        [
            phase,
            self.next_ack,
            self.fed_up_at,
            self.is_online().then_some(self.keepalive_at),
            acts.then_some(self.act_at),
            quits.then_some(self.quit_again),
            self.run.as_ref().and_then(Run::wake),
        ]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or(Time::from_nanos(u64::MAX))
    }

    /// Does what is due.
    pub(crate) fn tick(&mut self, ctx: &mut Ctx<'_>) {
        let now = ctx.now;
        if self.quits_left > 0 && self.quit_again <= now {
            self.quits_left -= 1;
            self.quit_again = now + Duration::from_millis(20);
            self.repeat(ctx);
        }
        if self.fed_up_at.is_some_and(|at| at <= now) {
            self.crash(now);
        }
        match self.phase {
            Phase::Off { until } if until <= now => self.knock(ctx),
            Phase::Pinging { until } if until <= now => self.hello(ctx),
            Phase::Hello { until } | Phase::LoggingIn { until } if until <= now => self.crash(now),
            Phase::Loading { until } if until <= now => self.loaded(ctx),
            Phase::Ready { again } if again <= now => self.wait_for_all(ctx),
            _ => {}
        }
        if self.next_ack.is_some_and(|at| at <= now) {
            self.fake_ack(ctx);
        }
        if self.is_online() {
            if self.keepalive_at <= now {
                self.keepalive_at = now + self.character.keepalive;
                if !matches!(self.phase, Phase::Playing) {
                    self.speak(ctx, Speech::KeepAlive);
                }
                if self.fidgets {
                    self.speak(ctx, Speech::GameChat(b" ".to_vec()));
                }
            }
            self.play(ctx);
            if self.character.lively && self.act_at <= now {
                self.act_at = now + self.rng.millis(200..=3_000);
                self.act(ctx);
            }
        }
        self.flush(ctx);
    }

    /// A datagram reaches one of its sockets.
    pub(crate) fn receive(&mut self, ctx: &mut Ctx<'_>, to: SocketAddr, bytes: &[u8]) {
        if to.port() != self.port || !matches!(bytes.first(), Some(1..=32)) {
            self.connect_answer(ctx, bytes);
            self.flush(ctx);
            return;
        }
        let logging_in = matches!(self.phase, Phase::LoggingIn { .. });
        if !logging_in && !self.is_online() || !self.accepts(bytes) {
            return;
        }
        let Some(mut link) = self.link.take() else {
            return;
        };
        let mut online = true;
        let heard = link.receive(bytes, |event| {
            online = online && self.hear(ctx, &event);
        });
        if !matches!(self.phase, Phase::Off { .. }) {
            self.link = Some(link);
        }
        match heard {
            Ok(new) if new > 0 => {
                self.last = Some(u16::from_le_bytes([bytes[1], bytes[2]]));
                self.heard = ctx.now;
                self.unanswered = None;
            }
            // Cut off on the way; what the server sends is checked where it leaves.
            Ok(_) | Err(_) => {}
        }
        self.play(ctx);
        self.flush(ctx);
    }

    /// Whether the client looks into a bundle at all.
    fn accepts(&mut self, bytes: &[u8]) -> bool {
        let &[_, low, high, ..] = bytes else {
            return false;
        };
        let newest = u16::from_le_bytes([low, high]);
        let Some(last) = self.last else {
            return newest < 10;
        };
        let ahead = newest.wrapping_sub(last);
        if self.character.breed == Breed::N02 && (10..0x8000).contains(&ahead) {
            self.lose_track();
            return false;
        }
        true
    }

    /// What it shows is wrong from here on, and sooner or later its user notices.
    pub(crate) fn lose_track(&mut self) {
        self.trusted = false;
        if self.fed_up_at.is_none() {
            self.fed_up_at = Some(self.heard + self.rng.millis(2_000..=12_000));
        }
    }

    /// What a datagram brought; false when the session is over by it.
    fn hear(&mut self, ctx: &mut Ctx<'_>, event: &Event<'_>) -> bool {
        match event {
            Event::Frames(frames) => self.frames(frames),
            Event::BadIndex(index) => {
                assert!(
                    !self.trusted || self.character.garbled,
                    "index {index} has no entry, though nothing was missed"
                );
                self.lose_track();
            }
            Event::Missed(_) => {
                self.lose_track();
                self.stop_recording();
            }
            Event::Message(message) => self.message(ctx, message),
        }
        !self.is_off()
    }

    pub(crate) fn speak(&mut self, ctx: &mut Ctx<'_>, speech: Speech) {
        let name = self.name();
        let message = match &speech {
            Speech::Login => ClientMessage::UserInformation {
                name: &name,
                emulator: self.character.emulator,
                connection_type: self.character.connection_type,
            },
            Speech::Ack => ClientMessage::ClientAck,
            Speech::Quit(message) => ClientMessage::Quit { message },
            Speech::Chat(text) => ClientMessage::Chat { text },
            Speech::GameChat(text) => ClientMessage::GameChat { text },
            Speech::KeepAlive => ClientMessage::KeepAlive,
            Speech::Create(rom) => ClientMessage::CreateGame { rom },
            Speech::Leave => ClientMessage::QuitGame,
            Speech::Join(game) => ClientMessage::JoinGame {
                game: GameId(*game),
            },
            Speech::Kick(user) => ClientMessage::GameKick {
                user: UserId(*user),
            },
            Speech::Start => ClientMessage::StartGame,
            Speech::Input(_) => ClientMessage::KeepAlive,
            Speech::Drop => ClientMessage::PlayerDrop,
            Speech::Ready => ClientMessage::AllReady,
        };
        let mut bytes = [0; 2048];
        let Some(link) = &mut self.link else {
            return;
        };
        let sent = match &speech {
            Speech::Input(input) => link.send_input(input, &mut bytes),
            _ => link.send(&message, &mut bytes),
        };
        let length = sent.expect("a client's messages fit");
        let mut bytes = bytes[..length].to_vec();
        self.imitate(&mut bytes);
        self.emit(ctx, bytes);
    }

    /// Sends the last datagram again.
    fn repeat(&mut self, ctx: &mut Ctx<'_>) {
        let mut bytes = [0; 2048];
        let last = self
            .link
            .as_ref()
            .and_then(|link| link.write_last(&mut bytes));
        if let Some(length) = last {
            self.emit(ctx, bytes[..length].to_vec());
        }
    }

    fn flush(&mut self, ctx: &mut Ctx<'_>) {
        for speech in std::mem::take(&mut self.say) {
            self.speak(ctx, speech);
        }
    }

    fn emit(&self, ctx: &mut Ctx<'_>, bytes: Vec<u8>) {
        let from = self.address();
        ctx.out.push(Datagram {
            from,
            to: SERVER,
            bytes,
        });
    }

    /// The mistakes that some clients make in the newest message of a datagram.
    fn imitate(&self, bytes: &mut Vec<u8>) {
        let &[count, _, _, low, high, kind, ..] = bytes.as_slice() else {
            return;
        };
        let length = u16::from_le_bytes([low, high]);
        let is = |other: Kind| kind == other as u8;
        match self.character.breed {
            // A byte too many.
            Breed::T02 if is(Kind::PlayerDrop) => {
                bytes.insert(5 + usize::from(length), 0);
                bytes[3..5].copy_from_slice(&(length + 1).to_le_bytes());
            }
            // Its length is that of the body.
            Breed::Bot if is(Kind::ClientAck) && count == 1 => {
                bytes[3..5].copy_from_slice(&(length - 1).to_le_bytes());
            }
            _ => {}
        }
    }

    fn habits(&self) -> Habits {
        Habits {
            redundancy: if self.character.breed == Breed::Bot {
                1
            } else {
                3
            },
            caches: self.character.caches,
        }
    }
}
