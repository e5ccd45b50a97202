//! One thread's players: their sockets, their times, and what they say.

use crate::{
    options::Load,
    player::{HELLO, Player, Told},
    room::Room,
    run::Signals,
    schedule::{Dice, Hands, Schedule, period},
    tally::Tally,
};
use mio::{Events, Interest, Poll, Token, net::UdpSocket};
use samara::{
    kaillera::{
        connect::{self, Reply},
        message::{ClientMessage, GameId},
    },
    net::Clock,
    timer::{Deadlines, Time},
};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

/// Clients say again what they said last when nothing comes for so long: while they play, and
/// otherwise.
const STALL: Duration = Duration::from_millis(250);
const SILENCE: Duration = Duration::from_secs(2);
/// What is still under way at the end may take so long.
const GRACE: Duration = Duration::from_secs(2);
/// Players leave one after the other, so far apart.
const LEAVE_EVERY: Duration = Duration::from_millis(1);
/// The poll rounds shorter waits up to this; inputs would be late.
const COARSE: Duration = Duration::from_millis(1);
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// Some of the rooms and all of their players.
pub(crate) struct Swarm<'a> {
    load: &'a Load,
    signals: &'a Signals,
    clock: Clock,
    poll: Poll,
    users: Vec<User>,
    tables: Vec<Table>,
    deadlines: Deadlines,
    tally: Tally,
}

struct User {
    socket: UdpSocket,
    player: Player,
    hands: Hands,
    table: usize,
    stage: Stage,
    delay: u16,
    play: Option<Play>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Outside,
    Knocking,
    LoggingIn,
    Lobby,
    Seated,
    GettingReady,
    Playing,
    Gone,
}

/// A player's place in a running game.
struct Play {
    schedule: Schedule,
    zeros: u64,
    /// Messages sent and answered.
    sent: u64,
    answered: u64,
    /// When the next message could be sent, if it is not its own time that is waited for.
    open_since: Option<Time>,
    heard: Time,
}

/// A room and who sits there; the owner is the first.
struct Table {
    room: Room,
    members: std::ops::Range<usize>,
    game: Option<GameId>,
    dice: Dice,
}

/// What moves a user on from one stage to the next.
enum News {
    LoggedIn,
    Opened(GameId),
    Entered,
    Starts(u16),
    Go,
    Out,
}

impl<'a> Swarm<'a> {
    /// Every `threads`th room from the `first` on.
    pub(crate) fn new(
        load: &'a Load,
        first: u32,
        clock: Clock,
        signals: &'a Signals,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        let mut users = Vec::new();
        let mut tables = Vec::new();
        let mut logins = Vec::new();
        for room in (first..load.rooms()).step_by(load.threads as usize) {
            let begin = users.len();
            for seat in 0..load.players {
                let number = room * load.players + seat;
                let mut user = User::new(load, number, tables.len())?;
                let token = Token(users.len());
                poll.registry()
                    .register(&mut user.socket, token, Interest::READABLE)?;
                users.push(user);
                logins.push(Duration::from_secs(number.into()) / load.login_rate);
            }
            tables.push(Table {
                room: Room::new(),
                members: begin..users.len(),
                game: None,
                dice: Dice::new(load.seed, u64::from(room) << 32),
            });
        }
        let mut deadlines = Deadlines::new(users.len());
        let start = clock.now();
        for (index, after) in logins.into_iter().enumerate() {
            deadlines.set(index as u32, Some(start + after));
        }
        Ok(Self {
            load,
            signals,
            clock,
            poll,
            users,
            tables,
            deadlines,
            tally: Tally::new().map_err(io::Error::other)?,
        })
    }

