//! What admins do with the quiz, and its files, which somebody else reads and writes.

use super::Trivia;
use crate::{
    lobby::{
        Lobby, Sink, UserKey,
        catalogue::{Catalogue, Param, Text},
        chat::inform,
    },
    timer::Time,
};
use std::{net::IpAddr, time::Duration};

/// Longest line of the quiz before it is wrapped, in bytes.
const LONGEST: usize = 2000;

/// What an admin can want of the quiz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriviaCommand {
    /// `/triviaon`
    On,
    /// `/triviaoff`: the points are saved.
    Off,
    /// `/triviareset`: the points are gone, and the questions are read again.
    Reset,
    /// `/triviapause`: after the question that has been asked.
    Pause,
    /// `/triviaresume`
    Resume,
    /// `/triviasave`
    Save,
    /// `/triviascores`: the best three, to all.
    Scores,
    /// `/triviawin`: the best one, to all.
    Winner,
    /// `/triviatime <seconds>` between two questions.
    Time(Duration),
    /// `/triviaupdate <old address> <new address>`
    Update {
        /// Whose points they were.
        old: IpAddr,
        /// Whose they are.
        new: IpAddr,
    },
}

/// What is to be done with the quiz's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriviaWish<'a> {
    /// To read both; [`Lobby::trivia_fetched`] is to follow.
    Fetch,
    /// To put this in place of the points; [`Lobby::trivia_saved`] is to follow.
    Save(&'a str),
}

/// What is in the quiz's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TriviaFiles {
    /// `questions.txt`; empty if there is none.
    pub questions: String,
    /// `scores.txt`; empty if there is none.
    pub scores: String,
    /// Decides the order of the questions.
    pub seed: u64,
}

/// The quiz, and what is being done with its files: one thing at a time.
#[derive(Debug, Default)]
pub(in crate::lobby) struct TriviaDesk {
    quiz: Option<Box<Trivia>>,
    /// The files are to be read, or being read, for this.
    fetching: Option<Purpose>,
    /// Somebody is at the files.
    is_busy: bool,
    /// What is to be written next.
    to_save: Option<String>,
    /// Everybody is told when it is written.
    tells: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Begin,
    NewQuestions,
}

impl TriviaDesk {
    pub(in crate::lobby) fn poll_timeout(&self) -> Option<Time> {
        self.quiz.as_ref()?.poll_timeout()
    }

    /// Does the next thing with the files, unless somebody is at them.
    fn work(&mut self, sink: &mut impl Sink) {
        if self.is_busy {
            return;
        }
        if let Some(text) = self.to_save.take() {
            self.is_busy = true;
            sink.trivia(TriviaWish::Save(&text));
        } else if self.fetching.is_some() {
            self.is_busy = true;
            sink.trivia(TriviaWish::Fetch);
        }
    }
}

impl Lobby {
    /// Does what an admin wants of the quiz; whether `user` is one is not asked.
    pub fn trivia(
        &mut self,
        now: Time,
        user: UserKey,
        command: TriviaCommand,
        sink: &mut impl Sink,
    ) {
        if let Err(reason) = self.try_trivia(now, command, sink) {
            let reason = [Param::Bytes(&reason)];
            let line = self.catalogue.line(Text::AdminFailed, &reason);
            inform(&[user], &line, sink);
        }
        self.trivia.work(sink);
    }

    /// The files have been read.
    pub fn trivia_fetched(&mut self, now: Time, files: &TriviaFiles, sink: &mut impl Sink) {
        self.trivia.is_busy = false;
        let (questions, seed) = (&files.questions, files.seed);
        match self.trivia.fetching.take() {
            Some(Purpose::Begin) => {
                let quiz = self.with_say(sink, |say| {
                    Trivia::begin(now, questions, &files.scores, seed, say)
                });
                self.trivia.quiz = quiz.map(Box::new);
                if self.trivia.quiz.is_none() {
                    self.with_say(sink, |say| say(Text::TriviaNoQuestions, &[]));
                }
            }
            Some(Purpose::NewQuestions) => {
                let quiz = self.trivia.quiz.as_mut();
                if quiz.is_some_and(|quiz| !quiz.replace_questions(questions, seed)) {
                    self.with_say(sink, |say| say(Text::TriviaNoQuestions, &[]));
                }
            }
            None => {}
        }
        self.trivia.work(sink);
    }

    /// The points have been written, or could not be.
    pub fn trivia_saved(&mut self, saved: bool, sink: &mut impl Sink) {
        self.trivia.is_busy = false;
        let tells = std::mem::take(&mut self.trivia.tells);
        match saved {
            true if tells => self.with_say(sink, |say| say(Text::TriviaSaved, &[])),
            true => {}
            false => self.with_say(sink, |say| say(Text::TriviaNotSaved, &[])),
        }
        self.trivia.work(sink);
    }

