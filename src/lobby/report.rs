//! What admins are told of files that were read again (kaillera-server.md 5.2).

use super::{
    Lobby, Sink, UserKey,
    catalogue::{Param, Text},
    chat::inform,
    rights::Right,
};

/// One line about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// A file was read again.
    Read(String),
    /// A line of a file is not what it should be.
    Mistake {
        /// The file.
        file: String,
        /// The line, counted from 1; 0 is the whole file.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// So many mistakes of a file are not told one by one.
    More(u64, String),
    /// A file cannot be used; what was read before holds.
    Kept(String),
    /// What a file says of this counts from the next start on.
    Restart(String),
    /// Bans and silences cannot be written; moderators are told, too.
    NotSaved,
}

impl Lobby {
    /// Tells the admins who are online.
    pub fn tell_admins(&mut self, reports: &[Report], sink: &mut impl Sink) {
        let with = |right| -> Vec<UserKey> {
            let users = self.users.iter().filter(|user| user.may(right));
            users.map(|user| user.key).collect()
        };
        let (admins, moderators) = (with(Right::Administer), with(Right::KeepOrder));
        for report in reports {
            let to = match report {
                Report::NotSaved => &moderators,
                _ => &admins,
            };
            let line = match report {
                Report::Read(file) => self.catalogue.line(Text::Reloaded, &[Param::Word(file)]),
                Report::Mistake { file, line, what } => {
                    let line = Param::Number(*line as u64);
                    let params = [Param::Word(file), line, Param::Word(what)];
                    self.catalogue.line(Text::ReloadMistake, &params)
                }
                Report::More(count, file) => {
                    let params = [Param::Number(*count), Param::Word(file)];
                    self.catalogue.line(Text::ReloadMore, &params)
                }
                Report::Kept(file) => self.catalogue.line(Text::ReloadKept, &[Param::Word(file)]),
                Report::Restart(what) => self
                    .catalogue
                    .line(Text::ReloadRestart, &[Param::Word(what)]),
                Report::NotSaved => self.catalogue.line(Text::NotSaved, &[]),
            };
            inform(to, &line, sink);
        }
    }
}
