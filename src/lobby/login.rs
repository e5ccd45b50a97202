//! Who is let in, and what a newcomer and the others are told (kaillera.md 4,
//! kaillera-server.md 6).

use super::{
    AccessLevel, Close, Departure, Event, Lobby, Login, Sink, UserKey, admin_client,
    catalogue::{LOBBY_NAME, NAME, Param, REASON, Text},
    chat::inform,
    rights::{Right, may},
    user::Presence,
};
use crate::{
    kaillera::message::{ConnectionType, ServerMessage, UserId},
    timer::Time,
};

/// Longest emulator name in bytes: clients' buffers have 128.
const EMULATOR: usize = 126;

/// Lines that may come before the newcomer's own UserJoined (kaillera.md 4.3).
const LINES_FIRST: usize = 3;

/// Names that sign the server's own lines.
const RESERVED: [&[u8]; 2] = [b"server", b"error"];

pub(super) const PRODUCT: &str = "Samara";
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Lobby {
    /// Lets a user in, or sends its refusal and closes it; a user that is in already is ignored.
    pub fn login(&mut self, now: Time, user: UserKey, login: Login<'_>, sink: &mut impl Sink) {
        if self.users.get(user).is_some() {
            return;
        }
        if let Some(old) = self.users.on_seat(user.seat).map(|old| old.key) {
            self.depart(now, old, Departure::Reconnected, sink);
        }
        let level = self.level_of(now, login.address);
        let next = self.users.next_id();
        let decision = match self.draining {
            true => Err(self.catalogue.bytes(Text::LoginDraining, &[], REASON)),
            false => self.check_login(&login, level),
        };
        let (id, reason) = match (next, decision) {
            (Some(id), Ok(old)) => {
                if let Some(old) = old {
                    let words = self.parting_words(Text::QuitReconnected);
                    self.mark_lost(old, true);
                    self.leave(now, old, &words, Presence::Leaving, sink);
                }
                let folded_name = self.charset.fold(login.name);
                self.users.insert(now, user, id, &login, folded_name, level);
                self.welcome(user, sink);
                return;
            }
            (Some(id), Err(reason)) => (id, reason),
            (None, _) => (
                UserId(0),
                self.catalogue.bytes(Text::LoginFull, &[], REASON),
            ),
        };
        sink.event(&Event::LoginRefused {
            name: login.name,
            address: login.address,
            reason: &reason,
        });
        let refusal = ServerMessage::ConnectionRejected {
            name: LOBBY_NAME,
            id,
            reason: &reason,
        };
        sink.notice(&[user], &refusal);
        sink.close(user, Close::Rejected);
    }

    /// The decision: first failure wins. Allowed, it names the session the newcomer replaces.
    fn check_login(
        &self,
        login: &Login<'_>,
        level: AccessLevel,
    ) -> Result<Option<UserKey>, Vec<u8>> {
        let normal = !may(level, Right::EnterServer);
        self.check_link(login, level, normal)?;
        self.check_names(login, normal)
            .map_err(|text| self.catalogue.bytes(text, &[], REASON))?;
        if normal && !self.allows_emulator(login.emulator) {
            let params = [Param::Bytes(login.emulator)];
            let text = Text::LoginEmulatorBarred;
            return Err(self.catalogue.bytes(text, &params, REASON));
        }
        self.check_others(login, normal)
    }

    fn check_link(
        &self,
        login: &Login<'_>,
        level: AccessLevel,
        normal: bool,
    ) -> Result<(), Vec<u8>> {
        if level < AccessLevel::Normal {
            return Err(self.catalogue.bytes(Text::LoginAccess, &[], REASON));
        }
        let limit = self.rules.max_ping;
        if normal && login.ping > limit {
            let pings = format!("{} ms > {} ms", login.ping.as_millis(), limit.as_millis());
            let params = [Param::Word(&pings)];
            return Err(self.catalogue.bytes(Text::LoginPing, &params, REASON));
        }
        let index = login.connection_type as usize - 1;
        let allowed = self.rules.allowed_connection_types.0.get(index) == Some(&true);
        if normal && !allowed {
            let params = [Param::Text(type_text(login.connection_type))];
            return Err(self.catalogue.bytes(Text::LoginType, &params, REASON));
        }
        Ok(())
    }

    fn check_names(&self, login: &Login<'_>, normal: bool) -> Result<(), Text> {
        let Login { name, emulator, .. } = *login;
        let folded = self.charset.fold(name);
        if self.charset.is_blank(name) {
            return Err(Text::LoginNameEmpty);
        }
        if RESERVED.contains(&folded.as_slice()) || self.charset.has(name, '|') {
            return Err(Text::LoginNameIllegal);
        }
        if normal && advertises(&self.charset.decode(name)) {
            return Err(Text::LoginNameIllegal);
        }
        if name.len() > NAME || self.charset.count(name) > self.rules.max_user_name_length {
            return Err(Text::LoginNameLong);
        }
        let limit = self.rules.max_client_name_length;
        if emulator.len() > EMULATOR || normal && self.charset.count(emulator) > limit {
            return Err(Text::LoginEmulatorLong);
        }
        if self.charset.has(emulator, '|') {
            return Err(Text::LoginEmulatorIllegal);
        }
        if normal && self.charset.has_control(name) {
            return Err(Text::LoginNameIllegal);
        }
        if normal && self.is_filtered(name) {
            return Err(Text::LoginNameFiltered);
        }
        Ok(())
    }

    fn check_others(&self, login: &Login<'_>, normal: bool) -> Result<Option<UserKey>, Vec<u8>> {
        let folded = self.charset.fold(login.name);
        let mut replaced = None;
        for other in self.users.iter() {
            let same_address = other.address == login.address;
            let name = [Param::Bytes(&other.name)];
            if same_address && *other.name == *login.name {
                replaced = Some(other.key);
            } else if other.folded_name == folded {
                return Err(self.catalogue.bytes(Text::LoginNameTaken, &name, REASON));
            } else if same_address && normal && !self.rules.allow_multiple_connections {
                return Err(self.catalogue.bytes(Text::LoginAddress, &name, REASON));
            }
        }
        let limit = self.rules.max_users as usize;
        let staying = self.users.len() - usize::from(replaced.is_some());
        if normal && limit != 0 && staying >= limit {
            return Err(self.catalogue.bytes(Text::LoginFull, &[], REASON));
        }
        Ok(replaced)
    }

    /// Sends the lists, the newcomer to everybody, and the lines of the day around it.
    fn welcome(&self, user: UserKey, sink: &mut impl Sink) {
        let Some(user) = self.users.get(user) else {
            return;
        };
        sink.event(&Event::LoggedIn {
            who: user.who(),
            ping: user.ping,
            connection_type: user.connection_type,
            emulator: &user.emulator,
            level: user.level,
        });
        self.send_lists(user, sink);
        let texts = self.rules.welcome.iter().map(String::as_str);
        let mut lines: Vec<Vec<u8>> = texts.flat_map(|text| self.catalogue.lines(text)).collect();
        let product = [Param::Word(PRODUCT), Param::Word(VERSION)];
        lines.push(self.catalogue.line(Text::Product, &product));
        if admin_client::is_one(user) {
            lines.push(admin_client::access_line(user));
        }
        if user.may(Right::Administer) {
            lines.push(self.catalogue.line(Text::AdminWelcome, &[]));
            lines.extend(self.update_lines());
        }
        let (first, rest) = lines.split_at(lines.len().min(LINES_FIRST));
        for line in first {
            inform(&[user.key], line, sink);
        }
        let joined = ServerMessage::UserJoined {
            name: &user.name,
            id: user.id,
            ping: user.ping_ms(),
            connection_type: user.connection_type,
        };
        sink.notice(self.users.listeners(), &joined);
        for line in rest {
            inform(&[user.key], line, sink);
        }
        self.tell_admin_clients(user, sink);
        if let Some(words) = self.access.announcement(user.address) {
            for line in self.catalogue.lines(words) {
                inform(self.users.listeners(), &line, sink);
            }
        }
    }
}

/// Whether a name holds an address of the web or a backslash.
///
/// A no-break space is let through: the names of every byte a client can send come back as
/// they are, and one that is only blanks, or differs from a reserved or a taken name only by
/// blanks around it, is refused as that.
fn advertises(name: &str) -> bool {
    let name = name.to_lowercase();
    let words = ["www.", "http://", "https://", "\\"];
    words.iter().any(|word| name.contains(word))
}

/// The name of a connection type.
pub(super) fn type_text(connection_type: ConnectionType) -> Text {
    match connection_type {
        ConnectionType::Lan => Text::TypeLan,
        ConnectionType::Excellent => Text::TypeExcellent,
        ConnectionType::Good => Text::TypeGood,
        ConnectionType::Average => Text::TypeAverage,
        ConnectionType::Low => Text::TypeLow,
        ConnectionType::Bad => Text::TypeBad,
    }
}
