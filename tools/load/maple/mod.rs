//! Clients of Maple sessions, and what a gateway in front of them makes of it.

mod client;
mod stage;
mod world;

pub(crate) use client::LEAST;
pub(crate) use stage::Through;

use crate::{
    measure::{About, Answers, Outcome, Tally},
    options::{self, Asked, Rate},
    record::Traffic,
    scenario::Report,
};
use client::Client;
use mio::{Events, Interest, Poll, Token, net::TcpStream};
use samara::{
    maple::{Codec, Profile},
    net::Clock,
    timer::Time,
};
use stage::Stage;
use std::{
    io,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use world::TO_ALL;

/// For all to be greeted, and for the last answers.
const PATIENCE: Duration = Duration::from_secs(10);
/// The opcode of a packet that comes back to who said it.
const ECHO: u16 = 0x31;
/// Connections made at a time.
const AT_A_TIME: usize = 64;

/// Runs the scenario.
///
/// # Errors
///
/// When the stage cannot be set up or a client is cut off.
pub(crate) fn run(asked: &Asked, maple: &options::Maple) -> io::Result<Report> {
    let stage = match maple.target {
        Some(_) => None,
        None => Some(Stage::start(maple)?),
    };
    let target = maple.target.or(stage.as_ref().map(|stage| stage.address));
    let target = target.ok_or(io::ErrorKind::AddrNotAvailable)?;
    let mut crowd = Crowd::new(maple)?;
    crowd.come(target)?;
    let wall = SystemTime::now().duration_since(UNIX_EPOCH);
    let before = stage.as_ref().and_then(Stage::processor);
    let seconds = crowd.talk()?;
    let after = stage.as_ref().and_then(Stage::processor);
    let Crowd {
        tally, processed, ..
    } = crowd;
    if let Some((before, after)) = before.zip(after)
        && processed > 0
    {
        let each = (after - before) / u32::try_from(processed).unwrap_or(u32::MAX);
        let most = 1e9 / (each.as_nanos() as f64).max(1.0);
        println!(
            "{:?}: {each:?} of its thread per packet, {most:.0} packets per second of one core",
            maple.through,
        );
    }
    let outcome = Outcome {
        tally,
        began: wall.map_or(0, |it| it.as_secs()),
        seconds,
        series: Vec::new(),
        server: None,
    };
    let limits = maple.limits.stated(None);
    let about = About {
        scenario: "maple",
        delay: "round trip",
        answers: Answers::Named("packets"),
        options: asked.options.clone(),
        limits,
    };
    Ok(Report {
        record: outcome.record(&about),
        held: limits.hold(&outcome.tally),
    })
}

/// All clients, on one thread.
struct Crowd<'a> {
    maple: &'a options::Maple,
    clock: Clock,
    codec: Codec,
    poll: Poll,
    events: Events,
    clients: Vec<Client>,
    tally: Tally,
    sent: u64,
    /// Packets that passed what is measured, both ways.
    processed: u64,
}

impl<'a> Crowd<'a> {
    fn new(maple: &'a options::Maple) -> io::Result<Self> {
        let mut tally = Tally::new()?;
        tally.users.asked = maple.clients.users.into();
        Ok(Self {
            maple,
            clock: Clock::start(),
            codec: Codec::new(Profile::GMS_83),
            poll: Poll::new()?,
            events: Events::with_capacity(1024),
            clients: Vec::new(),
            tally,
            sent: 0,
            processed: 0,
        })
    }

