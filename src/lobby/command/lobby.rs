//! Commands in the lobby (kaillera-server.md 7.3).

use super::{Entry, Place, admin, find, number, social, split};
use crate::{
    kaillera::message::GameId,
    lobby::{
        Lobby, Sink, UserKey,
        catalogue::{Param, Text},
        chat::inform,
        login::{PRODUCT, VERSION},
        rights::Right,
        user::User,
    },
    timer::Time,
};

#[derive(Clone, Copy)]
enum Command {
    AliveCheck,
    FindUser,
    Help,
    MyIp,
    Password,
    Version,
    Watch,
}

const TABLE: &[Entry<Command>] = table! {
    "/alivecheck" Command::AliveCheck, HelpAliveCheck;
    "/finduser" Command::FindUser, HelpFindUserUser;
    "/help" Command::Help, HelpHelp;
    "/myip" Command::MyIp, HelpMyIp;
    "/password" Command::Password, HelpJoinPassword;
    "/version" Command::Version, HelpVersion;
    "/watch" Command::Watch, HelpWatch;
};

pub(super) fn words() -> impl Iterator<Item = &'static str> {
    super::words(TABLE)
}

/// Clients look for the part up to the equals sign.
const ALIVE: &[u8] = b":ALIVECHECK=";

impl Lobby {
    pub(in crate::lobby) fn lobby_command(
        &mut self,
        now: Time,
        user: UserKey,
        line: &[u8],
        sink: &mut impl Sink,
    ) {
        if self.admin_command(now, user, line, sink)
            || !self.take_turn(now, user, Place::Lobby, sink)
        {
            return;
        }
        let (word, rest) = split(line);
        if let Some(entry) = find(social::TABLE, word) {
            self.social_command(now, user, Place::Lobby, entry.command, rest, sink);
            return;
        }
        let Some(sender) = self.users.get(user) else {
            return;
        };
        let Some(entry) = find(TABLE, word).filter(|_| self.offers(word)) else {
            let params = [Param::Bytes(line)];
            inform(
                &[user],
                &self.catalogue.line(Text::UnknownCommand, &params),
                sink,
            );
            return;
        };
        match entry.command {
            Command::AliveCheck => {
                let alive = self.catalogue.line(Text::Alive, &[]);
                inform(&[user], &[ALIVE, &alive].concat(), sink);
            }
            Command::FindUser => {
                if self.find_users(user, rest, sink).is_none() {
                    let usage = [Param::Text(Text::UsageFindUser)];
                    self.reply(user, Place::Lobby, Text::CommandUsage, &usage, sink);
                }
            }
            Command::Help => self.lobby_help(user, sink),
            Command::MyIp => {
                let address = sender.address.to_string();
                let params = [Param::Word(&address)];
                inform(
                    &[user],
                    &self.catalogue.line(Text::MyAddress, &params),
                    sink,
                );
            }
            Command::Password => {
                if self.note_password(user, rest, sink).is_none() {
                    let usage = [Param::Text(Text::HelpJoinPassword)];
                    self.reply(user, Place::Lobby, Text::CommandUsage, &usage, sink);
                }
            }
            Command::Version => {
                let params = [Param::Word(PRODUCT), Param::Word(VERSION)];
                inform(&[user], &self.catalogue.line(Text::Version, &params), sink);
            }
            Command::Watch => match number(rest) {
                Some(id) => self.will_watch(user, GameId(id), sink),
                None => {
                    let usage = [Param::Text(entry.help)];
                    let usage = self.catalogue.line(Text::CommandUsage, &usage);
                    inform(&[user], &usage, sink);
                }
            },
        }
    }

    /// What everybody may do, but for what an admin has another command of the same word for.
    fn lobby_help(&self, user: UserKey, sink: &mut impl Sink) {
        let is_admin = |user: &User| user.may(Right::Administer);
        let administers = self.users.get(user).is_some_and(is_admin);
        let own = TABLE
            .iter()
            .filter(|entry| !(administers && admin::has(entry.word)))
            .filter(|entry| self.offers(entry.word.as_bytes()));
        let own = own.map(|entry| entry.help);
        for text in own.chain(social::TABLE.iter().map(|entry| entry.help)) {
            inform(&[user], &self.catalogue.line(text, &[]), sink);
        }
        self.admin_help(user, sink);
    }
}
