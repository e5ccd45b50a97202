//! One user's worker: its link, its login, its way to the lobby and to a game.

mod session;
mod timeouts;

use super::{
    courier::Courier,
    mail::{Enclosed, GameMail, LobbyMail, Peer, Playing, UserMail},
    post::Post,
    unread::Unread,
};
use crate::{
    actor::Turn,
    buffer::{Frame, Writer},
    kaillera::{
        Channel, DecodeError, Kind,
        bundle::{Bundle, MessageNumber},
        message::{ClientMessage, ConnectionType, ServerMessage},
    },
    lobby::{Departure, UserKey},
    metrics::Reason,
    timer::Time,
};
use std::{net::SocketAddr, ops::Range, time::Duration};

/// Acks a login takes (kaillera.md 4.1).
const ACKS: u32 = 4;
/// A login message on a silent session starts over after this (kaillera.md 1.4).
const RESTART_SILENCE: Duration = Duration::from_secs(2);
/// A refused login is remembered for this long (kaillera.md 4.4).
const REJECTION_MEMORY: Duration = Duration::from_secs(2);
/// What waits for a user that left is sent within this time or not at all.
const FAREWELL: Duration = Duration::from_secs(3);

/// The actor of one seat, kept for the seat's successive users.
#[derive(Debug)]
pub(super) struct UserActor {
    key: UserKey,
    peer: Peer,
    channel: Channel,
    state: State,
    playing: Option<Playing>,
    /// A HELLO came from exactly this address since the last new message (kaillera.md 1.4).
    hello_mark: bool,
    ping: Duration,
    /// When the user last did something, as the idle timeout counts it.
    active: Time,
    /// When the timeouts are looked at again; none of them can pass before.
    check: Time,
    courier: Courier,
}

#[derive(Debug)]
enum State {
    /// Nobody has the seat.
    Vacant,
    /// The session has not said who it is.
    Open,
    /// Four acks measure the ping.
    Measuring {
        identity: Box<Identity>,
        since: Time,
        acks: u32,
    },
    /// The lobby decides.
    Applying,
    LoggedIn,
    /// Refused; the refusal is repeated for duplicates until then.
    Rejected {
        until: Time,
    },
    /// Gone; what waits is sent until then.
    Leaving {
        until: Time,
    },
}

#[derive(Debug)]
struct Identity {
    name: Box<[u8]>,
    emulator: Box<[u8]>,
    connection_type: ConnectionType,
}

impl UserActor {
    pub(super) fn new(seat: u32) -> Self {
        Self {
            key: UserKey {
                seat,
                generation: 0,
            },
            peer: Peer {
                address: SocketAddr::from(([0, 0, 0, 0], 0)),
                local: None,
                socket: 0,
            },
            channel: Channel::new(Time::ZERO),
            state: State::Vacant,
            playing: None,
            hello_mark: false,
            ping: Duration::ZERO,
            active: Time::ZERO,
            check: Time::ZERO,
            courier: Courier::default(),
        }
    }

    /// Handles at most `budget` messages, then what is due, then sends what there is to send.
    pub(super) fn run(&mut self, now: Time, budget: usize, post: &Post) -> Turn {
        self.courier.deliver(post);
        let mut left = budget;
        while left > 0
            && self.courier.is_free()
            && let Some(mail) = self.next_mail(post)
        {
            self.handle(now, mail, post);
            // The link remembers only its last messages: what is new goes out before more comes.
            self.transmit(now, post);
            left -= 1;
        }
        self.channel.handle_timeout(now);
        if self.check <= now {
            self.check = self.check_timeouts(now, post);
        }
        let waiting = self.send(now, post);
        if let State::Leaving { until } = self.state
            && (until <= now || !waiting && !self.channel.has_transmit())
        {
            self.vacate(now, post);
        }
        let deadline = self
            .channel
            .poll_timeout(waiting)
            .into_iter()
            .chain([self.check])
            .min();
        Turn {
            more: left == 0 || !self.courier.is_free(),
            deadline: deadline.filter(|_| !matches!(self.state, State::Vacant)),
        }
    }

