//! Players in lockstep games: on their way into a game, in it, and out.

use super::{
    NOISE_NETWORK, Report, SETTLE, Title, Venue, login_due,
    noise::{Noise, NoiseCrowd},
};
use crate::{
    client::{
        Dice, Ear, Hands, Heard, Inputs, Play, Room, SILENCE, Schedule, Stage, Visitor, period,
    },
    crowd::{Crowd, Party},
    measure::{Answers, Tally},
    options::{Asked, Kaillera},
    player::Told,
    run::{Plan, Signals},
    wire::{Outgoing, Wire},
};
use samara::{
    kaillera::message::{ClientMessage, ConnectionType, GameId},
    net::Clock,
    timer::{Deadlines, Time},
};
use std::{io, net::SocketAddr, ops::Range, time::Duration};

pub(super) const DELAY: &str = "added delay";

/// Who plays, and how.
#[derive(Clone, Debug)]
pub(super) struct Lineup {
    pub(super) target: SocketAddr,
    pub(super) users: u32,
    pub(super) players: u32,
    pub(super) conn: ConnectionType,
    pub(super) inputs: Inputs,
    pub(super) seed: u64,
    pub(super) threads: u32,
    pub(super) login_rate: u32,
}

/// Runs games, and noise beside them.
pub(super) fn run(
    asked: &Asked,
    games: &Kaillera,
    scenario: &'static str,
    noise: Option<Noise>,
) -> io::Result<Report> {
    let lineup = Lineup {
        target: games.server.target,
        users: games.clients.users,
        players: games.play.players,
        conn: games.play.conn,
        inputs: asked.inputs.clone(),
        seed: games.clients.seed,
        threads: games.clients.threads,
        login_rate: games.logins.login_rate,
    };
    let plan = Plan {
        logins: lineup.logins(),
        settle: SETTLE,
        duration: games.clients.duration,
        server: games.server.observed(),
        quiet: games.output.quiet,
        step: None,
    };
    let venue = Venue::new();
    let mut parties = lineup.parties(venue.clock, &venue.signals)?;
    if let Some(noise) = noise {
        let crowd = NoiseCrowd::new(noise, lineup.seed, venue.clock.now(), &venue.signals)?;
        parties.push(Party {
            wire: Wire::new(lineup.target, NOISE_NETWORK, crowd.clients())?,
            crowd: Box::new(crowd),
        });
    }
    let outcome = venue.run(&plan, parties)?;
    let title = Title {
        scenario,
        delay: DELAY,
        answers: Answers::Frames,
    };
    let limits = games.limits.stated(games.play.max_late);
    Ok(title.report(asked, limits, &outcome))
}

impl Lineup {
    /// How many rooms; users that would not fill one are left out.
    fn rooms(&self) -> u32 {
        self.users / self.players
    }

    /// How long it takes until the last has logged in.
    pub(super) fn logins(&self) -> Duration {
        Duration::from_secs(self.users.into()) / self.login_rate
    }

    /// A party for each thread.
    pub(super) fn parties<'a>(
        &'a self,
        clock: Clock,
        signals: &'a Signals,
    ) -> io::Result<Vec<Party<'a>>> {
        let party = |thread| {
            let crowd = Games::new(self, thread, clock.now(), signals)?;
            Ok(Party {
                wire: Wire::new(self.target, thread as u8 + 1, crowd.users.len())?,
                crowd: Box::new(crowd),
            })
        };
        (0..self.threads).map(party).collect()
    }
}

/// Some of the rooms with all of their players.
struct Games<'a> {
    lineup: &'a Lineup,
    signals: &'a Signals,
    users: Vec<User>,
    tables: Vec<Table>,
    deadlines: Deadlines,
    tally: Tally,
}

struct User {
    visitor: Visitor,
    hands: Hands,
    table: usize,
    seat: Seat,
    delay: u16,
    play: Option<Play>,
}

/// Where a user is once it is on the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seat {
    None,
    Taken,
    GettingReady,
    Playing,
}

/// A room and who sits there; the owner is the first.
struct Table {
    room: Room,
    members: Range<usize>,
    game: Option<GameId>,
    dice: Dice,
}

/// What moves a user on.
#[derive(Clone, Copy)]
enum News {
    LoggedIn,
    Opened(GameId),
    Entered,
    Starts(u16),
    Go,
    Out,
}

