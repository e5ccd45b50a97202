//! A room's worker while a game runs: frame sync between the players' mail, and the recording
//! for those who watch.

mod link;
mod running;

use self::{
    link::{Link, Recorded},
    running::{Back, Running, Watching},
};
use super::{
    courier::Courier,
    mail::{GameMail, LobbyMail},
    post::Post,
};
use crate::{
    actor::Turn,
    kaillera::message::ClientMessage,
    lobby::{
        LagOrder, WatchEnd, Watcher,
        sync::{FIRST_WATCHER, FrameSync, Gallery, Input},
    },
    timer::Time,
};

/// The actor of one game, kept for the games that follow.
#[derive(Debug)]
pub(super) struct GameActor {
    game: u32,
    sync: FrameSync,
    gallery: Gallery,
    running: Option<Running>,
    courier: Courier,
}

impl GameActor {
    pub(super) fn new(game: u32, sync: FrameSync) -> Self {
        Self {
            game,
            sync,
            gallery: Gallery::default(),
            running: None,
            courier: Courier::default(),
        }
    }

    pub(super) fn run(&mut self, now: Time, budget: usize, post: &Post) -> Turn {
        self.courier.deliver(post);
        let mut left = budget;
        while left > 0
            && let Some(mail) = self.next_mail(post)
        {
            self.handle(now, mail, post);
            left -= 1;
        }
        if self.sync.poll_timeout().is_some_and(|at| at <= now) {
            self.with_sync(now, post, |sync, link| sync.handle_timeout(now, link));
        }
        if self.gallery.poll_timeout().is_some_and(|at| at <= now) {
            self.show(now, post);
        }
        let deadlines = [self.sync.poll_timeout(), self.gallery.poll_timeout()];
        Turn {
            more: left == 0 || !self.courier.is_free(),
            deadline: deadlines.into_iter().flatten().min(),
        }
    }

    /// Ends the game after a bug in its turn: its players are back in their room.
    pub(super) fn fail(&mut self, post: &Post) {
        let Some(running) = self.end(post) else {
            return;
        };
        let watchers = running.watchers.iter().map(|it| it.watcher.user);
        let players = running.players.iter().map(|player| player.user);
        for user in players.chain(watchers) {
            self.courier.lobby(LobbyMail::DropPlayer { user }, post);
        }
    }

    fn next_mail(&self, post: &Post) -> Option<GameMail> {
        post.exchange().game_inbox(self.game)?.pop()
    }

    fn handle(&mut self, now: Time, mail: GameMail, post: &Post) {
        if let GameMail::Begin { .. } = mail {
            self.begin(mail, post);
            return;
        }
        if self.running.is_none() {
            return;
        }
        match mail {
            GameMail::Play { at } => self.sync.play(at),
            GameMail::Remove { at, player } => {
                if let Some(running) = &mut self.running {
                    running.back.retain(|back| back.player != player);
                }
                self.with_sync(now, post, |sync, link| sync.remove(at, player.into(), link));
            }
            GameMail::Lag(order) => self.lag(order, post),
            GameMail::Watch { run, watcher } => self.watch(run, watcher, post),
            GameMail::Unwatch { index } => {
                self.gallery.remove(FIRST_WATCHER + usize::from(index));
                if let Some(running) = &mut self.running {
                    running.watchers.retain(|it| it.watcher.index != index);
                }
            }
            GameMail::End => {
                let report = self.sync.lag().map(Box::new);
                if let Some(Running { key: game, .. }) = self.end(post) {
                    let asked = false;
                    let lag = LobbyMail::Lag {
                        game,
                        report,
                        asked,
                    };
                    self.courier.lobby(lag, post);
                }
            }
            GameMail::Data {
                run,
                player,
                at,
                input,
            } => {
                if let Some((kind, body)) = input.split()
                    && let Ok(ClientMessage::GameData { input }) = ClientMessage::decode(kind, body)
                {
                    let from = self.author(player, run);
                    self.input(now, at, from, Input::Data(input), post);
                }
            }
            GameMail::Cached {
                run,
                player,
                at,
                index,
            } => {
                let from = self.author(player, run);
                self.input(now, at, from, Input::Cached(index), post);
            }
            GameMail::Gap { run, player, at } => {
                let from = self.author(player, run);
                self.gap(now, at, from, post);
            }
            GameMail::Begin { .. } => {}
        }
    }

    fn author(&self, index: u8, run: u32) -> Option<usize> {
        self.running.as_ref()?.author(index, run)
    }

    fn begin(&mut self, begin: GameMail, post: &Post) {
        let GameMail::Begin {
            run,
            key,
            connection_type,
            players,
            autofire,
            rate,
        } = begin
        else {
            return;
        };
        self.end(post);
        let exchange = post.exchange();
        let delays: Vec<_> = players.iter().map(|player| player.delay).collect();
        self.sync.detect_autofire(autofire);
        self.sync.set_rate(rate);
        self.sync.set_lag_window(exchange.live.lag_window());
        self.sync.begin(connection_type, &delays);
        // Nobody waits for one who plays alone, so a game of one is not worth the memory.
        let is_recorded = exchange.live.watching() && players.len() > 1;
        let replay = if is_recorded {
            exchange.reserve_replay()
        } else {
            0
        };
        self.gallery.begin(connection_type, replay);
        self.running = Some(Running {
            run,
            key,
            players,
            watchers: Vec::new(),
            back: Vec::new(),
            replay,
        });
    }