    /// Ends the session after a bug in its turn; the others never notice.
    pub(super) fn fail(&mut self, now: Time, post: &Post) {
        self.depart(Departure::Failed, post);
        self.vacate(now, post);
        self.courier.deliver(post);
    }

    fn next_mail(&self, post: &Post) -> Option<UserMail> {
        post.exchange().seat(self.key.seat)?.inbox.pop()
    }

    fn handle(&mut self, now: Time, mail: UserMail, post: &Post) {
        let mine = self.key.generation;
        let plays = |run| self.playing.is_some_and(|playing| playing.run == run);
        match mail {
            UserMail::Open { at, peer } => {
                self.peer = *peer;
                self.begin(at, post);
            }
            UserMail::Datagram { at, frame } => self.datagram(at, frame, post),
            UserMail::Hello => self.hello_mark = true,
            UserMail::LoggedIn { generation } if generation == mine => self.logged_in(post),
            UserMail::Seat {
                generation,
                playing,
            } if generation == mine => {
                self.playing = Some(playing);
                self.check = now;
            }
            UserMail::Unseat { generation, run } if generation == mine && plays(run) => {
                self.playing = None;
                self.channel.game_over();
            }
            UserMail::Data { run, frame } if plays(run) => self.channel.send(now, &frame),
            UserMail::Cached { run, index } if plays(run) => {
                self.send_now(now, &ServerMessage::CachedGameData { index });
            }
            UserMail::Nudge { run } if plays(run) => self.channel.nudge(now),
            UserMail::Close { generation, close } if generation == mine => {
                self.close(now, close, post);
            }
            // For a former user of the seat, or a game it has left.
            UserMail::LoggedIn { .. }
            | UserMail::Seat { .. }
            | UserMail::Unseat { .. }
            | UserMail::Data { .. }
            | UserMail::Cached { .. }
            | UserMail::Nudge { .. }
            | UserMail::Close { .. } => {}
        }
    }

    fn datagram(&mut self, at: Time, frame: Frame, post: &Post) {
        if matches!(self.state, State::Vacant) {
            return;
        }
        self.channel.heard(at, frame.len());
        let Ok(bundle) = Bundle::parse(&frame) else {
            post.exchange()
                .count_drop(Reason::Malformed, Some(self.peer.address), at);
            return;
        };
        if self.starts_over(at, &bundle) {
            if self.start_over(at, post).is_err() {
                let peer = Some(self.peer.address);
                post.exchange().count_drop(Reason::TooManyLogins, peer, at);
                return;
            }
            self.channel.heard(at, frame.len());
        }
        if matches!(self.state, State::Leaving { .. }) {
            return;
        }
        let unread = Unread::take(at, &bundle, &mut self.channel);
        if unread.is_empty() {
            self.channel.nothing_new(at, self.ping);
            return;
        }
        self.hello_mark = false;
        if unread.has_gap()
            && let Some(Playing { game, run, player }) = self.playing
        {
            self.courier
                .game(game, GameMail::Gap { run, player, at }, post);
        }
        let mut frame = Some(frame);
        for (range, last) in unread.ranges() {
            self.message(at, range, last, &mut frame, post);
        }
    }

    /// Whether a bundle is a client that starts over on the address of a session it has lost
    /// (kaillera.md 1.4 rule 5).
    fn starts_over(&self, at: Time, bundle: &Bundle<'_>) -> bool {
        bundle.newest() == MessageNumber(0)
            && bundle.len() == 1
            && bundle
                .newest_first()
                .all(|message| message.kind == Kind::UserInformation as u8)
            && !matches!(self.state, State::Open)
            && (self.hello_mark || at.since(self.channel.last_new()) >= RESTART_SILENCE)
    }

