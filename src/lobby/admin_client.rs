//! The lines one family of clients reads to show admins the server (kaillera-server.md 16.1).

use super::{Lobby, Sink, chat::inform, rights::Right, user::User};
use crate::kaillera::message::UserStatus;
use std::io::Write;

const EMULATOR: &[u8] = b"EmulinkerSF Admin Client";

const USERS: &[u8] = b":USERINFO=";
const FIELD: u8 = 2;
const RECORD: u8 = 3;

/// A line with users is full once it is longer than this; the client reads a little more.
const LINE_END: usize = 300;

/// Whether `user` is such a client.
pub(super) fn is_one(user: &User) -> bool {
    user.emulator.starts_with(EMULATOR)
}

/// Tells the client the level of its user.
pub(super) fn access_line(user: &User) -> Vec<u8> {
    [b":ACCESS=", user.level.name().as_bytes()].concat()
}

impl Lobby {
    /// Tells a newcomer with such a client who is here, and those who are here of the newcomer.
    /// Only those who may grant levels see the addresses.
    pub(super) fn tell_admin_clients(&self, newcomer: &User, sink: &mut impl Sink) {
        let reads = |user: &&User| is_one(user) && user.may(Right::Promote);
        if reads(&newcomer) {
            let mut line = USERS.to_vec();
            for user in self.users.iter() {
                line.extend_from_slice(&self.record(user));
                line.push(RECORD);
                if line.len() > LINE_END {
                    inform(&[newcomer.key], &line, sink);
                    line.truncate(USERS.len());
                }
            }
            if line.len() > USERS.len() {
                inform(&[newcomer.key], &line, sink);
            }
        }
        let others = self.users.iter().filter(|user| user.key != newcomer.key);
        let to: Vec<_> = others.filter(reads).map(|user| user.key).collect();
        inform(&to, &[USERS, &self.record(newcomer)].concat(), sink);
    }

    /// Number, address, level, name, ping, status, connection type.
    fn record(&self, user: &User) -> Vec<u8> {
        let mut record = Vec::new();
        let (id, level) = (user.id.0, user.level.name());
        let address = user.address.to_canonical();
        let status = self.status_of(user);
        let connection_type = user.connection_type as u8;
        let separator = char::from(FIELD);
        let written = write!(
            record,
            "{id}{separator}{address}{separator}{level}{separator}"
        )
        .and_then(|()| record.write_all(&user.name))
        .and_then(|()| {
            let (ping, status) = (user.ping_ms(), status_number(status));
            write!(
                record,
                "{separator}{ping}{separator}{status}{separator}{connection_type}"
            )
        });
        debug_assert!(written.is_ok());
        record
    }
}

fn status_number(status: UserStatus) -> u8 {
    status as u8
}