    /// Forgets the game that runs.
    fn end(&mut self, post: &Post) -> Option<Running> {
        self.sync.end();
        self.gallery.end();
        let running = self.running.take()?;
        post.exchange().release_replay(running.replay);
        Some(running)
    }

    fn lag(&mut self, order: LagOrder, post: &Post) {
        match order {
            LagOrder::Reset => self.sync.reset_lag(),
            LagOrder::Rate(rate) => self.sync.set_rate(rate),
            LagOrder::Report => {
                if let Some(Running { key: game, .. }) = self.running {
                    let report = self.sync.lag().map(Box::new);
                    let lag = LobbyMail::Lag {
                        game,
                        report,
                        asked: true,
                    };
                    self.courier.lobby(lag, post);
                }
            }
        }
    }

    fn watch(&mut self, run: u32, watcher: Watcher, post: &Post) {
        let Watcher {
            user,
            index,
            delay,
            player,
        } = watcher;
        let Some(running) = &mut self.running else {
            return;
        };
        let game = running.key;
        let place = FIRST_WATCHER + usize::from(index);
        let zeros = self.sync.zeros_for(delay);
        if !self.gallery.add(place, zeros, player.map(usize::from)) {
            let end = WatchEnd::Refused;
            let mail = LobbyMail::WatchEnded {
                game,
                user,
                index,
                end,
            };
            self.courier.lobby(mail, post);
            return;
        }
        running.watchers.retain(|it| it.watcher.index != index);
        running.watchers.push(Watching { watcher, run });
        if let Some(player) = player {
            self.sync.forget_inputs(player.into());
        }
        let mail = LobbyMail::WatchAnswered { game, user, index };
        self.courier.lobby(mail, post);
    }

    /// Data of a player, or of a watcher, which only asks for more.
    fn input(&mut self, now: Time, at: Time, from: Option<usize>, input: Input<'_>, post: &Post) {
        let Some(from) = from else {
            return;
        };
        if from < FIRST_WATCHER {
            self.with_sync(now, post, |sync, link| sync.input(at, from, input, link));
            return;
        }
        if let (Some(player), Input::Data(payload)) = (self.gallery.player(from), input) {
            self.sync.overhear(player, payload);
        }
        self.with_gallery(now, post, |gallery, link| gallery.input(from, link));
        self.show(now, post);
    }

    fn gap(&mut self, now: Time, at: Time, from: Option<usize>, post: &Post) {
        match from {
            Some(player) if player < FIRST_WATCHER => {
                self.with_sync(now, post, |sync, link| sync.gap(at, player, link));
            }
            Some(watcher) => {
                self.with_gallery(now, post, |gallery, link| gallery.gap(watcher, link));
            }
            None => {}
        }
    }

    /// Lets frame sync speak. A player to whom it could not is out of sync: it would take the
    /// next frames for those it was not sent.
    fn with_sync(
        &mut self,
        now: Time,
        post: &Post,
        act: impl FnOnce(&mut FrameSync, &mut Recorded<'_, '_>),
    ) {
        let Some(running) = &self.running else {
            return;
        };
        let mut link = Recorded {
            gallery: &mut self.gallery,
            link: Link::new(now, running, &mut self.courier, post),
        };
        act(&mut self.sync, &mut link);
        while let Some(player) = link.link.unserved.pop() {
            self.sync.gap(now, player, &mut link);
        }
        self.gallery.make_room(self.sync.output_len());
        if self.gallery.is_watched() {
            self.show(now, post);
        }
    }

    /// Lets the gallery speak.
    fn with_gallery(
        &mut self,
        now: Time,
        post: &Post,
        act: impl FnOnce(&mut Gallery, &mut Link<'_>),
    ) {
        let Some(running) = &self.running else {
            return;
        };
        let mut link = Link::new(now, running, &mut self.courier, post);
        act(&mut self.gallery, &mut link);
        while let Some(watcher) = link.unserved.pop() {
            self.gallery.gap(watcher, &mut link);
        }
    }

    /// Shows those who watch what there is, and lets those play that have seen all.
    fn show(&mut self, now: Time, post: &Post) {
        self.with_gallery(now, post, |gallery, link| gallery.serve(now, link));
        while let (Some(running), Some(back)) = (&mut self.running, self.gallery.returned()) {
            let place = (back.watcher - FIRST_WATCHER) as u8;
            let is_it = |it: &Watching| it.watcher.index == place;
            let Some(at) = running.watchers.iter().position(is_it) else {
                continue;
            };
            let Watching { watcher, run } = running.watchers.swap_remove(at);
            let (user, index, player) = (watcher.user, back.watcher as u8, back.player as u8);
            running.back.push(Back { index, run, player });
            if let Some(player) = running.players.get_mut(back.player) {
                player.user = user;
            }
            self.sync.rejoin(now, back.player, back.owed);
            let game = running.key;
            let mail = LobbyMail::Returned { game, user, player };
            self.courier.lobby(mail, post);
        }
    }
}