    /// Plays until the run is over.
    pub(crate) fn run(mut self) -> io::Result<Tally> {
        let mut events = Events::with_capacity(1024);
        let mut datagram = vec![0; 64 * 1024];
        loop {
            let now = self.clock.now();
            while let Some(key) = self.deadlines.pop_due(now) {
                self.turn(key as usize, now);
            }
            if self.is_over(now) {
                break;
            }
            let next = self
                .deadlines
                .next()
                .map_or(LONGEST_SLEEP, |at| at.since(now));
            let sleep = if next < COARSE {
                Duration::ZERO
            } else {
                next - COARSE
            };
            match self.poll.poll(&mut events, Some(sleep.min(LONGEST_SLEEP))) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            for event in &events {
                self.read(event.token().0, &mut datagram);
            }
        }
        self.sum_up();
        Ok(self.tally)
    }

    /// Whether the time is up and everything that was due has come, or will not come.
    fn is_over(&self, now: Time) -> bool {
        let end = self.signals.end();
        let done = |user: &User| {
            let play = user.play.as_ref().filter(|_| user.stage == Stage::Playing);
            play.is_none_or(|play| play.answered >= play.schedule.due_before(end))
        };
        now >= end && (now.since(end) >= GRACE || self.users.iter().all(done))
    }

    /// Counts what was due and says goodbye.
    fn sum_up(&mut self) {
        let (begin, end) = (self.signals.begin(), self.signals.end());
        for user in &mut self.users {
            match &user.play {
                Some(Play { schedule, .. }) => {
                    let due = schedule.due_before(end) - schedule.due_before(begin.min(end));
                    self.tally.expected += due;
                }
                None => self.tally.absent += 1,
            }
            if !matches!(user.stage, Stage::Outside | Stage::Knocking | Stage::Gone) {
                user.say(&ClientMessage::Quit { message: b"" });
                std::thread::sleep(LEAVE_EVERY);
            }
        }
    }

    /// A user's time has come.
    fn turn(&mut self, index: usize, now: Time) {
        let Some(user) = self.users.get_mut(index) else {
            return;
        };
        match user.stage {
            Stage::Gone => return,
            Stage::Playing => return self.play(index, now),
            Stage::Outside | Stage::Knocking => {
                user.stage = Stage::Knocking;
                user.send(HELLO);
            }
            _ => user.player.repeat(|datagram| send(&user.socket, datagram)),
        }
        self.deadlines.set(index as u32, Some(now + SILENCE));
    }

    fn read(&mut self, index: usize, datagram: &mut [u8]) {
        loop {
            let Some(user) = self.users.get_mut(index) else {
                return;
            };
            let length = match user.socket.recv(datagram) {
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // What became of an earlier datagram; nobody may listen any more.
                Err(_) => return,
            };
            let now = self.clock.now();
            self.tally.datagrams_in += u64::from(self.signals.counts(now));
            let datagram = datagram.get(..length).unwrap_or_default();
            match user.stage {
                Stage::Outside | Stage::Gone => {}
                Stage::Knocking => self.knocked(index, datagram, now),
                _ => self.heard(index, datagram, now),
            }
        }
    }

    fn knocked(&mut self, index: usize, datagram: &[u8], now: Time) {
        let Some(user) = self.users.get_mut(index) else {
            return;
        };
        match connect::parse_reply(datagram) {
            Some(Reply::Port(port)) => {
                let session = SocketAddr::new(self.load.target.ip(), port);
                if session != self.load.target && user.socket.connect(session).is_err() {
                    return;
                }
                user.stage = Stage::LoggingIn;
                let socket = &user.socket;
                // A login is shorter than a datagram.
                let _ = user.player.log_in(|datagram| send(socket, datagram));
                self.deadlines.set(index as u32, Some(now + SILENCE));
            }
            Some(Reply::Full | Reply::WrongVersion) => user.stage = Stage::Gone,
            Some(Reply::Pong) | None => {}
        }
    }