    /// Connects all, and waits until they are greeted and have heard a first packet.
    fn come(&mut self, target: std::net::SocketAddr) -> io::Result<()> {
        let users = self.maple.clients.users;
        let until = self.clock.now() + PATIENCE + Duration::from_millis(users.into());
        for number in 0..users {
            let mut socket = TcpStream::connect(target)?;
            let interest = Interest::READABLE | Interest::WRITABLE;
            let token = Token(number as usize);
            self.poll
                .registry()
                .register(&mut socket, token, interest)?;
            self.clients.push(Client::new(socket, number));
            while (number as usize).is_multiple_of(AT_A_TIME)
                && !self.clients.last().is_some_and(Client::is_greeted)
            {
                self.listen(Some(Duration::from_millis(10)), |_, _, _| {})?;
                self.check(until)?;
            }
        }
        let is_greeted = |crowd: &Self| crowd.clients.iter().all(Client::is_greeted);
        while !is_greeted(self) {
            self.listen(Some(Duration::from_millis(10)), |_, _, _| {})?;
            self.check(until)?;
        }
        let now = self.clock.now();
        for client in &mut self.clients {
            // Without it answers come late.
            client.socket.set_nodelay(true)?;
            client.say(ECHO, LEAST, now)?;
            client.flush()?;
        }
        while self.clients.iter().any(|client| client.under_way > 0) {
            self.listen(Some(Duration::from_millis(10)), |_, _, _| {})?;
            self.check(until)?;
        }
        Ok(())
    }

    fn check(&self, until: Time) -> io::Result<()> {
        match self.clock.now() < until {
            true => Ok(()),
            false => Err(io::Error::other("clients were not served in time")),
        }
    }

    /// Says and hears packets for as long as was asked for; how many seconds that was.
    fn talk(&mut self) -> io::Result<f64> {
        self.processed = 0;
        let begin = self.clock.now();
        let end = begin + self.maple.clients.duration;
        let opcode = if self.maple.broadcast { TO_ALL } else { ECHO };
        loop {
            let now = self.clock.now();
            if now >= end {
                break;
            }
            let wait = self.say(opcode, begin, now)?;
            self.listen(Some(wait), note)?;
        }
        let until = self.clock.now() + PATIENCE;
        let seconds = self.clock.now().since(begin).as_secs_f64();
        while self.clients.iter().any(|client| client.under_way > 0) && self.clock.now() < until {
            self.listen(Some(Duration::from_millis(5)), note)?;
        }
        let each = if self.maple.broadcast {
            self.maple.clients.users
        } else {
            1
        };
        self.tally.expected = self.sent * u64::from(each);
        self.tally.received = self.processed;
        self.processed += self.sent;
        Ok(seconds)
    }

    /// Says what is due; how long nothing is.
    fn say(&mut self, opcode: u16, begin: Time, now: Time) -> io::Result<Duration> {
        let size = self.maple.size as usize;
        match self.maple.rate {
            Rate::Max => {
                for client in &mut self.clients {
                    while client.under_way < self.maple.window as usize {
                        client.say(opcode, size, now)?;
                        self.sent += 1;
                    }
                    client.flush()?;
                }
                Ok(Duration::from_millis(1))
            }
            Rate::PerSecond(rate) => loop {
                let nanos = u128::from(self.sent) * 1_000_000_000 / u128::from(rate);
                let due = begin + Duration::from_nanos(nanos as u64);
                if due > now {
                    return Ok(due.since(now).min(Duration::from_millis(1)));
                }
                let next = self.sent as usize % self.clients.len().max(1);
                if let Some(client) = self.clients.get_mut(next) {
                    client.say(opcode, size, due)?;
                    client.flush()?;
                    self.tally.own_lag.note(now.since(due));
                }
                self.sent += 1;
            },
        }
    }

    fn listen(
        &mut self,
        wait: Option<Duration>,
        mut note: impl FnMut(&mut Tally, usize, Duration),
    ) -> io::Result<()> {
        match self.poll.poll(&mut self.events, wait) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
        let now = self.clock.now();
        for event in &self.events {
            let Some(client) = self.clients.get_mut(event.token().0) else {
                continue;
            };
            if event.is_writable() {
                client.flush()?;
            }
            let (tally, processed) = (&mut self.tally, &mut self.processed);
            client.receive(&self.codec, |len, due| {
                *processed += 1;
                note(tally, len, now.since(due));
            })?;
        }
        Ok(())
    }
}

fn note(tally: &mut Tally, len: usize, time: Duration) {
    tally.note(time);
    tally.count(&Traffic {
        bytes_in: len as u64,
        ..Traffic::default()
    });
}
