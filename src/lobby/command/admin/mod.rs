//! Commands of those who keep order (kaillera-server.md 7.6).

mod announce;
mod find;
mod levels;
mod sanctions;
mod trivia;

use super::{number, split};
use crate::{
    access::AccessLevel,
    kaillera::message::UserId,
    lobby::{
        Event, Lobby, Sink, UserKey,
        catalogue::{Param, Text},
        chat::inform,
        rights::Right,
        user::User,
    },
    timer::Time,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Announce,
    AnnounceAll,
    AnnounceGame,
    Ban,
    Clear,
    CloseGame,
    FindGame,
    FindUser,
    Grant(AccessLevel),
    Info,
    Kick,
    PermaBan,
    PermaMute,
    ShadowMute,
    ShadowUnmute,
    Silence,
    Stealth(bool),
    Trivia(trivia::Command),
    Unsilence,
    Version,
}

/// One command: its word, who may give it, its line of help and how it is written.
struct Entry {
    word: &'static str,
    right: Right,
    command: Command,
    help: Text,
    usage: Text,
}

macro_rules! table {
    ($($word:literal $right:ident $command:expr, $help:ident $usage:ident;)*) => {
        &[$(Entry {
            word: $word,
            right: Right::$right,
            command: $command,
            help: Text::$help,
            usage: Text::$usage,
        },)*]
    };
}

const TABLE: &[Entry] = table! {
    "/finduser" KeepOrder Command::FindUser, HelpFindUser UsageFindUser;
    "/kick" KeepOrder Command::Kick, HelpKick UsageKick;
    "/silence" KeepOrder Command::Silence, HelpSilence UsageSilence;
    "/version" Administer Command::Version, HelpAdminVersion UsageVersion;
    "/findgame" Administer Command::FindGame, HelpFindGame UsageFindGame;
    "/unsilence" Administer Command::Unsilence, HelpUnsilence UsageUnsilence;
    "/shadowsilence" Administer Command::ShadowMute, HelpShadowMute UsageShadowMute;
    "/unshadowsilence" Administer Command::ShadowUnmute, HelpShadowUnmute UsageShadowUnmute;
    "/ban" Administer Command::Ban, HelpBan UsageBan;
    "/permaban" Administer Command::PermaBan, HelpPermaBan UsagePermaBan;
    "/permamute" Administer Command::PermaMute, HelpPermaMute UsagePermaMute;
    "/clear" Administer Command::Clear, HelpClear UsageClear;
    "/info" Administer Command::Info, HelpInfo UsageInfo;
    "/closegame" Administer Command::CloseGame, HelpCloseGame UsageCloseGame;
    "/announce" Administer Command::Announce, HelpAnnounce UsageAnnounce;
    "/announceall" Administer Command::AnnounceAll, HelpAnnounceAll UsageAnnounceAll;
    "/announcegame" Administer Command::AnnounceGame, HelpAnnounceGame UsageAnnounceGame;
    "/stealthon" Administer Command::Stealth(true), HelpStealthOn HelpStealthOn;
    "/stealthoff" Administer Command::Stealth(false), HelpStealthOff HelpStealthOff;
    "/triviaon" Administer Command::Trivia(trivia::Command::On), HelpTriviaOn HelpTriviaOn;
    "/triviaoff" Administer Command::Trivia(trivia::Command::Off), HelpTriviaOn HelpTriviaOn;
    "/triviapause" Administer Command::Trivia(trivia::Command::Pause), HelpTriviaPause HelpTriviaPause;
    "/triviaresume" Administer Command::Trivia(trivia::Command::Resume), HelpTriviaPause HelpTriviaPause;
    "/triviareset" Administer Command::Trivia(trivia::Command::Reset), HelpTriviaReset HelpTriviaReset;
    "/triviasave" Administer Command::Trivia(trivia::Command::Save), HelpTriviaSave HelpTriviaSave;
    "/triviascores" Administer Command::Trivia(trivia::Command::Scores), HelpTriviaScores HelpTriviaScores;
    "/triviawin" Administer Command::Trivia(trivia::Command::Winner), HelpTriviaScores HelpTriviaScores;
    "/triviatime" Administer Command::Trivia(trivia::Command::Time), HelpTriviaTime UsageTriviaTime;
    "/triviaupdate" Administer Command::Trivia(trivia::Command::Update), HelpTriviaUpdate UsageTriviaUpdate;
    "/tempelevated" Promote Command::Grant(AccessLevel::Elevated), HelpTempElevated UsageTempElevated;
    "/tempmoderator" Promote Command::Grant(AccessLevel::Moderator), HelpTempModerator UsageTempModerator;
    "/tempadmin" Promote Command::Grant(AccessLevel::Admin), HelpTempAdmin UsageTempAdmin;
};

