//! Users that say only that they are still there.

use super::{Change, Guests, Report, SETTLE, Title, Venue, guests};
use crate::{
    client::Dice,
    crowd::{Crowd, Party},
    measure::{Answers, Tally},
    options::{self, Asked},
    run::{Plan, Signals},
    wire::{Outgoing, Wire},
};
use samara::{kaillera::message::ClientMessage, timer::Time};
use std::{io, time::Duration};

pub(super) fn run(asked: &Asked, idle: &options::Idle) -> io::Result<Report> {
    let venue = Venue::new();
    let (clients, login_rate) = (&idle.clients, idle.logins.login_rate);
    let plan = Plan {
        logins: Duration::from_secs(clients.users.into()) / login_rate,
        settle: SETTLE,
        duration: clients.duration,
        server: idle.server.observed(),
        quiet: idle.output.quiet,
        step: None,
    };
    let party = |thread| {
        let guests = guests(clients, login_rate, thread, venue.clock.now());
        let mut tally = Tally::new()?;
        tally.users.asked = guests.visitors.len() as u64;
        Ok(Party {
            wire: Wire::new(idle.server.target, thread as u8 + 1, guests.visitors.len())?,
            crowd: Box::new(Idle {
                guests,
                every: idle.every,
                dice: Dice::new(clients.seed, thread.into()),
                arrived: 0,
                signals: &venue.signals,
                tally,
            }),
        })
    };
    let parties: io::Result<Vec<_>> = (0..clients.threads).map(party).collect();
    let outcome = venue.run(&plan, parties?)?;
    let title = Title {
        scenario: "idle",
        delay: "delay",
        answers: Answers::Users,
    };
    Ok(title.report(asked, idle.lost.stated(), &outcome))
}

struct Idle<'a> {
    guests: Guests,
    every: Duration,
    dice: Dice,
    arrived: u64,
    signals: &'a Signals,
    tally: Tally,
}

impl Crowd for Idle<'_> {
    fn clients(&self) -> usize {
        self.guests.visitors.len()
    }

    fn turn(&mut self, now: Time, out: &mut Outgoing) {
        while let Some(client) = self.guests.pop_due(now, out) {
            self.guests.say(client, &ClientMessage::KeepAlive, out);
            self.guests.set(client, now + self.every);
        }
    }

    fn receive(&mut self, client: usize, datagram: &[u8], now: Time, out: &mut Outgoing) {
        let tally = &mut self.tally;
        let change = self.guests.receive(client, datagram, out, tally, |_, _| {});
        match change {
            Some(Change::Arrived) => {
                self.arrived += 1;
                self.signals.arrive(1);
                self.guests.set(client, now + self.dice.part_of(self.every));
            }
            Some(Change::Left) => self.tally.users.dropped += 1,
            None => {}
        }
    }

    fn next(&self) -> Option<Time> {
        self.guests.deadlines.next()
    }

    fn is_done(&self) -> bool {
        true
    }

    fn sum_up(&mut self) {
        self.tally.expected = self.clients() as u64;
        self.tally.received = self.guests.inside() as u64;
        self.tally.users.absent = self.clients() as u64 - self.arrived;
    }

    fn leave(&mut self, client: usize, out: &mut Outgoing) -> bool {
        self.guests.leave(client, out)
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}
