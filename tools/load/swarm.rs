//! One thread's players: on their way into a game, in it, and out.

use crate::{
    options::Load,
    play::{Ear, Play},
    player::{HELLO, Player, Told},
    room::Room,
    run::Signals,
    schedule::{Dice, Hands, Schedule, period},
    tally::Tally,
    wire::{Outgoing, Wire},
};
use samara::{
    kaillera::{
        connect::{self, Reply},
        message::{ClientMessage, GameId},
    },
    net::Clock,
    timer::{Deadlines, Time},
};
use std::{io, ops::Range, thread, time::Duration};

/// Who does not play yet says again what it said last when nothing comes for so long.
const SILENCE: Duration = Duration::from_secs(2);
/// What is still under way at the end may take so long.
const GRACE: Duration = Duration::from_secs(2);
/// Players leave one after the other, so far apart.
const LEAVE_EVERY: Duration = Duration::from_millis(1);
/// Waits are rounded up to this; inputs would be late.
const COARSE: Duration = Duration::from_millis(1);
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// Some of the rooms with all of their players, and their socket.
pub(crate) struct Swarm<'a> {
    crowd: Crowd<'a>,
    wire: Wire,
}

struct Crowd<'a> {
    load: &'a Load,
    signals: &'a Signals,
    clock: Clock,
    users: Vec<User>,
    tables: Vec<Table>,
    deadlines: Deadlines,
    tally: Tally,
}

struct User {
    player: Player,
    hands: Hands,
    table: usize,
    stage: Stage,
    delay: u16,
    play: Option<Play>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A room and who sits there; the owner is the first.
struct Table {
    room: Room,
    members: Range<usize>,
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
        Ok(Self {
            crowd: Crowd::new(load, first, clock, signals)?,
            wire: Wire::new(load.target, first as u8 + 1)?,
        })
    }

    /// Plays until the run is over.
    pub(crate) fn run(self) -> io::Result<Tally> {
        let Self {
            mut crowd,
            mut wire,
        } = self;
        loop {
            let now = crowd.clock.now();
            crowd.turn(now, wire.outgoing());
            wire.flush();
            if crowd.is_over(now) {
                break;
            }
            let clock = crowd.clock;
            wire.receive(crowd.sleep(now), |index, datagram, out| {
                crowd.receive(index, datagram, clock.now(), out);
            })?;
            wire.flush();
        }
        crowd.sum_up();
        crowd.leave(&mut wire);
        Ok(crowd.tally)
    }
}