    /// Takes the quiz's step that is due.
    pub(in crate::lobby) fn trivia_timeout(&mut self, now: Time, sink: &mut impl Sink) {
        let due = self.trivia.poll_timeout().is_some_and(|at| at <= now);
        if due && let Some(mut quiz) = self.trivia.quiz.take() {
            self.with_say(sink, |say| quiz.handle_timeout(now, say));
            let save = quiz.take_save();
            self.trivia.to_save = save.or(self.trivia.to_save.take());
            self.trivia.quiz = Some(quiz);
            self.trivia.work(sink);
        }
    }

    /// Looks whether a line that everybody has seen is the answer.
    pub(in crate::lobby) fn trivia_hears(
        &mut self,
        now: Time,
        user: UserKey,
        line: &[u8],
        sink: &mut impl Sink,
    ) {
        let (Some(speaker), Some(mut quiz)) = (self.users.get(user), self.trivia.quiz.take())
        else {
            return;
        };
        let (address, name) = (speaker.address, self.charset.decode(&speaker.name));
        let line = self.charset.decode(line);
        self.with_say(sink, |say| quiz.hear(now, address, &name, &line, say));
        self.trivia.quiz = Some(quiz);
    }

    /// The points are not lost when the server goes down.
    pub(in crate::lobby) fn trivia_ends(&mut self, sink: &mut impl Sink) {
        if let Some(quiz) = self.trivia.quiz.take() {
            self.trivia.to_save = Some(quiz.scores());
            self.trivia.work(sink);
        }
    }

    fn try_trivia(
        &mut self,
        now: Time,
        command: TriviaCommand,
        sink: &mut impl Sink,
    ) -> Result<(), Vec<u8>> {
        let refusal = |text| Err(self.catalogue.line(text, &[]));
        let Some(mut quiz) = self.trivia.quiz.take() else {
            let begins = self.trivia.fetching.is_some();
            match command {
                TriviaCommand::On | TriviaCommand::Reset if begins => {
                    return refusal(Text::TriviaRunning);
                }
                TriviaCommand::On => self.trivia.fetching = Some(Purpose::Begin),
                TriviaCommand::Reset => {
                    self.trivia.to_save = Some(String::new());
                    self.with_say(sink, |say| say(Text::TriviaReset, &[]));
                }
                _ => return refusal(Text::TriviaNotRunning),
            }
            return Ok(());
        };
        let mut done = Ok(());
        match command {
            TriviaCommand::On => done = refusal(Text::TriviaRunning),
            TriviaCommand::Off => {
                self.trivia.to_save = Some(quiz.scores());
                self.with_say(sink, |say| say(Text::TriviaOff, &[]));
                return Ok(());
            }
            TriviaCommand::Reset => {
                self.with_say(sink, |say| quiz.reset(say));
                self.trivia.to_save = Some(quiz.scores());
                self.trivia.fetching = Some(Purpose::NewQuestions);
            }
            TriviaCommand::Pause => self.with_say(sink, |say| quiz.pause(say)),
            TriviaCommand::Resume => self.with_say(sink, |say| quiz.resume(now, say)),
            TriviaCommand::Save => {
                self.trivia.to_save = Some(quiz.scores());
                self.trivia.tells = true;
            }
            TriviaCommand::Scores => self.with_say(sink, |say| quiz.show_top(say)),
            TriviaCommand::Winner => self.with_say(sink, |say| quiz.show_winner(say)),
            TriviaCommand::Time(pause) => self.with_say(sink, |say| quiz.set_pause(pause, say)),
            TriviaCommand::Update { old, new } => {
                if !self.with_say(sink, |say| quiz.move_points(old, new, say)) {
                    let old = old.to_string();
                    let params = [Param::Word(&old)];
                    done = Err(self.catalogue.line(Text::TriviaUpdateUnknown, &params));
                }
            }
        }
        self.trivia.quiz = Some(quiz);
        done
    }

    /// Lets the quiz speak to everybody.
    fn with_say<R>(
        &self,
        sink: &mut impl Sink,
        speak: impl FnOnce(&mut dyn FnMut(Text, &[Param<'_>])) -> R,
    ) -> R {
        let listeners = self.users.listeners();
        speak(&mut |text, params| {
            for line in lines(&self.catalogue, text, params) {
                inform(listeners, &line, sink);
            }
        })
    }
}

/// The text behind the quiz's sign, in as many lines as it takes.
fn lines(catalogue: &Catalogue, text: Text, params: &[Param<'_>]) -> Vec<Vec<u8>> {
    let text = catalogue.bytes(text, params, LONGEST);
    catalogue.wrapped(Text::TriviaLine, &[Param::Bytes(&text)])
}