/// Why a command did nothing.
enum Failure {
    /// It was written wrongly.
    Usage,
    /// A reason that stands for itself.
    Reason(Text),
    /// The same about a user, by its name.
    About(Text, Box<[u8]>),
    /// Nobody, or no room, has this number.
    Unknown(Text, u32),
    /// A limit.
    Limit(Text, u64),
}

type Outcome = Result<(), Failure>;

impl Lobby {
    /// Does what a line of one who keeps order says; false if that is no command of theirs.
    pub(super) fn admin_command(
        &mut self,
        now: Time,
        user: UserKey,
        line: &[u8],
        sink: &mut impl Sink,
    ) -> bool {
        let Some(sender) = self.users.get(user) else {
            return false;
        };
        let (word, rest) = split(line);
        let is_it = |entry: &&Entry| entry.word.as_bytes().eq_ignore_ascii_case(word);
        let Some(entry) = TABLE.iter().find(is_it) else {
            return false;
        };
        if !sender.may(Right::KeepOrder) || !sender.may(entry.right) && is_open(entry.command) {
            return false;
        }
        if !sender.may(entry.right) {
            let reason = match entry.right {
                Right::Promote => Text::SuperAdminOnly,
                _ => Text::AdminDenied,
            };
            inform(&[user], &self.catalogue.line(reason, &[]), sink);
            sink.event(&Event::CommandFailed(sender.who(), entry.word));
            return true;
        }
        let command = entry.command;
        let target = numbered(rest).ok();
        let target = target.and_then(|(id, _)| self.user_numbered(id).ok());
        sink.event(&Event::Command {
            who: sender.who(),
            word: entry.word,
            rest,
            target: target.map(User::who).filter(|_| has_target(entry.word)),
            is_speech: is_speech(entry.word),
        });
        if let Err(failure) = self.run_admin_command(now, user, command, rest, sink) {
            self.admin_failed(user, entry, &failure, sink);
            if let Some(sender) = self.users.get(user) {
                sink.event(&Event::CommandFailed(sender.who(), entry.word));
            }
        }
        true
    }

    /// The help lines of `user`'s level, after those of everybody.
    pub(super) fn admin_help(&self, user: UserKey, sink: &mut impl Sink) {
        let Some(reader) = self.users.get(user) else {
            return;
        };
        if reader.may(Right::KeepOrder) {
            // Two words may share a line.
            let mut last = None;
            for entry in TABLE.iter().filter(|entry| reader.may(entry.right)) {
                if last != Some(entry.help) {
                    inform(&[user], &self.catalogue.line(entry.help, &[]), sink);
                }
                last = Some(entry.help);
            }
        }
    }

