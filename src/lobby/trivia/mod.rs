//! The lobby's quiz (kaillera-server.md 13.1): questions, hints, points.
//!
//! ```text
//!            10 s           10 s            15 s         15 s          5 s
//!   begin ---------> asked -------> 35 s --------> hint 1 -----> hint 2 -----> the answer
//!                    ^  |   left           20 s left      5 s left              |
//!                    |  +--- somebody is right ---------------------------------+
//!                    |                                                          |
//!                    +------------------------ pause <--------------------------+
//!                                                |  ^
//!                                     when asked |  | resumed
//!                                                v  |
//!                                               halted
//! ```
//!
//! Every step has a time that is at least seconds away, so nothing floods the lobby, whatever the
//! answers are. No time is read and no file is opened here.

mod answer;
mod command;
mod questions;
mod scores;

pub(super) use command::TriviaDesk;
pub use command::{TriviaCommand, TriviaFiles, TriviaWish};

use super::catalogue::{Param, Text};
use crate::timer::Time;
use answer::{hint, is_right};
use questions::Deck;
use scores::Scores;
use std::{net::IpAddr, time::Duration};

/// From the command to the first question.
const BEGIN: Duration = Duration::from_secs(10);
/// From a question to the notice of how long is left, from there to the hints, and to the end.
const READ: Duration = Duration::from_secs(10);
const HINT: Duration = Duration::from_secs(15);
const LAST: Duration = Duration::from_secs(5);
/// Between two questions, unless somebody sets another time.
const PAUSE: Duration = Duration::from_secs(30);
/// Points are saved after so many questions.
const SAVE_EVERY: u32 = 15;
/// The best that are shown.
const TOP: usize = 3;

