//! How a session begins, logs in, starts over and ends (kaillera.md 1.4, 4).

use super::{ACKS, FAREWELL, Identity, REJECTION_MEMORY, State, UserActor};
use crate::{
    kaillera::message::ServerMessage,
    lobby::{Close, Departure},
    service::kaillera::{
        admission::Denied,
        mail::{Application, LobbyMail},
        post::Post,
    },
    timer::Time,
};
use std::time::Duration;

/// Messages that tell a user how it left its game, its room and the server (kaillera.md 6.4).
const LAST_WORDS: usize = 4;

impl UserActor {
    /// Begins to measure, or begins again (kaillera.md 4.2).
    pub(super) fn identify(&mut self, at: Time, identity: Identity) {
        if matches!(self.state, State::Open | State::Measuring { .. }) {
            self.state = State::Measuring {
                identity: Box::new(identity),
                since: at,
                acks: 0,
            };
            self.send_now(at, &ServerMessage::ServerAck);
        }
    }

    /// Counts acks, asked for or not: clients choose their ping by sending them when they like.
    pub(super) fn acknowledged(&mut self, at: Time, post: &Post) {
        let State::Measuring { since, acks, .. } = &mut self.state else {
            return;
        };
        *acks += 1;
        if *acks < ACKS {
            self.send_now(at, &ServerMessage::ServerAck);
            return;
        }
        self.ping = at.since(*since) / ACKS;
        let State::Measuring { identity, .. } = std::mem::replace(&mut self.state, State::Applying)
        else {
            return;
        };
        let application = Box::new(Application {
            name: identity.name,
            emulator: identity.emulator,
            connection_type: identity.connection_type,
            ping: self.ping,
            address: self.peer.address.ip(),
        });
        self.courier.lobby(
            LobbyMail::Login {
                user: self.key,
                application,
            },
            post,
        );
    }

    pub(super) fn logged_in(&mut self, post: &Post) {
        if matches!(self.state, State::Applying) {
            post.exchange()
                .admission
                .login_finished(self.peer.address.ip());
            self.state = State::LoggedIn;
            self.channel.logged_in();
            self.active = self.channel.last_new();
            self.check = Time::ZERO;
        }
    }

    pub(super) fn close(&mut self, now: Time, close: Close, post: &Post) {
        if matches!(self.state, State::Applying) {
            post.exchange()
                .admission
                .login_finished(self.peer.address.ip());
        }
        self.playing = None;
        self.channel.game_over();
        let (state, until) = match close {
            Close::Rejected => {
                let until = now + REJECTION_MEMORY;
                (State::Rejected { until }, until)
            }
            Close::Left => {
                // What else waited for it is of no use to one that has gone.
                if let Some(seat) = post.exchange().seat(self.key.seat) {
                    seat.with_backlog(|backlog| backlog.keep_last(LAST_WORDS));
                }
                let until = now + FAREWELL;
                (State::Leaving { until }, until)
            }
        };
        self.state = state;
        self.check = until;
    }

    /// A session begins in this seat.
    pub(super) fn begin(&mut self, at: Time, post: &Post) {
        self.key.generation = self.key.generation.wrapping_add(1);
        if let Some(seat) = post.exchange().seat(self.key.seat) {
            seat.take_over(self.key.generation);
        }
        self.channel.reset(at);
        self.state = State::Open;
        self.playing = None;
        self.hello_mark = false;
        self.ping = Duration::ZERO;
        self.active = at;
        self.check = Time::ZERO;
    }

    /// The same address begins a new session, if it may have another unfinished login; the
    /// old user leaves.
    pub(super) fn start_over(&mut self, at: Time, post: &Post) -> Result<(), Denied> {
        if !self.is_unfinished() {
            post.exchange().admission.reopen(self.peer.address.ip())?;
        }
        if self.is_known_to_lobby() {
            self.depart(Departure::Reconnected, post);
        }
        self.begin(at, post);
        Ok(())
    }

    /// The seat is free again and the address a stranger's.
    pub(super) fn vacate(&mut self, now: Time, post: &Post) {
        if matches!(self.state, State::Vacant) {
            return;
        }
        let exchange = post.exchange();
        if self.is_unfinished() {
            exchange.admission.login_finished(self.peer.address.ip());
        }
        self.begin(now, post);
        self.state = State::Vacant;
        post.closed(self.key.seat, self.peer.address);
    }

    pub(super) fn is_unfinished(&self) -> bool {
        matches!(
            self.state,
            State::Open | State::Measuring { .. } | State::Applying
        )
    }

    pub(super) fn depart(&mut self, why: Departure, post: &Post) {
        self.courier.lobby(
            LobbyMail::Depart {
                user: self.key,
                why,
            },
            post,
        );
    }
}