    fn message(
        &mut self,
        at: Time,
        range: Range<usize>,
        last: bool,
        frame: &mut Option<Frame>,
        post: &Post,
    ) {
        let bytes = frame.as_deref().and_then(|frame| frame.get(range.clone()));
        let Some(message) = bytes.and_then(|bytes| self.decode(at, bytes, post)) else {
            return;
        };
        if matches!(message, ClientMessage::KeepAlive) {
            return;
        }
        // An ack that comes late is nothing a user does.
        if !matches!(message, ClientMessage::ClientAck) {
            self.active = at;
        }
        let frames = &post.exchange().frames;
        let half = frames.capacity() / 2;
        match message {
            ClientMessage::UserInformation {
                name,
                emulator,
                connection_type,
            } => {
                let identity = Identity {
                    name: name.into(),
                    emulator: emulator.into(),
                    connection_type,
                };
                self.identify(at, identity);
            }
            ClientMessage::ClientAck => self.acknowledged(at, post),
            ClientMessage::CachedGameData { index } => {
                if let Some(Playing { game, run, player }) = self.playing {
                    let mail = GameMail::Cached {
                        run,
                        player,
                        at,
                        index,
                    };
                    self.play(game, mail, post);
                }
            }
            ClientMessage::GameData { .. } => {
                if let Some(Playing { game, run, player }) = self.playing
                    && let Some(input) = Enclosed::take(frame, range, last, frames, half)
                {
                    let mail = GameMail::Data {
                        run,
                        player,
                        at,
                        input,
                    };
                    self.play(game, mail, post);
                }
            }
            ClientMessage::Quit { .. } if !self.is_known_to_lobby() => self.vacate(at, post),
            _ if self.is_known_to_lobby() => {
                let spared = half + half / 2;
                let message = Enclosed::take(frame, range, last, frames, spared);
                self.forward(at, message, post);
            }
            _ => {}
        }
    }

    fn decode<'a>(&self, at: Time, bytes: &'a [u8], post: &Post) -> Option<ClientMessage<'a>> {
        let (&kind, body) = bytes.split_first()?;
        let reason = match ClientMessage::decode(kind, body) {
            Ok(message) => return Some(message),
            Err(DecodeError::UnknownKind) => Reason::UnknownKind,
            Err(_) => Reason::BadMessage,
        };
        let peer = Some(self.peer.address);
        post.exchange().count_drop(reason, peer, at);
        None
    }

    fn play(&mut self, game: u32, mail: GameMail, post: &Post) {
        self.channel.game_data();
        self.courier.game(game, mail, post);
    }

    /// Passes on what is the lobby's to judge.
    fn forward(&mut self, at: Time, message: Option<Enclosed>, post: &Post) {
        let (user, peer) = (self.key, self.peer.address);
        match message {
            Some(message) => {
                let mail = LobbyMail::Message { user, message };
                self.courier.lobby(mail, post);
            }
            None => post
                .exchange()
                .count_drop(Reason::NoBufferOut, Some(peer), at),
        }
    }

    fn is_known_to_lobby(&self) -> bool {
        matches!(self.state, State::Applying | State::LoggedIn)
    }

    /// Sends what is due; says whether messages still wait for their turn.
    fn send(&mut self, now: Time, post: &Post) -> bool {
        let Some(seat) = post.exchange().seat(self.key.seat) else {
            return false;
        };
        let waiting = seat.with_backlog(|backlog| self.channel.feed(now, backlog));
        if self.playing.is_none() {
            // The start of a game that is over may have waited until now.
            self.channel.game_over();
        }
        self.transmit(now, post);
        waiting
    }

    fn transmit(&mut self, now: Time, post: &Post) {
        let exchange = post.exchange();
        while self.channel.has_transmit() {
            let Some(mut frame) = exchange.frames.try_take() else {
                exchange.count_drop(Reason::NoBufferOut, Some(self.peer.address), now);
                self.channel.skip_transmit(now);
                break;
            };
            let Some(length) = self.channel.poll_transmit(now, frame.buffer_mut()) else {
                break;
            };
            frame.set_len(length);
            post.transmit(self.key.seat, &self.peer, frame, now);
        }
    }

    /// Numbers a message ahead of those that wait.
    fn send_now(&mut self, now: Time, message: &ServerMessage<'_>) {
        let mut bytes = [0; 32];
        let mut writer = Writer::new(&mut bytes);
        if message.encode(&mut writer).is_ok() {
            self.channel.send(now, writer.written());
        }
    }
}
