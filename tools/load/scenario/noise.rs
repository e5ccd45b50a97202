//! What goes on beside a load and should not be felt there.

use super::{Change, Guests};
use crate::{
    client::{Dice, Visitor},
    crowd::Crowd,
    measure::Tally,
    run::Signals,
    wire::Outgoing,
};
use samara::{
    kaillera::message::{ClientMessage, ConnectionType},
    timer::Time,
};
use std::{io, time::Duration};

/// Where garbage comes from: one user, and strangers.
pub(crate) const GARBAGE_CLIENTS: u32 = 64;

/// Noise leaves so often.
const TICK: Duration = Duration::from_millis(1);
/// Who could not keep up makes up for so much.
const CATCH_UP: Duration = Duration::from_millis(20);
/// Datagrams that leave before answers are looked for.
const BURST: u64 = 1024;
/// Longest garbage.
const LONGEST: usize = 600;

/// What is sent, and how much of it per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noise {
    /// Lobby lines of users who do not care what they are told.
    Flood { flooders: u32, rate: u32 },
    /// Malformed datagrams.
    Garbage { rate: u32 },
}

/// Those who send it.
pub(super) struct NoiseCrowd<'a> {
    noise: Noise,
    /// Users, before the strangers on the wire.
    users: Guests,
    dice: Dice,
    sent: u64,
    next: Time,
    signals: &'a Signals,
    tally: Tally,
}

impl Noise {
    fn rate(self) -> u32 {
        match self {
            Self::Flood { rate, .. } | Self::Garbage { rate } => rate,
        }
    }
}

impl<'a> NoiseCrowd<'a> {
    pub(super) fn new(
        noise: Noise,
        seed: u64,
        start: Time,
        signals: &'a Signals,
    ) -> io::Result<Self> {
        let users = match noise {
            Noise::Flood { flooders, .. } => flooders,
            Noise::Garbage { .. } => 1,
        };
        let visitor = |client: u32| {
            let name = format!("noise {client}");
            let visitor = Visitor::new(client as usize, &name, ConnectionType::Lan);
            (visitor, start)
        };
        Ok(Self {
            noise,
            users: Guests::new((0..users).map(visitor)),
            dice: Dice::new(seed, u64::MAX),
            sent: 0,
            next: start,
            signals,
            tally: Tally::new()?,
        })
    }

    /// How many datagrams are due at `now`, of which a few may be made up for.
    fn due(&mut self, now: Time) -> u64 {
        if !self.signals.counts(now) {
            return 0;
        }
        let passed = now.since(self.signals.begin());
        let by = |time: Duration| {
            (time.as_nanos() * u128::from(self.noise.rate()) / 1_000_000_000) as u64
        };
        self.sent = self.sent.max(by(passed.saturating_sub(CATCH_UP)));
        (by(passed) - self.sent.min(by(passed))).min(BURST)
    }

    fn send(&mut self, out: &mut Outgoing) {
        self.sent += 1;
        let users = self.users.visitors.len();
        let roll = self.dice.roll();
        match self.noise {
            Noise::Flood { .. } => {
                let client = self.sent as usize % users.max(1);
                if let Some(user) = self.users.visitors.get_mut(client)
                    && user.is_inside()
                {
                    let text = format!("flood {}", self.sent);
                    let text = text.as_bytes();
                    user.say(&ClientMessage::Chat { text }, out);
                }
            }
            Noise::Garbage { .. } => {
                // A quarter of it comes from the user.
                let stranger = 1 + roll as usize % (GARBAGE_CLIENTS as usize - 1);
                let client = if self.dice.percent(25) { 0 } else { stranger };
                let dice = &mut self.dice;
                out.queue(client, |buffer| write_garbage(dice, buffer));
            }
        }
    }
}

