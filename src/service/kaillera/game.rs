//! A room's worker while a game runs: frame sync between the players' mail.

use super::{
    courier::Courier,
    mail::{GameMail, LobbyMail, UserMail},
    post::Post,
};
use crate::{
    actor::Turn,
    buffer::Writer,
    kaillera::message::{ClientMessage, ServerMessage},
    lobby::{
        GameKey, Player,
        sync::{FrameSync, Input, Output, SyncEvent, SyncSink},
    },
    metrics::Reason,
    timer::Time,
};

/// The actor of one game, kept for the games that follow.
#[derive(Debug)]
pub(super) struct GameActor {
    game: u32,
    sync: FrameSync,
    running: Option<Running>,
    courier: Courier,
}

#[derive(Debug)]
struct Running {
    run: u32,
    key: GameKey,
    players: Box<[Player]>,
}

impl GameActor {
    pub(super) fn new(game: u32, sync: FrameSync) -> Self {
        Self {
            game,
            sync,
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
        Turn {
            more: left == 0 || !self.courier.is_free(),
            deadline: self.sync.poll_timeout(),
        }
    }

    /// Ends the game after a bug in its turn: its players are back in their room.
    pub(super) fn fail(&mut self, post: &Post) {
        self.sync.end();
        for player in self
            .running
            .take()
            .iter()
            .flat_map(|running| &running.players)
        {
            self.courier
                .lobby(LobbyMail::DropPlayer { user: player.user }, post);
        }
    }

    fn next_mail(&self, post: &Post) -> Option<GameMail> {
        post.exchange().game_inbox(self.game)?.pop()
    }

    fn handle(&mut self, now: Time, mail: GameMail, post: &Post) {
        if let GameMail::Begin {
            run,
            key,
            connection_type,
            players,
        } = mail
        {
            let delays: Vec<_> = players.iter().map(|player| player.delay).collect();
            self.sync.begin(connection_type, &delays);
            self.running = Some(Running { run, key, players });
            return;
        }
        let Some(current) = self.running.as_ref().map(|running| running.run) else {
            return;
        };
        match mail {
            GameMail::Play { at } => self.sync.play(at),
            GameMail::Remove { at, player } => {
                self.with_sync(now, post, |sync, link| sync.remove(at, player.into(), link));
            }
            GameMail::End => {
                self.sync.end();
                self.running = None;
            }
            GameMail::Data {
                run,
                player,
                at,
                input,
            } if run == current => {
                if let Some((kind, body)) = input.split()
                    && let Ok(ClientMessage::GameData { input }) = ClientMessage::decode(kind, body)
                {
                    let input = Input::Data(input);
                    self.with_sync(now, post, |sync, link| {
                        sync.input(at, player.into(), input, link);
                    });
                }
            }
            GameMail::Cached {
                run,
                player,
                at,
                index,
            } if run == current => {
                let input = Input::Cached(index);
                self.with_sync(now, post, |sync, link| {
                    sync.input(at, player.into(), input, link);
                });
            }
            GameMail::Gap { run, player, at } if run == current => {
                self.with_sync(now, post, |sync, link| sync.gap(at, player.into(), link));
            }
            // For a game that is over.
            GameMail::Begin { .. }
            | GameMail::Data { .. }
            | GameMail::Cached { .. }
            | GameMail::Gap { .. } => {}
        }
    }

    /// Lets frame sync speak. A player to whom it could not is out of sync: it would take the
    /// next frames for those it was not sent.
    fn with_sync(
        &mut self,
        now: Time,
        post: &Post,
        act: impl FnOnce(&mut FrameSync, &mut Link<'_>),
    ) {
        let Some(running) = &self.running else {
            return;
        };
        let mut link = Link {
            now,
            running,
            courier: &mut self.courier,
            post,
            unserved: Vec::new(),
        };
        act(&mut self.sync, &mut link);
        while let Some(player) = link.unserved.pop() {
            self.sync.gap(now, player, &mut link);
        }
    }
}

/// Where frame sync's output goes: the players' inboxes and the lobby.
struct Link<'a> {
    now: Time,
    running: &'a Running,
    courier: &'a mut Courier,
    post: &'a Post,
    /// Players for whose output no buffer was left.
    unserved: Vec<usize>,
}

impl SyncSink for Link<'_> {
    fn output(&mut self, player: usize, output: Output<'_>) {
        let Some(to) = self.running.players.get(player) else {
            return;
        };
        if self.unserved.contains(&player) {
            return;
        }
        let run = self.running.run;
        let mail = match output {
            Output::Cached(index) => UserMail::Cached { run, index },
            Output::Data(input) => {
                let exchange = self.post.exchange();
                let Some(mut frame) = exchange.frames.try_take() else {
                    exchange.count_drop(Reason::NoBufferOut, None, self.now);
                    self.unserved.push(player);
                    return;
                };
                let mut writer = Writer::new(frame.buffer_mut());
                let message = ServerMessage::GameData { input };
                if message.encode(&mut writer).is_err() {
                    return;
                }
                let length = writer.len();
                frame.set_len(length);
                UserMail::Data { run, frame }
            }
        };
        self.courier.user(to.user.seat, mail, self.post);
    }

    fn event(&mut self, event: SyncEvent) {
        let exchange = self.post.exchange();
        let Running {
            run,
            key: game,
            ref players,
        } = *self.running;
        match event {
            SyncEvent::Silent { player } => {
                if let Some(to) = players.get(player) {
                    // One that finds no room is followed by the next.
                    let _ = self.post.user(to.user.seat, UserMail::Nudge { run });
                }
            }
            SyncEvent::OddLength { .. } => exchange.count_drop(Reason::OddLength, None, self.now),
            SyncEvent::BadIndex { player } => {
                exchange.count_drop(Reason::BadIndex, None, self.now);
                let player = player as u8;
                self.courier
                    .lobby(LobbyMail::BadIndex { game, player }, self.post);
            }
            SyncEvent::Desynchronised { player, cause } => {
                exchange.metrics.desyncs.add(1);
                let player = player as u8;
                let mail = LobbyMail::Desynchronised {
                    game,
                    player,
                    cause,
                };
                self.courier.lobby(mail, self.post);
            }
            SyncEvent::Flooded { player } => {
                if let Some(player) = players.get(player) {
                    self.courier
                        .lobby(LobbyMail::DropPlayer { user: player.user }, self.post);
                }
            }
        }
    }
}
