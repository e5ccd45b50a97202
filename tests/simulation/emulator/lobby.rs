//! What a client makes of the lobby's messages, and what its user does there (kaillera.md 6).

use super::{Breed, Ctx, Emulator, Phase, Speech};
use crate::view::View;
use samara::{
    kaillera::message::{GameStatus, ServerMessage},
    timer::Time,
};
use std::time::Duration;

/// A line without an echo means that nobody is there any more.
const ECHO_PATIENCE: Duration = Duration::from_secs(10);
/// Lines that are kept.
const LINES: usize = 32;

impl Emulator {
    pub(super) fn message(&mut self, ctx: &mut Ctx<'_>, message: &ServerMessage<'_>) {
        if let ServerMessage::ServerStatus { .. } = message
            && matches!(self.phase, Phase::LoggingIn { .. })
            && self.view == View::default()
        {
            // From here on it has been told everything, unless something got lost.
            self.trusted = self.fed_up_at.is_none();
        }
        if let Err(wrong) = self.view.apply(message) {
            assert!(
                !self.trusted || self.character.garbled,
                "client {} at {:?}: {wrong}",
                self.character.number,
                ctx.now,
            );
        }
        match *message {
            ServerMessage::ServerAck => self.server_ack(),
            ServerMessage::UserJoined { name, id, .. } if self.id.is_none() => {
                if name == self.name() {
                    self.logged_in(ctx.now, id.0);
                } else {
                    assert!(
                        !self.trusted || self.character.garbled,
                        "another user joins before oneself"
                    );
                }
            }
            ServerMessage::ConnectionRejected { .. } => {
                self.refusals += 1;
                self.sent_away(ctx.now);
            }
            ServerMessage::Quit { id, .. } if self.id == Some(id.0) => self.sent_away(ctx.now),
            ServerMessage::Chat { text, .. } | ServerMessage::GameChat { text, .. } => {
                self.lines.truncate(LINES - 1);
                self.lines.insert(0, text.to_vec());
            }
            _ => self.room_message(ctx.now, message),
        }
    }

    fn room_message(&mut self, now: Time, message: &ServerMessage<'_>) {
        match *message {
            ServerMessage::PlayerInformation { .. } => {
                self.members = message.players().map(|player| player.id.0).collect();
            }
            ServerMessage::JoinGame { game, id, .. } => {
                if Some(id.0) == self.id {
                    self.room = Some(game.0);
                    if self.phase == Phase::Lobby {
                        self.phase = Phase::Room;
                    }
                }
                self.members.push(id.0);
            }
            ServerMessage::QuitGame { id, .. } if Some(id.0) == self.id => self.leave_room(),
            ServerMessage::QuitGame { id, .. } => self.members.retain(|&member| member != id.0),
            ServerMessage::CloseGame { game } if self.room == Some(game.0) => self.leave_room(),
            ServerMessage::GameStatus { game, status, .. }
                if self.room == Some(game.0) && status == GameStatus::Waiting =>
            {
                self.game_over();
            }
            ServerMessage::StartGame {
                delay,
                player,
                players,
            } if self.room.is_some() => self.start_game(now, delay, player, players),
            ServerMessage::AllReady => self.all_ready(now),
            ServerMessage::PlayerDrop { player, .. } => {
                self.drops.push(player);
                self.dropped(player);
            }
            _ => {}
        }
    }

    fn leave_room(&mut self) {
        self.game_over();
        self.room = None;
        self.members.clear();
        if self.is_online() {
            self.phase = Phase::Lobby;
        }
    }

    pub(crate) fn owns_room(&self) -> bool {
        let line = self.room.and_then(|room| self.view.games.get(&room));
        line.is_some_and(|line| line.owner == self.name())
    }

    /// From here on its user only does now and then something that has no effect, so as not to
    /// be idle.
    pub(crate) fn fidget(&mut self, now: Time) {
        self.character.lively = false;
        self.character.keepalive = self.character.keepalive.min(Duration::from_secs(3));
        self.keepalive_at = now;
        self.fidgets = true;
    }

    /// Whether it has heard nothing since it said a line, so long ago.
    pub(crate) fn is_unanswered_for(&self, now: Time, time: Duration) -> bool {
        self.unanswered.is_some_and(|at| now.since(at) >= time)
    }