/// Writes a datagram that no server has a use for; its length.
fn write_garbage(dice: &mut Dice, buffer: &mut [u8]) -> usize {
    const TEXTS: [&[u8]; 8] = [
        b"HELLO0.83",
        b"HELLO9.99\0",
        b"HELLOD00D1\0",
        b"HELL\0",
        b"PINGPINGPING",
        b"PONG\0",
        b"TOO\0",
        b"\0",
    ];
    let mut roll = |below: usize| dice.roll() as usize % below;
    let kind = roll(4);
    if kind == 0 {
        let text = TEXTS.get(roll(TEXTS.len())).copied().unwrap_or_default();
        let place = buffer.get_mut(..text.len()).unwrap_or_default();
        place.copy_from_slice(text.get(..place.len()).unwrap_or_default());
        return place.len();
    }
    let length = roll(LONGEST.min(buffer.len()) + 1);
    let datagram = buffer.get_mut(..length).unwrap_or_default();
    datagram.fill_with(|| roll(256) as u8);
    if kind > 1 {
        // The head of a bundle whose first message is longer than it, or of a kind nobody has.
        let number = roll(1 << 16).to_le_bytes();
        let short = if kind == 2 { 200 } else { 5 };
        let head = [
            1 + roll(5) as u8,
            number[0],
            number[1],
            short,
            2 * (kind == 2) as u8,
            0xEE,
        ];
        datagram
            .iter_mut()
            .zip(head)
            .for_each(|(to, from)| *to = from);
    }
    length
}

impl Crowd for NoiseCrowd<'_> {
    fn clients(&self) -> usize {
        match self.noise {
            Noise::Flood { flooders, .. } => flooders as usize,
            Noise::Garbage { .. } => GARBAGE_CLIENTS as usize,
        }
    }

    fn awaited(&self) -> usize {
        self.users.visitors.len()
    }

    fn is_noise(&self) -> bool {
        true
    }

    fn turn(&mut self, now: Time, out: &mut Outgoing) {
        // Users inside have nothing else to do.
        while self.users.pop_due(now, out).is_some() {}
        if self.next <= now {
            (0..self.due(now)).for_each(|_| self.send(out));
            self.next = now + TICK;
        }
    }

    fn receive(&mut self, client: usize, datagram: &[u8], _: Time, out: &mut Outgoing) {
        let tally = &mut self.tally;
        let gaps = tally.frames.gaps;
        let change = self.users.receive(client, datagram, out, tally, |_, _| {});
        // Whoever makes noise may miss something.
        tally.frames.gaps = gaps;
        match change {
            Some(Change::Arrived) => self.signals.arrive(1),
            Some(Change::Left) => tally.noise_ended += 1,
            None => {}
        }
    }

    fn next(&self) -> Option<Time> {
        Some(self.next)
    }

    fn is_done(&self) -> bool {
        true
    }

    fn leave(&mut self, client: usize, out: &mut Outgoing) -> bool {
        self.users.leave(client, out)
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use samara::kaillera::{
        bundle::Bundle,
        connect::{Connect, VERSION},
        message::ClientMessage,
    };

    fn crowd(signals: &Signals, rate: u32) -> NoiseCrowd<'_> {
        NoiseCrowd::new(Noise::Garbage { rate }, 1, Time::ZERO, signals).unwrap()
    }

    #[test]
    fn noise_keeps_to_its_rate() {
        let signals = Signals::new();
        let mut crowd = crowd(&signals, 2_000);
        assert_eq!(crowd.due(Time::from_millis(500)), 0, "not before it begins");
        signals.set(Time::from_millis(1_000), Time::from_millis(9_000));
        assert_eq!(crowd.due(Time::from_millis(1_005)), 10);
        crowd.sent += 10;
        assert_eq!(crowd.due(Time::from_millis(1_005)), 0);
        assert_eq!(
            crowd.due(Time::from_millis(2_000)),
            40,
            "not all of a second"
        );
        assert_eq!(crowd.due(Time::from_millis(9_000)), 0, "not after the end");
    }

    #[test]
    fn garbage_lets_nobody_in() {
        let mut dice = Dice::new(3, 3);
        let mut buffer = [0; 4096];
        let mut lengths = [usize::MAX, 0];
        for _ in 0..20_000 {
            let length = write_garbage(&mut dice, &mut buffer);
            let datagram = &buffer[..length];
            lengths = [lengths[0].min(length), lengths[1].max(length)];
            assert_ne!(
                Connect::parse(datagram),
                Some(Connect::Hello { version: VERSION })
            );
            for message in Bundle::parse(datagram)
                .iter()
                .flat_map(Bundle::oldest_first)
            {
                let login = ClientMessage::decode(message.kind, message.body);
                assert!(!matches!(login, Ok(ClientMessage::UserInformation { .. })));
            }
        }
        assert_eq!(lengths, [0, LONGEST]);
    }
}