    fn heard(&mut self, index: usize, datagram: &[u8], now: Time) {
        let Some(user) = self.users.get_mut(index) else {
            return;
        };
        let Some(table) = self.tables.get_mut(user.table) else {
            return;
        };
        let mut news = Vec::new();
        let mut ear = Ear {
            now,
            delay: user.delay,
            play: &mut user.play,
            room: &mut table.room,
            late_after: period(self.load.conn),
            signals: self.signals,
            tally: &mut self.tally,
        };
        let socket = &user.socket;
        let received = user.player.receive(
            datagram,
            |answer| send(socket, answer),
            |told| match told {
                Told::Frames(content) => ear.frames(content),
                Told::Lost(count) => ear.tally.gaps += u64::from(count),
                Told::Line(text) => ear.line(text),
                Told::LoggedIn => news.push(News::LoggedIn),
                Told::Opened(game) => news.push(News::Opened(game)),
                Told::Entered => news.push(News::Entered),
                Told::Starts { delay } => news.push(News::Starts(delay)),
                Told::Go => news.push(News::Go),
                Told::Out => news.push(News::Out),
            },
        );
        if received.is_err() {
            self.tally.gaps += 1;
        }
        for news in news {
            self.move_on(index, news, now);
        }
        if self
            .users
            .get(index)
            .is_some_and(|user| user.stage == Stage::Playing)
        {
            self.play(index, now);
        }
    }

    /// Sends what is due, as far as a player may go ahead of the frames it has, and says when
    /// to come back.
    fn play(&mut self, index: usize, now: Time) {
        let Some(user) = self.users.get_mut(index) else {
            return;
        };
        let (Some(table), Some(play)) = (self.tables.get_mut(user.table), &mut user.play) else {
            return;
        };
        let counts = self.signals.counts(now);
        let ahead = u64::from(user.delay) + 1;
        let mut due = play.schedule.due(play.sent + 1);
        while due <= now && play.sent - play.answered < ahead {
            let socket = &user.socket;
            // An input is shorter than a datagram.
            let _ = user
                .player
                .play(user.hands.next(), |datagram| send(socket, datagram));
            play.sent += 1;
            self.tally.datagrams_out += u64::from(counts);
            if counts {
                let could = play.open_since.map_or(due, |at| at.max(due));
                self.tally.own_lag.note(now.since(could));
            }
            if play.sent > play.zeros {
                table.room.sent(play.sent - play.zeros, due, now);
            }
            play.open_since = None;
            due = play.schedule.due(play.sent + 1);
        }
        let mut next = due;
        if play.sent - play.answered >= ahead {
            let stalled = play.heard + STALL;
            if stalled <= now {
                user.player.repeat(|datagram| send(&user.socket, datagram));
                play.heard = now;
            }
            next = play.heard + STALL;
        }
        self.deadlines.set(index as u32, Some(next));
    }

    fn move_on(&mut self, index: usize, news: News, now: Time) {
        let Some(user) = self.users.get_mut(index) else {
            return;
        };
        let Some(table) = self.tables.get_mut(user.table) else {
            return;
        };
        self.deadlines.set(index as u32, Some(now + SILENCE));
        let owns = table.members.start == index;
        match news {
            News::LoggedIn => {
                user.stage = Stage::Lobby;
                if owns {
                    user.say(&ClientMessage::CreateGame { rom: b"Load" });
                } else if let Some(game) = table.game {
                    user.say(&ClientMessage::JoinGame { game });
                }
            }
            News::Opened(game) => {
                table.game = Some(game);
                let guests = self
                    .users
                    .get_mut(table.members.clone())
                    .unwrap_or_default();
                for guest in guests
                    .iter_mut()
                    .filter(|it| it.stage == Stage::Lobby)
                    .skip(1)
                {
                    guest.say(&ClientMessage::JoinGame { game });
                }
            }
            News::Entered => {
                user.stage = Stage::Seated;
                let members = self
                    .users
                    .get_mut(table.members.clone())
                    .unwrap_or_default();
                if members.iter().all(|it| it.stage == Stage::Seated)
                    && let Some(owner) = members.first_mut()
                {
                    owner.say(&ClientMessage::StartGame);
                }
            }
            News::Starts(delay) => {
                user.stage = Stage::GettingReady;
                user.delay = delay;
                table.room.delay(delay);
            }
            News::Go => {
                user.stage = Stage::Playing;
                let members = self.users.get(table.members.clone()).unwrap_or_default();
                if members.iter().all(|it| it.stage == Stage::Playing) {
                    self.begin(user_table(members), now);
                }
            }
            News::Out => {
                self.tally.dropped += u64::from(now < self.signals.end());
                user.stage = Stage::Gone;
                self.deadlines.set(index as u32, None);
            }
        }
    }

