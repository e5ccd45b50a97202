//! Commands in the lobby (kaillera-server.md 7.3).

use super::{Entry, find, split};
use crate::lobby::{
    Lobby, Sink, UserKey,
    catalogue::{Param, Text},
    chat::inform,
    login::{PRODUCT, VERSION},
    user::User,
};

#[derive(Clone, Copy)]
enum Command {
    AliveCheck,
    Help,
    Me,
    MyIp,
    Version,
}

const TABLE: &[Entry<Command>] = &[
    Entry {
        word: "/alivecheck",
        command: Command::AliveCheck,
        help: Text::HelpAliveCheck,
    },
    Entry {
        word: "/help",
        command: Command::Help,
        help: Text::HelpHelp,
    },
    Entry {
        word: "/me",
        command: Command::Me,
        help: Text::HelpMe,
    },
    Entry {
        word: "/myip",
        command: Command::MyIp,
        help: Text::HelpMyIp,
    },
    Entry {
        word: "/version",
        command: Command::Version,
        help: Text::HelpVersion,
    },
];

/// Clients look for the part up to the equals sign.
const ALIVE: &[u8] = b":ALIVECHECK=";

impl Lobby {
    pub(in crate::lobby) fn lobby_command(&self, user: UserKey, line: &[u8], sink: &mut impl Sink) {
        let Some(sender) = self.users.get(user) else {
            return;
        };
        let (word, rest) = split(line);
        let Some(entry) = find(TABLE, word) else {
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
            Command::Help => {
                for entry in TABLE {
                    inform(&[user], &self.catalogue.line(entry.help, &[]), sink);
                }
            }
            Command::Me => self.emote(sender, rest, entry.help, sink),
            Command::MyIp => {
                let address = sender.address.to_string();
                let params = [Param::Word(&address)];
                inform(
                    &[user],
                    &self.catalogue.line(Text::MyAddress, &params),
                    sink,
                );
            }
            Command::Version => {
                let params = [Param::Word(PRODUCT), Param::Word(VERSION)];
                inform(&[user], &self.catalogue.line(Text::Version, &params), sink);
            }
        }
    }

    fn emote(&self, sender: &User, text: &[u8], help: Text, sink: &mut impl Sink) {
        let text = text.strip_prefix(b":").unwrap_or(text);
        if text.is_empty() {
            let help = self
                .catalogue
                .line(Text::CommandUsage, &[Param::Text(help)]);
            inform(&[sender.key], &help, sink);
        } else if let Err(reason) = self.check_chat(sender, text) {
            self.refuse_chat(sender.key, reason, sink);
        } else {
            let params = [Param::Bytes(&sender.name), Param::Bytes(text)];
            inform(
                self.users.listeners(),
                &self.catalogue.line(Text::Emote, &params),
                sink,
            );
        }
    }
}
