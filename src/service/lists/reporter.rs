//! The thread: one thing after the other, none of which anybody waits for.

use super::{
    Settings,
    client::{Client, Failure},
    hook::{Hook, Outcome},
    report::{self, Request, StartedGames},
    rounds::{Grumble, Rounds},
    update::{self, EVERY},
};
use crate::{
    lobby::{RoomEventKind, Snapshot},
    metrics::Metrics,
    net::Clock,
    service::kaillera::{Census, Herald},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// How often it looks for news; nobody wakes it.
const PAUSE: Duration = Duration::from_millis(250);
/// How long the lobby may take to show itself.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(5);

pub(super) struct Reporter {
    settings: Settings,
    census: Census,
    herald: Herald,
    metrics: Arc<Metrics>,
    clock: Clock,
    client: Client,
    rounds: Rounds,
    updates: Rounds,
    started: StartedGames,
    emulinker: Grumble,
    kaillera: Grumble,
    no_update: Grumble,
    hooks: Vec<(String, Hook, Grumble)>,
}

impl Reporter {
    pub(super) fn new(settings: Settings, census: Census, herald: Herald, clock: Clock) -> Self {
        let hook = |url: &String| (url.clone(), Hook::default(), Grumble::default());
        Self {
            metrics: census.metrics(),
            client: Client::new(),
            rounds: Rounds::new(clock.now() + settings.first, settings.every),
            updates: Rounds::new(clock.now() + settings.first, EVERY),
            started: StartedGames::default(),
            emulinker: Grumble::default(),
            kaillera: Grumble::default(),
            no_update: Grumble::default(),
            hooks: settings.hooks.urls.iter().map(hook).collect(),
            settings,
            census,
            herald,
            clock,
        }
    }

    pub(super) fn run(mut self, stopped: &AtomicBool) {
        while !stopped.load(Ordering::Acquire) {
            self.hear();
            self.report(stopped);
            self.look_for_update();
            self.post(stopped);
            thread::park_timeout(PAUSE);
        }
    }

    fn hear(&mut self) {
        let now = self.clock.now();
        while let Some(news) = self.census.next_news() {
            for (_, hook, _) in &mut self.hooks {
                hook.hear(now, &news, &self.settings.hooks, &self.settings.identity);
            }
            if news.kind == RoomEventKind::Started && self.settings.kaillera.is_some() {
                self.started.add(news.game);
            }
        }
    }

    fn report(&mut self, stopped: &AtomicBool) {
        let has_lists = self.settings.emulinker.is_some() || self.settings.kaillera.is_some();
        if !has_lists || !self.rounds.is_due(self.clock.now()) {
            return;
        }
        let Some(lobby) = self.look_at_the_lobby(stopped) else {
            log::debug!("the lobby is too busy to be reported");
            return;
        };
        let identity = &self.settings.identity;
        if let Some(url) = &self.settings.emulinker {
            let request = report::emulinker(url, identity, &lobby);
            let answer = self.call("EmuLinker", &request);
            self.note("EmuLinker", answer.err(), |it| &mut it.emulinker);
        }
        if stopped.load(Ordering::Acquire) {
            return;
        }
        let identity = &self.settings.identity;
        if let Some(url) = &self.settings.kaillera {
            let request = report::kaillera(url, identity, &lobby, &self.started);
            let answer = self.call("Kaillera", &request);
            if answer.is_ok() {
                self.started.clear();
            }
            self.note("Kaillera", answer.err(), |it| &mut it.kaillera);
        }
        log::debug!(
            "next report in {:?}",
            self.rounds.next().since(self.clock.now())
        );
    }

    fn look_for_update(&mut self) {
        let now = self.clock.now();
        let Some(url) = &self.settings.updates else {
            return;
        };
        if !self.updates.is_due(now) {
            return;
        }
        let answer = match self.client.look(url) {
            Ok(answer) => answer,
            Err(failure) => {
                if self.no_update.is_due(now) {
                    log::warn!("cannot look for a newer version: {failure} (told every 6 hours)");
                }
                return;
            }
        };
        let own = env!("CARGO_PKG_VERSION");
        match update::read(&answer) {
            Some(update) if update::is_newer(&update.version, own) => {
                log::info!("version {} can be had; this is {own}", update.version);
                if !self.herald.tell_update(update) {
                    log::debug!("the lobby is too busy to be told of a newer version");
                }
            }
            Some(_) => log::debug!("there is no newer version"),
            None => log::warn!("what updates.url answers cannot be understood"),
        }
    }

    fn look_at_the_lobby(&self, stopped: &AtomicBool) -> Option<Arc<Snapshot>> {
        let begin = self.clock.now();
        loop {
            // One that is older would know less than the news.
            if let Some(lobby) = self.census.snapshot(begin, Duration::ZERO) {
                return Some(lobby);
            }
            let waited = self.clock.now().since(begin);
            if waited >= PATIENCE || stopped.load(Ordering::Acquire) {
                return None;
            }
            thread::park_timeout(LOOK);
        }
    }

    fn call(&self, list: &str, request: &Request) -> Result<(), Failure> {
        let answer = self.client.report(request)?;
        log::debug!("{list}'s list answers: {answer}");
        Ok(())
    }

    fn note(
        &mut self,
        list: &str,
        failure: Option<Failure>,
        grumble: impl FnOnce(&mut Self) -> &mut Grumble,
    ) {
        let Some(failure) = failure else {
            self.metrics.list_reports.add(1);
            return;
        };
        self.metrics.list_failures.add(1);
        let now = self.clock.now();
        if grumble(self).is_due(now) {
            log::warn!("{list}'s list does not take reports: {failure} (told every 6 hours)");
        }
    }

    fn post(&mut self, stopped: &AtomicBool) {
        for (index, (url, hook, grumble)) in self.hooks.iter_mut().enumerate() {
            while !stopped.load(Ordering::Acquire)
                && let Some(body) = hook.poll(self.clock.now())
            {
                let (outcome, what) = self.client.post(url, &body);
                let now = self.clock.now();
                hook.outcome(now, outcome);
                match outcome {
                    Outcome::Taken(_) => self.metrics.hook_posts.add(1),
                    Outcome::Later(pause) => log::debug!("web hook {index} waits for {pause:?}"),
                    Outcome::Refused | Outcome::Failed => {
                        self.metrics.hook_failures.add(1);
                        // The address is a secret: whoever knows it can post.
                        if grumble.is_due(now) {
                            let number = index + 1;
                            log::warn!(
                                "web hook {number} takes no post: {what} (told every 6 hours)"
                            );
                        }
                    }
                }
            }
            self.metrics.news_dropped.add(hook.take_dropped());
        }
    }
}
