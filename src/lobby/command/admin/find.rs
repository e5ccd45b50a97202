//! Finding users and rooms.

use super::{Failure, Given, Lobby, Outcome, levels::level_text};
use crate::{
    access::{AccessLevel, Pattern},
    lobby::{
        Sink, UserKey,
        catalogue::{Param, Text},
        chat::inform,
        rights::Right,
        user::User,
    },
};

impl Lobby {
    /// `<text>`: all whose names have it in them. Admins see addresses; only those who keep
    /// order see who is an admin. None if no text is given.
    pub(in crate::lobby::command) fn find_users(
        &self,
        user: UserKey,
        rest: &[u8],
        sink: &mut impl Sink,
    ) -> Option<()> {
        let reader = self.users.get(user)?;
        if rest.is_empty() {
            return None;
        }
        let wanted = self.charset.fold(rest);
        let has = |name: &[u8]| name.windows(wanted.len()).any(|part| part == wanted);
        let mut found = self
            .users
            .iter()
            .filter(|user| has(&user.folded_name))
            .peekable();
        if found.peek().is_none() {
            let text = self.catalogue.line(Text::NoUsersFound, &[]);
            inform(&[user], &text, sink);
        }
        for found in found {
            for line in self.found(reader, found) {
                inform(&[user], &line, sink);
            }
        }
        Some(())
    }

    /// In as many lines as it takes.
    fn found(&self, reader: &User, found: &User) -> Vec<Vec<u8>> {
        let is_hidden = found.may(Right::Administer) && !reader.may(Right::KeepOrder);
        let level = match is_hidden {
            true => AccessLevel::Normal,
            false => found.level,
        };
        let id = Param::Number(found.id.0.into());
        let (name, level) = (Param::Bytes(&found.name), Param::Text(level_text(level)));
        let mut line = if reader.may(Right::Administer) {
            let address = found.address.to_canonical().to_string();
            let params = [id, Param::Word(&address), name, level];
            self.catalogue.line(Text::FoundUserAddress, &params)
        } else {
            self.catalogue.line(Text::FoundUser, &[id, name, level])
        };
        let room = found.room.and_then(|room| self.games.get(room));
        if let Some(game) = room.filter(|game| !game.hides(found)) {
            let params = [Param::Number(game.id.0.into()), Param::Bytes(&game.rom)];
            line.extend(self.catalogue.line(Text::FoundInRoom, &params));
        }
        self.catalogue.split(&line)
    }

    pub(super) fn find_user(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let found = self.find_users(given.user, given.rest, sink);
        found.ok_or(Failure::Usage)
    }

    /// `<pattern>`: all rooms whose game matches; `*` is any text.
    pub(super) fn find_games(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { user, rest, .. } = given;
        if rest.is_empty() {
            return Err(Failure::Usage);
        }
        let pattern = Pattern::new(&self.charset.decode(rest));
        let is_it = |rom: &[u8]| pattern.matches(&self.charset.decode(rom));
        let mut found = self.games.iter().filter(|game| is_it(&game.rom)).peekable();
        if found.peek().is_none() {
            let text = self.catalogue.line(Text::NoGamesFound, &[]);
            inform(&[user], &text, sink);
        }
        for game in found {
            let owner = self.users.get(game.owner);
            let params = [
                Param::Number(game.id.0.into()),
                Param::Bytes(owner.map_or(&[], |owner| &owner.name)),
                Param::Bytes(&game.rom),
            ];
            inform(
                &[user],
                &self.catalogue.line(Text::FoundGame, &params),
                sink,
            );
        }
        Ok(())
    }
}
