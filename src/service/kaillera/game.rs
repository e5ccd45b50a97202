//! A room's worker while a game runs: frame sync between the players' mail.

use super::{
    exchange::Post,
    mail::{GameMail, LobbyMail, UserMail},
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
}

#[derive(Debug)]
struct Running {
    run: u32,
    key: GameKey,
    players: Box<[Player]>,
    /// What the lobby could not take yet.
    reports: Vec<SyncEvent>,
}

impl GameActor {
    pub(super) fn new(game: u32, sync: FrameSync) -> Self {
        Self {
            game,
            sync,
            running: None,
        }
    }

    pub(super) fn run(&mut self, now: Time, budget: usize, post: &Post) -> Turn {
        let mut left = budget;
        while left > 0
            && let Some(mail) = self.next_mail(post)
        {
            self.handle(now, mail, post);
            left -= 1;
        }
        let mut more = left == 0;
        if let Some(running) = &mut self.running {
            let mut link = Link { now, running, post };
            if self.sync.poll_timeout().is_some_and(|at| at <= now) {
                self.sync.handle_timeout(now, &mut link);
            }
            more |= !link.report();
        }
        Turn {
            more,
            deadline: self.sync.poll_timeout(),
        }
    }

    /// Ends the game after a bug in its turn: its players are back in their room.
    pub(super) fn fail(&mut self, post: &Post) {
        self.sync.end();
        let Some(running) = self.running.take() else {
            return;
        };
        for player in &running.players {
            // A lobby too busy to hear it leaves the player to the timeout for silent ones.
            let _ = post.lobby(LobbyMail::DropPlayer { user: player.user });
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
            self.running = Some(Running {
                run,
                key,
                players,
                reports: Vec::new(),
            });
            return;
        }
        let Some(running) = &mut self.running else {
            return;
        };
        let current = running.run;
        let mut link = Link { now, running, post };
        match mail {
            GameMail::Play { at } => self.sync.play(at),
            GameMail::Remove { at, player } => self.sync.remove(at, player.into(), &mut link),
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
                    self.sync
                        .input(at, player.into(), Input::Data(input), &mut link);
                }
            }
            GameMail::Cached {
                run,
                player,
                at,
                index,
            } if run == current => {
                self.sync
                    .input(at, player.into(), Input::Cached(index), &mut link);
            }
            GameMail::Gap { run, player, at } if run == current => {
                self.sync.gap(at, player.into(), &mut link);
            }
            // For a game that is over.
            GameMail::Begin { .. }
            | GameMail::Data { .. }
            | GameMail::Cached { .. }
            | GameMail::Gap { .. } => {}
        }
    }
}

/// Where frame sync's output goes: the players' inboxes and the lobby.
struct Link<'a> {
    now: Time,
    running: &'a mut Running,
    post: &'a Post,
}

impl Link<'_> {
    /// Passes reports on to the lobby; false if some could not be.
    fn report(&mut self) -> bool {
        while let Some(event) = self.running.reports.first() {
            if let Some(mail) = self.running.mail(*event)
                && self.post.lobby(mail).is_err()
            {
                return false;
            }
            self.running.reports.remove(0);
        }
        true
    }
}

impl Running {
    fn mail(&self, event: SyncEvent) -> Option<LobbyMail> {
        let game = self.key;
        match event {
            SyncEvent::Desynchronised { player, cause } => Some(LobbyMail::Desynchronised {
                game,
                player: player as u8,
                cause,
            }),
            SyncEvent::BadIndex { player } => Some(LobbyMail::BadIndex {
                game,
                player: player as u8,
            }),
            SyncEvent::Flooded { player } => {
                let user = self.players.get(player)?.user;
                Some(LobbyMail::DropPlayer { user })
            }
            SyncEvent::OddLength { .. } | SyncEvent::Silent { .. } => None,
        }
    }
}

impl SyncSink for Link<'_> {
    fn output(&mut self, player: usize, output: Output<'_>) {
        let Some(to) = self.running.players.get(player) else {
            return;
        };
        let run = self.running.run;
        let mail = match output {
            Output::Cached(index) => UserMail::Cached { run, index },
            Output::Data(input) => {
                let exchange = self.post.exchange();
                let Some(mut frame) = exchange.frames.try_take() else {
                    exchange.count_drop(Reason::NoBufferOut, None, self.now);
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
        self.post.user(to.user.seat, mail, self.now);
    }

    fn event(&mut self, event: SyncEvent) {
        let exchange = self.post.exchange();
        match event {
            SyncEvent::Silent { player } => {
                if let Some(to) = self.running.players.get(player) {
                    let run = self.running.run;
                    self.post
                        .user(to.user.seat, UserMail::Nudge { run }, self.now);
                }
            }
            SyncEvent::OddLength { .. } => exchange.count_drop(Reason::OddLength, None, self.now),
            SyncEvent::BadIndex { .. } => {
                exchange.count_drop(Reason::BadIndex, None, self.now);
                self.running.reports.push(event);
            }
            SyncEvent::Desynchronised { .. } => {
                exchange.metrics.desyncs.add(1);
                self.running.reports.push(event);
            }
            SyncEvent::Flooded { .. } => self.running.reports.push(event),
        }
    }
}
