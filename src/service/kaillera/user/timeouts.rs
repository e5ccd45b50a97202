//! What happens to a user that says nothing (kaillera.md 4.2, 5, 9.3).

use super::{FAREWELL, State, UserActor};
use crate::{
    lobby::Departure,
    service::kaillera::{mail::LobbyMail, post::Post},
    timer::Time,
};
use std::time::Duration;

/// Shorter timeouts of a configuration that is read again count for everybody after this.
const NEWS: Duration = Duration::from_secs(60);

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
        let exchange = post.exchange();
        let patience = exchange.live.keepalive_timeout();
        let patience = match self.channel.has_spoken() {
            true => patience,
            false => patience.min(exchange.settings.link.first_keepalive),
        };
        let lost = self.channel.last_new() + patience;
        if lost <= now {
            self.depart(Departure::ConnectionLost, post);
            return now + FAREWELL;
        }
        let mut next = lost.min(now + NEWS);
        if let Some(timeout) = exchange.live.idle_timeout() {
            let mut idle = self.active + timeout;
            if idle <= now {
                self.depart(Departure::Idle, post);
                self.active = now;
                idle = now + timeout;
            }
            next = next.min(idle);
        }
        if self.playing.is_some() {
            let drop_after = exchange.settings.link.drop_after;
            let mut silent = self.channel.last_heard() + drop_after;
            if silent <= now {
                self.courier
                    .lobby(LobbyMail::DropPlayer { user: self.key }, post);
                silent = now + drop_after;
            }
            next = next.min(silent);
        }
        next
    }
}
