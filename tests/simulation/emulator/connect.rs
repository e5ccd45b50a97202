//! From nothing to the lobby, and out again (kaillera.md 1, 4, 5).

use super::{Breed, Ctx, Emulator, PORTS, Phase, Speech, first_port};
use crate::network::{Datagram, SERVER};
use samara::{
    kaillera::{
        client::Client,
        connect::{PING, Reply, parse_reply},
    },
    timer::Time,
};
use std::time::Duration;

const HELLO: &[u8] = b"HELLO0.83\0";
const PONG_PATIENCE: Duration = Duration::from_secs(1);
const HELLO_PATIENCE: Duration = Duration::from_secs(2);
/// No client has a login timer, but each has a user.
const LOGIN_PATIENCE: Duration = Duration::from_secs(20);
/// Acks a client says, asked for or not.
const ACKS: u32 = 4;

impl Emulator {
    /// Logs in now, whatever it was waiting for.
    pub(crate) fn start(&mut self, now: Time) {
        if self.is_off() {
            self.phase = Phase::Off { until: now };
        }
    }

    /// Stays away until told to start.
    pub(crate) fn stay_off(&mut self) {
        if self.is_off() {
            let never = Time::from_nanos(u64::MAX);
            self.phase = Phase::Off { until: never };
        }
    }

    /// The program is gone at once, and comes back after a while.
    pub(crate) fn crash(&mut self, now: Time) {
        self.forget();
        self.link = None;
        self.quits_left = 0;
        self.phase = Phase::Off {
            until: now + self.rng.millis(300..=9_000),
        };
    }

    /// Says goodbye.
    pub(crate) fn quit(&mut self, ctx: &mut Ctx<'_>) {
        self.speak(ctx, Speech::Quit(b"bye"));
        let until = ctx.now + self.rng.millis(500..=8_000);
        self.forget();
        self.phase = Phase::Off { until };
        if self.character.breed == Breed::T02 {
            self.quits_left = 2;
            self.quit_again = ctx.now + Duration::from_millis(20);
        }
    }

    /// The server has ended the session, and it knows.
    pub(super) fn sent_away(&mut self, now: Time) {
        self.forget();
        self.link = None;
        self.phase = Phase::Off {
            until: now + self.rng.millis(500..=5_000),
        };
    }

    fn forget(&mut self) {
        self.stop_recording();
        self.run = None;
        self.trusted = false;
        self.view = Default::default();
        self.room = None;
        self.members.clear();
        self.lines.clear();
        self.id = None;
        self.unanswered = None;
        self.next_ack = None;
        self.fed_up_at = None;
        self.say.clear();
    }

    /// Whether one socket does everything.
    fn has_one_socket(&self) -> bool {
        matches!(self.character.breed, Breed::Sup | Breed::Bot)
    }

    pub(super) fn knock(&mut self, ctx: &mut Ctx<'_>) {
        self.link = None;
        self.quits_left = 0;
        let keeps_port = self.has_one_socket() && self.rng.chance(7_000);
        if !keeps_port {
            let first = first_port(self.character.number);
            self.port = first + (self.port - first + 4) % PORTS;
        }
        self.bound = ctx.now;
        if self.rng.chance(5_000) {
            self.connect_string(ctx, PING, 1);
            self.phase = Phase::Pinging {
                until: ctx.now + PONG_PATIENCE,
            };
        } else {
            self.hello(ctx);
        }
    }

    pub(super) fn hello(&mut self, ctx: &mut Ctx<'_>) {
        self.connect_string(ctx, HELLO, 2);
        self.phase = Phase::Hello {
            until: ctx.now + HELLO_PATIENCE,
        };
    }

    fn connect_string(&self, ctx: &mut Ctx<'_>, bytes: &[u8], socket: u16) {
        let mut from = self.address();
        if !self.has_one_socket() {
            from.set_port(from.port() + socket);
        }
        ctx.out.push(Datagram {
            from,
            to: SERVER,
            bytes: bytes.to_vec(),
        });
    }

    pub(super) fn connect_answer(&mut self, ctx: &mut Ctx<'_>, bytes: &[u8]) {
        match (self.phase, parse_reply(bytes)) {
            (Phase::Pinging { .. }, Some(Reply::Pong)) => self.hello(ctx),
            (Phase::Hello { .. }, Some(Reply::Port(port))) => {
                assert!(
                    port == SERVER.port() || self.character.garbled,
                    "sent to port {port}"
                );
                self.log_in(ctx);
            }
            (Phase::Hello { .. }, Some(Reply::Full)) => {
                self.refusals += 1;
                self.crash(ctx.now);
            }
            _ => {}
        }
    }

    fn log_in(&mut self, ctx: &mut Ctx<'_>) {
        self.link = Some(Client::new(self.habits()));
        self.last = None;
        self.heard = ctx.now;
        self.acks = 0;
        self.next_ack = self.character.fake_ping.map(|ping| ctx.now + ping);
        self.phase = Phase::LoggingIn {
            until: ctx.now + LOGIN_PATIENCE,
        };
        self.speak(ctx, Speech::Login);
    }

    pub(super) fn fake_ack(&mut self, ctx: &mut Ctx<'_>) {
        self.acks += 1;
        self.speak(ctx, Speech::Ack);
        let more = self.acks < ACKS;
        let next = self.character.fake_ping.map(|ping| ctx.now + ping);
        self.next_ack = next.filter(|_| more);
    }

    pub(super) fn server_ack(&mut self) {
        let asked = self.character.fake_ping.is_none() && self.acks < ACKS;
        if asked && matches!(self.phase, Phase::LoggingIn { .. }) {
            self.acks += 1;
            self.say.push(Speech::Ack);
        }
    }

    pub(super) fn logged_in(&mut self, now: Time, id: u16) {
        self.id = Some(id);
        self.logins += 1;
        self.phase = Phase::Lobby;
        self.next_ack = None;
        self.keepalive_at = now + self.character.keepalive;
        self.act_at = now + self.rng.millis(0..=1_500);
    }
}