impl<'a> Crowd<'a> {
    fn new(load: &'a Load, first: u32, clock: Clock, signals: &'a Signals) -> io::Result<Self> {
        let mut users = Vec::new();
        let mut tables = Vec::new();
        let mut logins = Vec::new();
        for room in (first..load.rooms()).step_by(load.threads as usize) {
            let begin = users.len();
            for number in room * load.players..(room + 1) * load.players {
                users.push(User::new(load, number, tables.len()));
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
        for (index, after) in (0..).zip(logins) {
            deadlines.set(index, Some(start + after));
        }
        Ok(Self {
            load,
            signals,
            clock,
            users,
            tables,
            deadlines,
            tally: Tally::new().map_err(io::Error::other)?,
        })
    }

    fn sleep(&self, now: Time) -> Duration {
        let next = self.deadlines.next();
        let next = next.map_or(LONGEST_SLEEP, |at| at.since(now));
        next.saturating_sub(COARSE).min(LONGEST_SLEEP)
    }

    /// Whether the time is up and everything that was due has come, or will not come.
    fn is_over(&self, now: Time) -> bool {
        let end = self.signals.end();
        let done = |user: &User| {
            let play = user.play.as_ref().filter(|_| user.stage == Stage::Playing);
            play.is_none_or(|play| play.is_done(end))
        };
        now >= end && (now.since(end) >= GRACE || self.users.iter().all(done))
    }

    /// Counts what was due.
    fn sum_up(&mut self) {
        let (begin, end) = (self.signals.begin(), self.signals.end());
        for user in &self.users {
            match &user.play {
                Some(play) => self.tally.expected += play.due_between(begin, end),
                None => self.tally.absent += 1,
            }
        }
    }

    /// Everybody says goodbye.
    fn leave(&mut self, wire: &mut Wire) {
        for (index, user) in self.users.iter_mut().enumerate() {
            if !matches!(user.stage, Stage::Outside | Stage::Knocking | Stage::Gone) {
                let quit = ClientMessage::Quit { message: b"" };
                user.say(index, &quit, wire.outgoing());
                wire.flush();
                thread::sleep(LEAVE_EVERY);
            }
        }
    }

    /// Does what is due at `now`.
    fn turn(&mut self, now: Time, out: &mut Outgoing) {
        while let Some(key) = self.deadlines.pop_due(now) {
            let index = key as usize;
            let Some(user) = self.users.get_mut(index) else {
                continue;
            };
            match user.stage {
                Stage::Gone => continue,
                Stage::Playing => {
                    self.play(index, now, out);
                    continue;
                }
                Stage::Outside | Stage::Knocking => {
                    user.stage = Stage::Knocking;
                    out.send(index, HELLO);
                }
                _ => user.player.repeat(|datagram| out.send(index, datagram)),
            }
            self.deadlines.set(key, Some(now + SILENCE));
        }
    }

    fn receive(&mut self, index: usize, datagram: &[u8], now: Time, out: &mut Outgoing) {
        let Some(user) = self.users.get_mut(index) else {
            return;
        };
        self.tally.datagrams_in += u64::from(self.signals.counts(now));
        match user.stage {
            Stage::Outside | Stage::Gone => {}
            Stage::Knocking => match connect::parse_reply(datagram) {
                Some(Reply::Port(_)) => {
                    user.stage = Stage::LoggingIn;
                    // A login is shorter than a datagram.
                    let _ = user.player.log_in(|datagram| out.send(index, datagram));
                    self.deadlines.set(index as u32, Some(now + SILENCE));
                }
                Some(Reply::Full | Reply::WrongVersion) => user.stage = Stage::Gone,
                Some(Reply::Pong) | None => {}
            },
            _ => self.hear(index, datagram, now, out),
        }
    }

    fn hear(&mut self, index: usize, datagram: &[u8], now: Time, out: &mut Outgoing) {
        let Some(user) = self.users.get_mut(index) else {
            return;
        };
        let Some(table) = self.tables.get_mut(user.table) else {
            return;
        };
        let mut news = Vec::new();
        let mut ear = Ear {
            now,
            play: user.play.as_mut(),
            room: &mut table.room,
            late_after: period(self.load.conn),
            signals: self.signals,
            tally: &mut self.tally,
        };
        let received = user.player.receive(
            datagram,
            |answer| out.send(index, answer),
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
        self.tally.gaps += u64::from(received.is_err());
        for news in news {
            self.move_on(index, news, now, out);
        }
        self.play(index, now, out);
    }

    /// Sends what is due, as far as a player may go ahead of the frames it has, and says when
    /// to come back.
    fn play(&mut self, index: usize, now: Time, out: &mut Outgoing) {
        let Some(user) = self.users.get_mut(index) else {
            return;
        };
        let Some(table) = self.tables.get_mut(user.table) else {
            return;
        };
        let (Stage::Playing, Some(play)) = (user.stage, &mut user.play) else {
            return;
        };
        let counts = self.signals.counts(now);
        while let Some(due) = play.next(now) {
            let input = user.hands.next();
            // An input is shorter than a datagram.
            let _ = user
                .player
                .play(input, |datagram| out.send(index, datagram));
            self.tally.datagrams_out += u64::from(counts);
            if counts {
                self.tally.own_lag.note(now.since(due.possible));
            }
            if let Some(frame) = due.frame {
                table.room.sent(frame, due.at, now);
            }
        }
        if play.is_stalled(now) {
            user.player.repeat(|datagram| out.send(index, datagram));
        }
        self.deadlines.set(index as u32, Some(play.deadline()));
    }

    fn move_on(&mut self, index: usize, news: News, now: Time, out: &mut Outgoing) {
        let Some(user) = self.users.get_mut(index) else {
            return;
        };
        let Some(table) = self.tables.get_mut(user.table) else {
            return;
        };
        self.deadlines.set(index as u32, Some(now + SILENCE));
        let owner = table.members.start;
        match news {
            News::LoggedIn => {
                user.stage = Stage::Lobby;
                if index == owner {
                    user.say(index, &ClientMessage::CreateGame { rom: b"Load" }, out);
                } else if let Some(game) = table.game {
                    user.say(index, &ClientMessage::JoinGame { game }, out);
                }
            }
            News::Opened(game) => {
                table.game = Some(game);
                for index in table.members.clone().skip(1) {
                    let guest = self.users.get_mut(index);
                    if let Some(guest) = guest.filter(|it| it.stage == Stage::Lobby) {
                        guest.say(index, &ClientMessage::JoinGame { game }, out);
                    }
                }
            }
            News::Entered => {
                user.stage = Stage::Seated;
                let members = self.users.get_mut(table.members.clone());
                if let Some(members) = members
                    && members.iter().all(|it| it.stage == Stage::Seated)
                    && let Some(first) = members.first_mut()
                {
                    first.say(owner, &ClientMessage::StartGame, out);
                }
            }
            News::Starts(delay) => {
                user.stage = Stage::GettingReady;
                user.delay = delay;
                table.room.delay(delay);
            }
            News::Go => {
                user.stage = Stage::Playing;
                let (table, members) = (user.table, table.members.clone());
                let members = self.users.get(members).unwrap_or_default();
                if members.iter().all(|it| it.stage == Stage::Playing) {
                    self.begin(table, now);
                }
            }
            News::Out => {
                user.stage = Stage::Gone;
                self.tally.dropped += 1;
                self.deadlines.set(index as u32, None);
            }
        }
    }

    /// All players of a table are ready: fixes their times.
    fn begin(&mut self, table: usize, now: Time) {
        let Some(table) = self.tables.get_mut(table) else {
            return;
        };
        let period = period(self.load.conn);
        let start = now + table.dice.part_of(period);
        for index in table.members.clone() {
            let Some(user) = self.users.get_mut(index) else {
                continue;
            };
            let first = start + table.dice.part_of(period / 4);
            let schedule = Schedule::new(first, self.load.conn);
            let zeros = table.room.zeros(user.delay);
            user.play = Some(Play::new(schedule, user.delay, zeros, now));
            self.deadlines.set(index as u32, Some(first));
        }
        self.signals.play(table.members.len() as u32);
    }
}

impl User {
    fn new(load: &Load, number: u32, table: usize) -> Self {
        let dice = Dice::new(load.seed, number.into());
        let input = load.input as usize * load.conn.frames();
        Self {
            player: Player::new(format!("player {number}").as_bytes(), load.conn),
            hands: Hands::new(dice, load.held, input),
            table,
            stage: Stage::Outside,
            delay: 1,
            play: None,
        }
    }

    fn say(&mut self, index: usize, message: &ClientMessage<'_>, out: &mut Outgoing) {
        // Nothing said here is longer than a datagram.
        let _ = self
            .player
            .say(message, |datagram| out.send(index, datagram));
    }
}