impl<'a> Games<'a> {
    /// Every `threads`th room from the `thread`th on.
    fn new(lineup: &'a Lineup, thread: u32, start: Time, signals: &'a Signals) -> io::Result<Self> {
        let mut users = Vec::new();
        let mut tables = Vec::new();
        let mut logins = Vec::new();
        for room in (thread..lineup.rooms()).step_by(lineup.threads as usize) {
            let begin = users.len();
            for number in room * lineup.players..(room + 1) * lineup.players {
                logins.push(login_due(start, number, lineup.login_rate));
                users.push(User::new(lineup, number, users.len(), tables.len()));
            }
            tables.push(Table {
                room: Room::new(),
                members: begin..users.len(),
                game: None,
                dice: Dice::new(lineup.seed, u64::from(room) << 32),
            });
        }
        let mut deadlines = Deadlines::new(users.len());
        for (index, at) in (0..).zip(logins) {
            deadlines.set(index, Some(at));
        }
        let mut tally = Tally::new()?;
        tally.users.asked = users.len() as u64;
        Ok(Self {
            lineup,
            signals,
            users,
            tables,
            deadlines,
            tally,
        })
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
            late_after: period(self.lineup.conn),
            signals: self.signals,
            tally: &mut self.tally,
        };
        let was_knocking = user.visitor.stage() == Stage::Knocking;
        let heard = user.visitor.receive(datagram, out, |told| match told {
            Told::Frames(content) => ear.frames(content),
            Told::Lost(count) => ear.tally.miss(count.into()),
            Told::Line(text) => ear.line(text),
            Told::LoggedIn => news.push(News::LoggedIn),
            Told::Opened(game) => news.push(News::Opened(game)),
            Told::Entered => news.push(News::Entered),
            Told::Starts { delay } => news.push(News::Starts(delay)),
            Told::Go => news.push(News::Go),
            Told::Out => news.push(News::Out),
            Told::Chat(_) | Told::Nothing => {}
        });
        match heard {
            Heard::News if was_knocking => self.deadlines.set(index as u32, Some(now + SILENCE)),
            Heard::News => {}
            Heard::Again => self.tally.frames.resends += u64::from(self.signals.counts(now)),
            Heard::Malformed => self.tally.miss(1),
        }
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
        let (Seat::Playing, Some(play)) = (user.seat, &mut user.play) else {
            return;
        };
        let counts = self.signals.counts(now);
        while let Some(due) = play.next(now) {
            let cached = user.visitor.play(user.hands.next(), out);
            if counts {
                self.tally.inputs += 1;
                self.tally.cached += u64::from(cached);
                self.tally.own_lag.note(now.since(due.possible));
            }
            if let Some(frame) = due.frame {
                table.room.sent(frame, due.at, now);
            }
        }
        if play.is_stalled(now) {
            self.tally.frames.stalls += u64::from(counts);
            user.visitor.nudge(out);
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
                if index == owner {
                    user.visitor
                        .say(&ClientMessage::CreateGame { rom: b"Load" }, out);
                } else if let Some(game) = table.game {
                    user.visitor.say(&ClientMessage::JoinGame { game }, out);
                }
            }
            News::Opened(game) => {
                table.game = Some(game);
                let guests = self.users.get_mut(table.members.clone());
                let guests = guests.unwrap_or_default().iter_mut().skip(1);
                for guest in guests.filter(|it| it.visitor.is_inside()) {
                    guest.visitor.say(&ClientMessage::JoinGame { game }, out);
                }
            }
            News::Entered => {
                user.seat = Seat::Taken;
                let members = self.users.get_mut(table.members.clone());
                if let Some(members) = members
                    && members.iter().all(|it| it.seat == Seat::Taken)
                    && let Some(first) = members.first_mut()
                {
                    first.visitor.say(&ClientMessage::StartGame, out);
                }
            }
            News::Starts(delay) => {
                user.seat = Seat::GettingReady;
                user.delay = delay;
                table.room.delay(delay);
            }
            News::Go => {
                user.seat = Seat::Playing;
                let (table, members) = (user.table, table.members.clone());
                let members = self.users.get(members).unwrap_or_default();
                if members.iter().all(|it| it.seat == Seat::Playing) {
                    self.begin(table, now);
                }
            }
            News::Out => {
                user.seat = Seat::None;
                self.tally.users.dropped += 1;
                self.deadlines.set(index as u32, None);
            }
        }
    }

    /// All players of a table are ready: fixes their times.
    fn begin(&mut self, table: usize, now: Time) {
        let Some(table) = self.tables.get_mut(table) else {
            return;
        };
        let period = period(self.lineup.conn);
        let start = now + table.dice.part_of(period);
        for index in table.members.clone() {
            let Some(user) = self.users.get_mut(index) else {
                continue;
            };
            let first = start + table.dice.part_of(period / 4);
            let schedule = Schedule::new(first, self.lineup.conn);
            let zeros = table.room.zeros(user.delay);
            user.play = Some(Play::new(schedule, user.delay, zeros, now));
            self.deadlines.set(index as u32, Some(first));
        }
        self.signals.arrive(table.members.len());
    }
}

impl Crowd for Games<'_> {
    fn clients(&self) -> usize {
        self.users.len()
    }

    fn turn(&mut self, now: Time, out: &mut Outgoing) {
        while let Some(key) = self.deadlines.pop_due(now) {
            let index = key as usize;
            match self.users.get_mut(index) {
                Some(user) if user.seat == Seat::Playing => self.play(index, now, out),
                Some(user) if user.visitor.stage() != Stage::Gone => {
                    user.visitor.nudge(out);
                    self.deadlines.set(key, Some(now + SILENCE));
                }
                _ => {}
            }
        }
    }

    fn receive(&mut self, client: usize, datagram: &[u8], now: Time, out: &mut Outgoing) {
        self.hear(client, datagram, now, out);
    }

    fn next(&self) -> Option<Time> {
        self.deadlines.next()
    }

    fn is_done(&self) -> bool {
        let end = self.signals.end();
        self.users.iter().all(|user| {
            let play = user.play.as_ref().filter(|_| user.seat == Seat::Playing);
            play.is_none_or(|play| play.is_done(end))
        })
    }

    fn sum_up(&mut self) {
        let (begin, end) = (self.signals.begin(), self.signals.end());
        for user in &self.users {
            match &user.play {
                Some(play) => self.tally.expected += play.due_between(begin, end),
                None => self.tally.users.absent += 1,
            }
        }
    }

    fn leave(&mut self, client: usize, out: &mut Outgoing) -> bool {
        let user = self.users.get_mut(client);
        user.is_some_and(|user| user.visitor.leave(out))
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

impl User {
    fn new(lineup: &Lineup, number: u32, client: usize, table: usize) -> Self {
        Self {
            visitor: Visitor::new(client, &format!("player {number}"), lineup.conn),
            hands: Hands::new(&lineup.inputs, lineup.seed, number, lineup.conn),
            table,
            seat: Seat::None,
            delay: 1,
            play: None,
        }
    }
}