    /// Says a line in the lobby, and expects an answer.
    pub(crate) fn ask(&mut self, ctx: &mut Ctx<'_>, line: Vec<u8>) {
        self.unanswered = self.unanswered.or(Some(ctx.now));
        self.speak(ctx, Speech::Chat(line));
    }

    /// One of the things people do, by chance.
    pub(super) fn act(&mut self, ctx: &mut Ctx<'_>) {
        if self.is_unanswered_for(ctx.now, ECHO_PATIENCE) {
            self.crash(ctx.now);
            return;
        }
        let dice = self.rng.within(0..=99);
        match self.phase {
            Phase::Lobby => self.act_in_lobby(ctx, dice),
            Phase::Room => self.act_in_room(ctx, dice),
            Phase::Playing => match dice {
                0..=3 => self.drop_out(ctx),
                4..=5 => self.crash(ctx.now),
                6 => self.quit(ctx),
                7 => self.speak(ctx, Speech::Leave),
                8..=12 => self.talk(ctx, true),
                13..=20 => self.talk(ctx, false),
                _ => {}
            },
            Phase::Loading { .. } | Phase::Ready { .. } => match dice {
                0 => self.crash(ctx.now),
                1 => self.speak(ctx, Speech::Leave),
                2 => self.drop_out(ctx),
                _ => {}
            },
            _ => {}
        }
    }

    fn act_in_lobby(&mut self, ctx: &mut Ctx<'_>, dice: u64) {
        if self.character.breed == Breed::Bot {
            if dice < 60 {
                self.talk(ctx, false);
            }
            return;
        }
        match dice {
            0..=14 => self.talk(ctx, false),
            15..=34 => {
                let rom = format!("game of {}", self.character.number);
                self.speak(ctx, Speech::Create(rom.into_bytes()));
            }
            35..=89 => {
                let games: Vec<u32> = self.view.games.keys().copied().collect();
                if !games.is_empty() {
                    let game = self.rng.pick(&games);
                    if dice < 45 {
                        let line = format!("/watch {game}");
                        self.speak(ctx, Speech::Chat(line.into_bytes()));
                    }
                    self.speak(ctx, Speech::Join(game));
                }
            }
            90..=91 => self.quit(ctx),
            92..=93 => self.crash(ctx.now),
            _ => {}
        }
    }

    fn act_in_room(&mut self, ctx: &mut Ctx<'_>, dice: u64) {
        let ready_to_start = self.members.len() > 1 || dice < 20;
        match dice {
            0..=59 if self.owns_room() && ready_to_start => self.speak(ctx, Speech::Start),
            60..=69 => self.talk(ctx, true),
            70..=74 => self.talk(ctx, false),
            75..=79 => self.speak(ctx, Speech::Leave),
            80 => self.crash(ctx.now),
            81 => self.quit(ctx),
            82..=83 if self.owns_room() => {
                let others: Vec<u16> = self.members.clone();
                if !others.is_empty() {
                    let target = self.rng.pick(&others);
                    self.speak(ctx, Speech::Kick(target));
                }
            }
            84..=86 if self.owns_room() => {
                let on = self.rng.chance(5_000);
                let line = if on {
                    "/samedelay true"
                } else {
                    "/samedelay false"
                };
                self.speak(ctx, Speech::GameChat(line.as_bytes().to_vec()));
            }
            87..=92 => {
                let lines = [
                    "/watch",
                    "/unwatch",
                    "/lagstat",
                    "/swap 21",
                    "/startn 2",
                    "/delay 3",
                ];
                let line = self.rng.pick(&lines);
                self.speak(ctx, Speech::GameChat(line.as_bytes().to_vec()));
            }
            _ => {}
        }
    }

    fn talk(&mut self, ctx: &mut Ctx<'_>, in_room: bool) {
        let length = self.rng.within(1..=60) as usize;
        let mut line = format!("{} says ", self.character.number).into_bytes();
        line.resize(line.len() + length, b'a' + self.rng.within(0..=25) as u8);
        let said = if in_room {
            Speech::GameChat(line)
        } else {
            Speech::Chat(line)
        };
        // Each line is answered, were it by a refusal.
        self.unanswered = self.unanswered.or(Some(ctx.now));
        self.speak(ctx, said);
    }
}