    fn run_admin_command(
        &mut self,
        now: Time,
        user: UserKey,
        command: Command,
        rest: &[u8],
        sink: &mut impl Sink,
    ) -> Outcome {
        match command {
            Command::Announce => self.announce(rest, sink),
            Command::AnnounceAll => self.announce_all(rest, sink),
            Command::AnnounceGame => self.announce_game(rest, sink),
            Command::Ban => self.ban(now, user, rest, sink),
            Command::Clear => self.clear(now, user, rest, sink),
            Command::CloseGame => self.close_game(now, user, rest, sink),
            Command::FindGame => self.find_games(user, rest, sink),
            Command::FindUser => self.find_users(user, rest, sink).ok_or(Failure::Usage),
            Command::Grant(level) => self.grant(now, user, level, rest, sink),
            Command::Info => self.info(now, user, rest, sink),
            Command::Kick => self.send_away(now, user, rest, sink),
            Command::PermaBan => self.ban_for_good(now, user, rest, sink),
            Command::PermaMute => self.silence_for_good(now, user, rest, sink),
            Command::ShadowMute => self.shadow_mute(now, user, rest, sink),
            Command::ShadowUnmute => self.shadow_unmute(user, rest, sink),
            Command::Silence => self.silence(now, user, rest, sink),
            Command::Stealth(on) => self.set_stealth(user, on, sink),
            Command::Trivia(command) => self.trivia_command(now, user, command, rest, sink),
            Command::Unsilence => self.unsilence(now, user, rest, sink),
            Command::Version => {
                self.long_version(user, sink);
                Ok(())
            }
        }
    }

    fn admin_failed(&self, user: UserKey, entry: &Entry, failure: &Failure, sink: &mut impl Sink) {
        let reason = match failure {
            Failure::Usage => self.catalogue.line(entry.usage, &[]),
            Failure::Reason(text) => self.catalogue.line(*text, &[]),
            Failure::About(text, name) => self.catalogue.line(*text, &[Param::Bytes(name)]),
            Failure::Unknown(text, id) => {
                self.catalogue.line(*text, &[Param::Number((*id).into())])
            }
            Failure::Limit(text, limit) => self.catalogue.line(*text, &[Param::Number(*limit)]),
        };
        let line = self
            .catalogue
            .line(Text::AdminFailed, &[Param::Bytes(&reason)]);
        inform(&[user], &line, sink);
    }

    /// The user with this number.
    fn user_numbered(&self, id: u32) -> Result<&User, Failure> {
        let user = u16::try_from(id).ok().map(UserId);
        let user = user.and_then(|id| self.users.with_id(id));
        user.ok_or(Failure::Unknown(Text::UserNotFound, id))
    }

    /// The user that `sender` may act on. `reasons` are for oneself and for admins.
    fn target(&self, sender: UserKey, id: u32, reasons: [Text; 2]) -> Result<&User, Failure> {
        let [oneself, admin] = reasons;
        let target = self.user_numbered(id)?;
        let may = |right| self.users.get(sender).is_some_and(|user| user.may(right));
        if target.key == sender {
            Err(Failure::Reason(oneself))
        } else if target.may(Right::Untouched) && !may(Right::ActOnAdmins) {
            Err(Failure::Reason(admin))
        } else if target.may(Right::KeepOrder) && !may(Right::Administer) {
            Err(Failure::Reason(Text::TargetModerator))
        } else {
            Ok(target)
        }
    }

    /// Who decides, as it is kept with bans and silences.
    fn issuer(&self, user: UserKey) -> String {
        let user = self.users.get(user);
        user.map_or_else(String::new, |user| {
            format!("{} ({})", self.charset.decode(&user.name), user.id.0)
        })
    }

    /// Tells everybody.
    fn proclaim(&self, text: Text, params: &[Param<'_>], sink: &mut impl Sink) {
        inform(
            self.users.listeners(),
            &self.catalogue.line(text, params),
            sink,
        );
    }
}

/// Whether what follows the command is said to users.
fn is_speech(word: &str) -> bool {
    word.starts_with("/announce")
}

/// Whether a number behind the command is a user's.
fn has_target(word: &str) -> bool {
    let others = ["/closegame", "/findgame", "/finduser"];
    !is_speech(word) && !word.starts_with("/trivia") && !others.contains(&word)
}

/// Whether everybody has a command of the same name.
fn is_open(command: Command) -> bool {
    matches!(command, Command::FindUser | Command::Version)
}

/// A number and what follows it.
fn numbered(rest: &[u8]) -> Result<(u32, &[u8]), Failure> {
    let (word, rest) = split(rest);
    number(word)
        .map(|number| (number, rest))
        .ok_or(Failure::Usage)
}

/// A number and nothing else.
fn only_number(rest: &[u8]) -> Result<u32, Failure> {
    number(rest).ok_or(Failure::Usage)
}
