//! What a web hook is told, and when: Discord's form, which others take too.
//!
//! ```text
//!   POST url    {"content": "Ann opened a room: Game", "allowed_mentions": {"parse": []}}
//! ```
//!
//! A hook has a queue with a bound. What cannot be told in time is dropped and counted; a room
//! that has closed before its opening was told is not told of at all. When a hook says that it
//! is told too much (429, or that nothing is left of its allowance), it is left alone for as long
//! as it says.

use super::{Identity, Template};
use crate::{lobby::RoomEventKind, service::kaillera::RoomNews, timer::Time};
use std::{collections::VecDeque, time::Duration};

/// What may wait for one hook.
const QUEUE: usize = 64;
/// Least time between two posts to one hook.
const PACE: Duration = Duration::from_millis(500);
/// Until a post that failed is tried again.
const RETRY: Duration = Duration::from_secs(30);
/// Tries that a post is worth.
const TRIES: u32 = 3;
/// What has waited this long is no news.
const STALE: Duration = Duration::from_secs(300);
/// A room like the one that was told of last is not told of for this long.
const REPEAT: Duration = Duration::from_secs(600);
/// The longest that a hook can ask to be left alone.
const LONGEST_HOLD: Duration = Duration::from_secs(3600);
/// Most characters of a content.
const CONTENT: usize = 2000;

/// Which hooks there are, and what they are told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Where they are.
    pub urls: Vec<String>,
    /// Said when a room has waited long enough for players.
    pub opened: Template,
    /// Said when the game of such a room starts.
    pub started: Template,
    /// Said when such a room is closed.
    pub closed: Template,
}

impl Settings {
    fn template(&self, kind: RoomEventKind) -> &Template {
        match kind {
            RoomEventKind::Opened => &self.opened,
            RoomEventKind::Started => &self.started,
            RoomEventKind::Closed => &self.closed,
        }
    }
}

/// What became of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was taken; the next one is to wait so long.
    Taken(Duration),
    /// It was not taken, and is to be said again after this time.
    Later(Duration),
    /// It was not taken and never will be.
    Refused,
    /// Nobody answered, or somebody who is ill.
    Failed,
}

impl Outcome {
    /// What an answer means: its status, `Retry-After` in whole seconds, `X-RateLimit-Remaining`
    /// and `X-RateLimit-Reset-After` in seconds.
    pub fn of(
        status: u16,
        retry_after: Option<&str>,
        remaining: Option<&str>,
        reset_after: Option<&str>,
    ) -> Self {
        match status {
            200..=299 => {
                let is_used_up = remaining.is_some_and(|it| it.trim() == "0");
                Self::Taken(match reset_after.and_then(seconds) {
                    Some(time) if is_used_up => time,
                    _ => Duration::ZERO,
                })
            }
            429 => Self::Later(retry_after.and_then(seconds).unwrap_or(RETRY)),
            408 | 500..=599 => Self::Failed,
            _ => Self::Refused,
        }
    }
}

/// One hook: what waits for it, and how long it wants to be left alone.
#[derive(Debug, Default)]
pub struct Hook {
    queue: VecDeque<Post>,
    ready: Time,
    tries: u32,
    last_opened: Option<(Time, String)>,
    dropped: u64,
}

#[derive(Debug)]
struct Post {
    since: Time,
    room: u32,
    kind: RoomEventKind,
    content: String,
}

impl Hook {
    /// Hears of something that happened.
    pub fn hear(&mut self, now: Time, news: &RoomNews, settings: &Settings, identity: &Identity) {
        if !news.posted {
            return;
        }
        if news.kind != RoomEventKind::Opened && self.forget_opening(news.id) {
            return;
        }
        let template = settings.template(news.kind);
        if template.is_empty() {
            return;
        }
        let content = template.render(news, identity);
        let content: String = content.chars().take(CONTENT).collect();
        if news.kind == RoomEventKind::Opened {
            if self.repeats(now, &content) {
                return;
            }
            self.last_opened = Some((now, content.clone()));
        }
        if self.queue.len() == QUEUE {
            self.dropped += 1;
            return;
        }
        self.queue.push_back(Post {
            since: now,
            room: news.id,
            kind: news.kind,
            content,
        });
    }

    /// The next body to post, if it is time for one; [`Hook::outcome`] must follow.
    pub fn poll(&mut self, now: Time) -> Option<String> {
        let is_stale = |post: &Post| now.since(post.since) > STALE;
        while self.queue.front().is_some_and(is_stale) {
            self.drop_first();
        }
        if self.ready > now {
            return None;
        }
        let post = self.queue.front()?;
        let body = serde_json::json!({
            "content": post.content,
            "allowed_mentions": { "parse": [] },
        });
        Some(body.to_string())
    }

    /// What became of the body that was polled.
    pub fn outcome(&mut self, now: Time, outcome: Outcome) {
        let pause = match outcome {
            Outcome::Taken(pause) => {
                self.queue.pop_front();
                self.tries = 0;
                pause
            }
            Outcome::Later(pause) => pause,
            Outcome::Refused => {
                self.drop_first();
                PACE
            }
            Outcome::Failed => {
                self.tries += 1;
                if self.tries >= TRIES {
                    self.drop_first();
                }
                RETRY
            }
        };
        self.ready = now + pause.clamp(PACE, LONGEST_HOLD);
    }

    /// How many were dropped since this was asked last.
    pub fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }

    fn drop_first(&mut self) {
        self.queue.pop_front();
        self.tries = 0;
        self.dropped += 1;
    }

    /// Takes back a room's opening that has not been told; whether there was one.
    fn forget_opening(&mut self, room: u32) -> bool {
        let is_it = |post: &Post| post.room == room && post.kind == RoomEventKind::Opened;
        let place = self.queue.iter().rposition(is_it);
        place.and_then(|place| self.queue.remove(place)).is_some()
    }

    fn repeats(&self, now: Time, content: &str) -> bool {
        let last = self.last_opened.as_ref();
        last.is_some_and(|(at, last)| last == content && now.since(*at) < REPEAT)
    }
}

/// A time in seconds, with a fraction or without.
fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests;