    /// All players of a table are ready: fixes their times.
    fn begin(&mut self, table: usize, now: Time) {
        let Some(Table {
            room,
            members,
            dice,
            ..
        }) = self.tables.get_mut(table)
        else {
            return;
        };
        let period = period(self.load.conn);
        let start = now + dice.part_of(period);
        for index in members.clone() {
            let Some(user) = self.users.get_mut(index) else {
                continue;
            };
            let first = start + dice.part_of(period / 4);
            user.play = Some(Play {
                schedule: Schedule::new(first, self.load.conn),
                zeros: room.zeros(user.delay),
                sent: 0,
                answered: 0,
                open_since: None,
                heard: now,
            });
            self.deadlines.set(index as u32, Some(first));
        }
        self.signals.play(members.len() as u32);
    }
}

fn user_table(members: &[User]) -> usize {
    members.first().map_or(0, |user| user.table)
}

impl User {
    fn new(load: &Load, number: u32, table: usize) -> io::Result<Self> {
        let here: IpAddr = match load.target {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        };
        let socket = UdpSocket::bind(SocketAddr::new(here, 0))?;
        socket.connect(load.target)?;
        let dice = Dice::new(load.seed, number.into());
        let input = load.input as usize * load.conn.frames();
        Ok(Self {
            socket,
            player: Player::new(format!("player {number}").as_bytes(), load.conn),
            hands: Hands::new(dice, load.held, input),
            table,
            stage: Stage::Outside,
            delay: 1,
            play: None,
        })
    }

    fn say(&mut self, message: &ClientMessage<'_>) {
        let socket = &self.socket;
        // Nothing said here is longer than a datagram.
        let _ = self.player.say(message, |datagram| send(socket, datagram));
    }

    fn send(&self, datagram: &[u8]) {
        send(&self.socket, datagram);
    }
}

/// What is lost here is repeated like anything that is lost on the way.
fn send(socket: &UdpSocket, datagram: &[u8]) {
    let _ = socket.send(datagram);
}

/// Listens to a player in its game.
struct Ear<'a> {
    now: Time,
    delay: u16,
    play: &'a mut Option<Play>,
    room: &'a mut Room,
    late_after: Duration,
    signals: &'a Signals,
    tally: &'a mut Tally,
}

impl Ear<'_> {
    fn frames(&mut self, content: &[u8]) {
        let Some(play) = self.play else {
            return;
        };
        if play.sent - play.answered.min(play.sent) == u64::from(self.delay) + 1 {
            play.open_since = Some(self.now);
        }
        play.answered += 1;
        play.heard = self.now;
        let due = play.schedule.due(play.answered);
        let counts = self.signals.counts(due);
        self.tally.received += u64::from(counts);
        if play.answered <= play.zeros {
            return;
        }
        let number = play.answered - play.zeros;
        let seen = self.room.received(number, content, self.now);
        self.tally.unequal += u64::from(!seen.equal);
        if counts {
            self.tally.late += u64::from(seen.since_due > self.late_after);
            self.tally.added.note(seen.added);
            self.tally.round_trip.note(self.now.since(due));
        }
    }

    fn line(&mut self, text: &[u8]) {
        // What the server's catalogue says of a lost packet and of a stall.
        let lost = text.starts_with(b"A packet from ");
        let stalled = text.ends_with(b" does not answer.");
        self.tally.desyncs += u64::from(lost || stalled);
    }
}
