//! A game in a client: one frame after another (kaillera.md 7.2, 8, 9).

use super::{Breed, Ctx, Emulator, Phase, Speech};
use crate::streams::{INPUT, Part, Recording, input};
use samara::{kaillera::message::ConnectionType, timer::Time};
use std::{collections::VecDeque, time::Duration};

/// An emulator shows one every so often.
pub(crate) const FRAME: Duration = Duration::from_nanos(16_666_667);

/// A running game.
pub(crate) struct Run {
    part: Part,
    /// Its own number, 1 is the first.
    player: u8,
    players: usize,
    frames: usize,
    /// Frames left that need no data.
    blank: u32,
    recording: Option<Recording>,
    queue: VecDeque<Vec<u8>>,
    /// Frames whose input was read.
    read: u32,
    pending: Vec<u8>,
    /// When the next frame is due; none while the emulator does not run or waits.
    next: Option<Time>,
    stall: Option<Stall>,
}

struct Stall {
    since: Time,
    repeat: Time,
    tries: u64,
}

impl Run {
    pub(super) fn wake(&self) -> Option<Time> {
        self.next.or(self.stall.as_ref().map(|stall| stall.repeat))
    }
}

impl Emulator {
    pub(super) fn start_game(&mut self, now: Time, delay: u16, player: u8, players: u8) {
        let loading = self
            .loading_time
            .unwrap_or_else(|| self.rng.millis(20..=2_500));
        self.games = self.games.wrapping_add(1);
        let connection_type: ConnectionType = self.character.connection_type;
        let frames = connection_type.frames();
        self.run = Some(Run {
            part: self.part(),
            player,
            players: players.into(),
            frames,
            blank: (u32::from(delay) + 1) * frames as u32 - 1,
            recording: None,
            queue: VecDeque::new(),
            read: 0,
            pending: Vec::new(),
            next: None,
            stall: None,
        });
        self.phase = Phase::Loading {
            until: now + loading,
        };
    }

    pub(super) fn loaded(&mut self, ctx: &mut Ctx<'_>) {
        self.said_ready_at = ctx.now;
        self.say_ready(ctx);
    }

    fn say_ready(&mut self, ctx: &mut Ctx<'_>) {
        let every = match self.character.breed {
            Breed::Sup => Duration::from_secs(5),
            _ => Duration::from_secs(120),
        };
        self.phase = Phase::Ready {
            again: ctx.now + every,
        };
        self.speak(ctx, Speech::Ready);
    }

    pub(super) fn wait_for_all(&mut self, ctx: &mut Ctx<'_>) {
        let repeats = self.character.breed == Breed::Sup
            && ctx.now.since(self.said_ready_at) < Duration::from_secs(60);
        if repeats {
            self.say_ready(ctx);
        } else {
            self.drop_out(ctx);
        }
    }

    pub(super) fn all_ready(&mut self, now: Time) {
        if matches!(self.phase, Phase::Ready { .. })
            && let Some(run) = &mut self.run
        {
            self.phase = Phase::Playing;
            run.next = Some(now);
        }
    }

    /// Stops playing and says so.
    pub(crate) fn drop_out(&mut self, ctx: &mut Ctx<'_>) {
        if self.run.is_some() {
            self.game_over();
            self.speak(ctx, Speech::Drop);
        }
    }

    /// Somebody in the room stopped playing.
    pub(super) fn dropped(&mut self, player: u8) {
        if self.run.as_ref().is_some_and(|run| run.player == player) {
            self.game_over();
        }
    }

    pub(super) fn game_over(&mut self) {
        self.run = None;
        let in_game = matches!(
            self.phase,
            Phase::Loading { .. } | Phase::Ready { .. } | Phase::Playing
        );
        if in_game {
            self.phase = Phase::Room;
        }
    }

    /// What it shows is not what the others see from here on.
    pub(super) fn stop_recording(&mut self) {
        if let Some(run) = &mut self.run {
            run.players = 0;
            run.recording = None;
        }
    }

    /// A step's inputs came.
    pub(super) fn frames(&mut self, payload: &[u8]) {
        let Some(run) = &mut self.run else {
            return;
        };
        assert!(
            payload.len().is_multiple_of(run.frames) || !self.trusted || self.character.garbled,
            "{} bytes are not {} frames",
            payload.len(),
            run.frames,
        );
        let length = payload.len() / run.frames;
        let frames = payload.chunks(length.max(1));
        run.queue.extend(frames.map(<[u8]>::to_vec));
    }

    /// Shows the frames that are due.
    pub(super) fn play(&mut self, ctx: &mut Ctx<'_>) {
        let Some(mut run) = self.run.take() else {
            return;
        };
        if self.phase == Phase::Playing {
            let sees_truth = !self.character.garbled && run.players > 0;
            if run.recording.is_none() && run.read == 0 && sees_truth {
                let players = run.players;
                run.recording = Some(ctx.streams.begin(run.part, players));
            }
            self.advance(ctx, &mut run);
        }
        let given_up = run
            .stall
            .as_ref()
            .is_some_and(|stall| ctx.now.since(stall.since) >= self.patience());
        self.run = Some(run);
        if given_up {
            self.drop_out(ctx);
        }
    }

    fn advance(&mut self, ctx: &mut Ctx<'_>, run: &mut Run) {
        while run.next.is_some_and(|at| at <= ctx.now) || run.stall.is_some() {
            if run.stall.is_none() {
                self.read_input(ctx, run);
            }
            if !run.show(ctx) {
                self.wait_for_frame(ctx, run);
                return;
            }
            let start = run.next.unwrap_or(ctx.now);
            let late = ctx.now.since(start) > Duration::from_millis(100);
            run.stall = None;
            run.next = Some(if late { ctx.now } else { start } + self.frame);
        }
    }

    fn read_input(&mut self, ctx: &mut Ctx<'_>, run: &mut Run) {
        run.pending.extend(input(run.part, run.read));
        run.read += 1;
        if run.pending.len() == run.frames * INPUT {
            let message = std::mem::take(&mut run.pending);
            self.speak(ctx, Speech::Input(message));
        }
    }

    fn wait_for_frame(&mut self, ctx: &mut Ctx<'_>, run: &mut Run) {
        let now = ctx.now;
        run.next = None;
        let every = |tries: u64| match self.character.breed {
            Breed::T02 => Duration::from_millis(11 + tries),
            _ => Duration::from_millis(1000),
        };
        let stall = run.stall.get_or_insert(Stall {
            since: now,
            repeat: now + every(0),
            tries: 0,
        });
        if stall.repeat <= now {
            stall.tries += 1;
            stall.repeat = now + every(stall.tries);
            self.repeat(ctx);
        }
    }

    fn patience(&self) -> Duration {
        match self.character.breed {
            Breed::Sup => Duration::from_secs(15),
            Breed::T02 => Duration::from_secs(120),
            _ => Duration::from_secs(100),
        }
    }
}

impl Run {
    /// Shows one frame, if there is one to show.
    fn show(&mut self, ctx: &mut Ctx<'_>) -> bool {
        if self.blank > 0 {
            self.blank -= 1;
            if let Some(recording) = &mut self.recording {
                ctx.streams.blank(recording);
            }
            return true;
        }
        let Some(inputs) = self.queue.pop_front() else {
            return false;
        };
        if let Some(recording) = &mut self.recording {
            ctx.streams.frame(recording, &inputs);
        }
        true
    }
}
