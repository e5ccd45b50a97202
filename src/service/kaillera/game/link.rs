//! Where the output of a game goes.

use super::Running;
use crate::{
    buffer::Writer,
    kaillera::message::ServerMessage,
    lobby::{
        WatchEnd,
        sync::{FIRST_WATCHER, Gallery, Output, SyncEvent, SyncSink},
    },
    metrics::Reason,
    service::kaillera::{
        courier::Courier,
        mail::{LobbyMail, UserMail},
        post::Post,
    },
    timer::Time,
};

/// Frame sync's output, recorded before it goes to the players.
pub(super) struct Recorded<'a, 'l> {
    pub(super) gallery: &'a mut Gallery,
    pub(super) link: Link<'l>,
}

impl SyncSink for Recorded<'_, '_> {
    fn step(&mut self, output: Output<'_>) {
        self.gallery.record(output);
    }

    fn output(&mut self, player: usize, output: Output<'_>) {
        self.link.output(player, output);
    }

    fn event(&mut self, event: SyncEvent) {
        self.link.event(event);
    }
}

/// Where output goes: the inboxes of players and watchers, and the lobby.
pub(super) struct Link<'a> {
    now: Time,
    running: &'a Running,
    courier: &'a mut Courier,
    post: &'a Post,
    /// Those for whose output no buffer was left.
    pub(super) unserved: Vec<usize>,
}

impl<'a> Link<'a> {
    pub(super) fn new(
        now: Time,
        running: &'a Running,
        courier: &'a mut Courier,
        post: &'a Post,
    ) -> Self {
        Self {
            now,
            running,
            courier,
            post,
            unserved: Vec::new(),
        }
    }

    fn watch_ended(&mut self, place: usize, end: WatchEnd) {
        let index = place.saturating_sub(FIRST_WATCHER) as u8;
        let game = self.running.key;
        if let Some(user) = self.running.watching(index).map(|it| it.watcher.user) {
            let mail = LobbyMail::WatchEnded {
                game,
                user,
                index,
                end,
            };
            self.courier.lobby(mail, self.post);
        }
    }
}

impl SyncSink for Link<'_> {
    fn output(&mut self, player: usize, output: Output<'_>) {
        let Some((to, run)) = self.running.receiver(player) else {
            return;
        };
        if self.unserved.contains(&player) {
            return;
        }
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
        self.courier.user(to.seat, mail, self.post);
    }

    fn event(&mut self, event: SyncEvent) {
        let exchange = self.post.exchange();
        let game = self.running.key;
        let players = &self.running.players;
        match event {
            SyncEvent::Silent { player } => {
                if let Some((to, run)) = self.running.receiver(player) {
                    // One that finds no room is followed by the next.
                    let _ = self.post.user(to.seat, UserMail::Nudge { run });
                }
            }
            SyncEvent::OddLength { .. } => exchange.count_drop(Reason::OddLength, None, self.now),
            SyncEvent::BadIndex { player } => {
                exchange.count_drop(Reason::BadIndex, None, self.now);
                let player = player as u8;
                self.courier
                    .lobby(LobbyMail::BadIndex { game, player }, self.post);
            }
            SyncEvent::Autofire { player, rhythm } => {
                let player = player as u8;
                let mail = LobbyMail::Autofire {
                    game,
                    player,
                    rhythm,
                };
                self.courier.lobby(mail, self.post);
            }
            SyncEvent::Outrun { player } => self.watch_ended(player, WatchEnd::Outrun),
            SyncEvent::Desynchronised { player, .. } | SyncEvent::Flooded { player }
                if player >= FIRST_WATCHER =>
            {
                self.watch_ended(player, WatchEnd::Lost);
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
