//! What happens to a user that says nothing (kaillera.md 4.2, 5, 9.3).

use super::{FAREWELL, State, UserActor};
use crate::{
    lobby::Departure,
    service::kaillera::{mail::LobbyMail, post::Post},
    timer::Time,
};

impl UserActor {
    /// Acts on the timeouts that have passed; says when the next one can.
    pub(super) fn check_timeouts(&mut self, now: Time, post: &Post) -> Time {
        let settings = &post.exchange().settings;
        let link = &settings.link;
        match self.state {
            State::Vacant => now + link.login_timeout,
            State::Open | State::Measuring { .. } => {
                let end = self.channel.last_new() + link.login_timeout;
                if end <= now {
                    self.vacate(now, post);
                }
                end.max(now)
            }
            State::Applying => now + link.login_timeout,
            State::Rejected { until } => {
                if until <= now {
                    self.vacate(now, post);
                }
                until.max(now)
            }
            State::Leaving { until } => until,
            State::LoggedIn => self.check_user(now, post),
        }
    }

    fn check_user(&mut self, now: Time, post: &Post) -> Time {
        let settings = &post.exchange().settings;
        let patience = settings.rules.keepalive_timeout;
        let patience = match self.channel.has_spoken() {
            true => patience,
            false => patience.min(settings.link.first_keepalive),
        };
        let lost = self.channel.last_new() + patience;
        if lost <= now {
            self.depart(Departure::ConnectionLost, post);
            return now + FAREWELL;
        }
        let mut next = lost;
        if !settings.rules.idle_timeout.is_zero() {
            let mut idle = self.active + settings.rules.idle_timeout;
            if idle <= now {
                self.depart(Departure::Idle, post);
                self.active = now;
                idle = now + settings.rules.idle_timeout;
            }
            next = next.min(idle);
        }
        if self.playing.is_some() {
            let mut silent = self.channel.last_heard() + settings.link.drop_after;
            if silent <= now {
                self.courier
                    .lobby(LobbyMail::DropPlayer { user: self.key }, post);
                silent = now + settings.link.drop_after;
            }
            next = next.min(silent);
        }
        next
    }
}
