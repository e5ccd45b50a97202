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
        Event, Lobby, Sink, TriviaCommand, UserKey,
        catalogue::{Param, Text},
        chat::inform,
        rights::Right,
        user::User,
    },
    timer::Time,
};

/// A command as it was given.
#[derive(Clone, Copy)]
struct Given<'a> {
    now: Time,
    /// By whom.
    user: UserKey,
    /// What follows the word.
    rest: &'a [u8],
}

/// What there is to know about a command before it is carried out.
struct Entry {
    word: &'static str,
    /// Who may give it.
    right: Right,
    /// Its line of help.
    help: Text,
    /// How it is written.
    usage: Text,
}

/// A row: the word, who may give it, what is done, the line of help and how it is written.
macro_rules! commands {
    ($($word:literal $right:ident $action:ident($($with:expr)?), $help:ident $usage:ident;)*) => {
        const TABLE: &[Entry] = &[$(Entry {
            word: $word,
            right: Right::$right,
            help: Text::$help,
            usage: Text::$usage,
        },)*];

        impl Lobby {
            fn carry_out(
                &mut self,
                word: &str,
                given: Given<'_>,
                sink: &mut impl Sink,
            ) -> Outcome {
                match word {
                    $($word => self.$action(given, $($with,)? sink),)*
                    _ => Ok(()),
                }
            }
        }
    };
}

commands! {
    "/kick" KeepOrder send_away(), HelpKick UsageKick;
    "/silence" KeepOrder silence(), HelpSilence UsageSilence;
    "/finduser" Administer find_user(), HelpFindUser UsageFindUser;
    "/version" Administer long_version(), HelpAdminVersion UsageVersion;
    "/findgame" Administer find_games(), HelpFindGame UsageFindGame;
    "/unsilence" Administer unsilence(), HelpUnsilence UsageUnsilence;
    "/shadowsilence" Administer shadow_mute(), HelpShadowMute UsageShadowMute;
    "/unshadowsilence" Administer shadow_unmute(), HelpShadowUnmute UsageShadowUnmute;
    "/ban" Administer ban(), HelpBan UsageBan;
    "/permaban" Administer ban_for_good(), HelpPermaBan UsagePermaBan;
    "/permamute" Administer silence_for_good(), HelpPermaMute UsagePermaMute;
    "/clear" Administer clear(), HelpClear UsageClear;
    "/info" Administer info(), HelpInfo UsageInfo;
    "/closegame" Administer close_game(), HelpCloseGame UsageCloseGame;
    "/announce" Administer announce(), HelpAnnounce UsageAnnounce;
    "/announceall" Administer announce_all(), HelpAnnounceAll UsageAnnounceAll;
    "/announcegame" Administer announce_game(), HelpAnnounceGame UsageAnnounceGame;
    "/stealthon" Administer set_stealth(true), HelpStealthOn HelpStealthOn;
    "/stealthoff" Administer set_stealth(false), HelpStealthOff HelpStealthOff;
    "/triviaon" Administer lead(TriviaCommand::On), HelpTriviaOn HelpTriviaOn;
    "/triviaoff" Administer lead(TriviaCommand::Off), HelpTriviaOn HelpTriviaOn;
    "/triviapause" Administer lead(TriviaCommand::Pause), HelpTriviaPause HelpTriviaPause;
    "/triviaresume" Administer lead(TriviaCommand::Resume), HelpTriviaPause HelpTriviaPause;
    "/triviareset" Administer lead(TriviaCommand::Reset), HelpTriviaReset HelpTriviaReset;
    "/triviasave" Administer lead(TriviaCommand::Save), HelpTriviaSave HelpTriviaSave;
    "/triviascores" Administer lead(TriviaCommand::Scores), HelpTriviaScores HelpTriviaScores;
    "/triviawin" Administer lead(TriviaCommand::Winner), HelpTriviaScores HelpTriviaScores;
    "/triviatime" Administer trivia_time(), HelpTriviaTime UsageTriviaTime;
    "/triviaupdate" Administer trivia_update(), HelpTriviaUpdate UsageTriviaUpdate;
    "/tempelevated" Promote grant(AccessLevel::Elevated), HelpTempElevated UsageTempElevated;
    "/tempmoderator" Promote grant(AccessLevel::Moderator), HelpTempModerator UsageTempModerator;
    "/tempadmin" Promote grant(AccessLevel::Admin), HelpTempAdmin UsageTempAdmin;
}

pub(super) fn words() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|entry| entry.word)
}

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
        let Some(entry) = TABLE.iter().find(is_it).filter(|_| self.offers(word)) else {
            return false;
        };
        if !sender.may(Right::KeepOrder) || !sender.may(entry.right) && is_everybodys(entry.word) {
            return false;
        }
        if !sender.may(entry.right) {
            let reason = match sender.may(Right::Administer) {
                true => Text::SuperAdminOnly,
                false => Text::AdminDenied,
            };
            inform(&[user], &self.catalogue.line(reason, &[]), sink);
            sink.event(&Event::CommandFailed(sender.who(), entry.word));
            return true;
        }
        let word = entry.word;
        let target = numbered(rest).ok();
        let target = target.and_then(|(id, _)| self.user_numbered(id).ok());
        sink.event(&Event::Command {
            who: sender.who(),
            word,
            rest,
            target: target.map(User::who).filter(|_| has_target(word)),
            is_speech: is_speech(word),
        });
        let given = Given { now, user, rest };
        if let Err(failure) = self.carry_out(word, given, sink) {
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
            let can_give =
                |entry: &&Entry| reader.may(entry.right) && self.offers(entry.word.as_bytes());
            for entry in TABLE.iter().filter(can_give) {
                if last != Some(entry.help) {
                    inform(&[user], &self.catalogue.line(entry.help, &[]), sink);
                }
                last = Some(entry.help);
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

/// Whether admins have a command of this word.
pub(super) fn has(word: &str) -> bool {
    TABLE.iter().any(|entry| entry.word == word)
}

/// Whether everybody has a command of this word.
fn is_everybodys(word: &str) -> bool {
    super::lobby::words().any(|other| other == word)
}

/// Whether what follows the command is said to users.
fn is_speech(word: &str) -> bool {
    word.starts_with("/announce")
}

/// Whether a number behind the command is a user's.
fn has_target(word: &str) -> bool {
    let is_of_no_user = matches!(word, "/closegame" | "/findgame" | "/finduser");
    !is_of_no_user && !is_speech(word) && !word.starts_with("/trivia")
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