/// Where lines for everybody go.
pub(super) type Say<'s> = &'s mut dyn FnMut(Text, &[Param<'_>]);

/// A quiz that runs.
#[derive(Debug)]
pub(super) struct Trivia {
    deck: Deck,
    scores: Scores,
    stage: Stage,
    pause: Duration,
    /// It halts after this question.
    halts: bool,
    /// Who was right last, and how often in a row.
    streak: Option<(IpAddr, u64)>,
    asked: u32,
    save_is_due: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The next question comes then.
    Pause(Time),
    /// A question has been asked; this follows then.
    Asked(Step, Time),
    /// Nothing happens until it is resumed.
    Halted,
}

/// What follows a question that nobody answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Notice,
    FirstHint,
    SecondHint,
    Answer,
}

impl Trivia {
    /// A quiz over `questions`, in an order that `seed` decides, with the points of `scores`;
    /// `None` if there are no questions.
    pub(super) fn begin(
        now: Time,
        questions: &str,
        scores: &str,
        seed: u64,
        say: Say<'_>,
    ) -> Option<Self> {
        let deck = Deck::new(questions, seed)?;
        say(Text::TriviaOn, &[Param::Number(BEGIN.as_secs())]);
        Some(Self {
            deck,
            scores: Scores::parse(scores),
            stage: Stage::Pause(now + BEGIN),
            pause: PAUSE,
            halts: false,
            streak: None,
            asked: 0,
            save_is_due: false,
        })
    }

    /// When [`handle_timeout`](Self::handle_timeout) wants to be called.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        match self.stage {
            Stage::Pause(at) | Stage::Asked(_, at) => Some(at),
            Stage::Halted => None,
        }
    }

    /// Takes the step that is due, if one is.
    pub(super) fn handle_timeout(&mut self, now: Time, say: Say<'_>) {
        match self.stage {
            Stage::Pause(at) if at <= now => self.ask(now, say),
            Stage::Asked(step, at) if at <= now => self.follow(now, step, say),
            Stage::Pause(_) | Stage::Asked(..) | Stage::Halted => {}
        }
    }

    /// Looks whether a line from the lobby is the answer.
    pub(super) fn hear(
        &mut self,
        now: Time,
        address: IpAddr,
        name: &str,
        line: &str,
        say: Say<'_>,
    ) {
        let Stage::Asked(..) = self.stage else {
            return;
        };
        let answer = self.deck.question().answer.clone();
        if !is_right(line, &answer) {
            return;
        }
        let points = self.scores.add(address, name);
        let who = Param::Word(name);
        let right = [who, Param::Word(&answer), Param::Number(points)];
        say(Text::TriviaRight, &right);
        let before = self.streak.filter(|(last, _)| *last == address);
        let times = before.map_or(0, |(_, times)| times) + 1;
        self.streak = Some((address, times));
        if times >= 2 {
            say(Text::TriviaStreak, &[who, Param::Number(times)]);
        }
        let praise = match points {
            25 => Some(Text::TriviaPraise),
            50 => Some(Text::TriviaPraiseMore),
            points if points % 100 == 0 => Some(Text::TriviaPraiseMost),
            _ => None,
        };
        if let Some(praise) = praise {
            say(praise, &[who, Param::Number(points)]);
        }
        self.rest(now, say);
    }

    /// The points in the form of their file, if it is time to save them.
    pub(super) fn take_save(&mut self) -> Option<String> {
        std::mem::take(&mut self.save_is_due).then(|| self.scores.to_string())
    }

    /// The points in the form of their file.
    pub(super) fn scores(&self) -> String {
        self.scores.to_string()
    }

    /// Halts after the question that has been asked, or at once between two.
    pub(super) fn pause(&mut self, say: Say<'_>) {
        match self.stage {
            Stage::Pause(_) => self.stage = Stage::Halted,
            Stage::Asked(..) => self.halts = true,
            Stage::Halted => {}
        }
        say(Text::TriviaPaused, &[]);
    }

    /// Goes on after a pause.
    pub(super) fn resume(&mut self, now: Time, say: Say<'_>) {
        self.halts = false;
        say(Text::TriviaResumed, &[]);
        if self.stage == Stage::Halted {
            self.stage = Stage::Pause(now + BEGIN);
            say(Text::TriviaNext, &[Param::Number(BEGIN.as_secs())]);
        }
    }

    /// Sets the time between questions.
    pub(super) fn set_pause(&mut self, pause: Duration, say: Say<'_>) {
        self.pause = pause;
        say(Text::TriviaTime, &[Param::Number(pause.as_secs())]);
    }

    /// Takes everybody's points.
    pub(super) fn reset(&mut self, say: Say<'_>) {
        self.scores = Scores::default();
        self.streak = None;
        say(Text::TriviaReset, &[]);
    }

    /// Asks from other questions from the next one on; keeps its own if there are none.
    pub(super) fn replace_questions(&mut self, questions: &str, seed: u64) -> bool {
        let Some(deck) = Deck::new(questions, seed) else {
            return false;
        };
        self.deck.replace(deck);
        true
    }

    /// Gives the points of one address to another.
    pub(super) fn move_points(&mut self, old: IpAddr, new: IpAddr, say: Say<'_>) -> bool {
        let moved = self.scores.move_points(old, new);
        if moved {
            let (old, new) = (old.to_string(), new.to_string());
            say(Text::TriviaUpdated, &[Param::Word(&old), Param::Word(&new)]);
        }
        moved
    }

    /// Shows the three with the most points.
    pub(super) fn show_top(&self, say: Say<'_>) {
        if self.scores.top().next().is_none() {
            say(Text::TriviaNoScores, &[]);
            return;
        }
        say(Text::TriviaTop, &[]);
        for (place, player) in (1..).zip(self.scores.top().take(TOP)) {
            let (name, points) = (Param::Word(&player.name), Param::Number(player.points));
            say(Text::TriviaPlace, &[Param::Number(place), name, points]);
        }
    }

    /// Shows who has the most points.
    pub(super) fn show_winner(&self, say: Say<'_>) {
        match self.scores.top().next() {
            Some(player) => {
                let params = [Param::Word(&player.name), Param::Number(player.points)];
                say(Text::TriviaWinner, &params);
            }
            None => say(Text::TriviaNoScores, &[]),
        }
    }

    fn ask(&mut self, now: Time, say: Say<'_>) {
        self.deck.draw();
        self.asked = self.asked.wrapping_add(1);
        self.save_is_due |= self.asked.is_multiple_of(SAVE_EVERY);
        let question = self.deck.question();
        say(Text::TriviaQuestion, &[Param::Word(&question.text)]);
        self.stage = Stage::Asked(Step::Notice, now + READ);
    }

    fn follow(&mut self, now: Time, step: Step, say: Say<'_>) {
        let answer = self.deck.question().answer.clone();
        let (next, gap, left) = match step {
            Step::Notice => (Step::FirstHint, HINT, HINT * 2 + LAST),
            Step::FirstHint => (Step::SecondHint, HINT, HINT + LAST),
            Step::SecondHint => (Step::Answer, LAST, LAST),
            Step::Answer => {
                say(Text::TriviaAnswer, &[Param::Word(&answer)]);
                self.streak = None;
                self.rest(now, say);
                return;
            }
        };
        let hidden = match step {
            Step::FirstHint => Some((1, 2)),
            Step::SecondHint => Some((2, 4)),
            Step::Notice | Step::Answer => None,
        };
        if let Some((number, every)) = hidden {
            let hint = hint(&answer, every);
            say(
                Text::TriviaHint,
                &[Param::Number(number), Param::Word(&hint)],
            );
        }
        say(Text::TriviaTimeLeft, &[Param::Number(left.as_secs())]);
        self.stage = Stage::Asked(next, now + gap);
    }

    fn rest(&mut self, now: Time, say: Say<'_>) {
        if std::mem::take(&mut self.halts) {
            self.stage = Stage::Halted;
            return;
        }
        self.stage = Stage::Pause(now + self.pause);
        say(Text::TriviaNext, &[Param::Number(self.pause.as_secs())]);
    }
}

#[cfg(test)]
mod tests;
