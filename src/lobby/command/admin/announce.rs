//! What everybody is told, and rooms that are closed.

use super::{Failure, Given, Lobby, Outcome, numbered, only_number};
use crate::{
    kaillera::message::GameId,
    lobby::{
        Sink,
        catalogue::{Param, ROOM_NAME, Text},
        chat::{inform, say},
        game::Game,
        login::{PRODUCT, VERSION},
        rights::Right,
    },
};

impl Lobby {
    pub(super) fn announce(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let text = given.rest;
        for line in self.announcement(text)? {
            inform(self.users.listeners(), &line, sink);
        }
        Ok(())
    }

    pub(super) fn announce_all(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let text = given.rest;
        let lines = self.announcement(text)?;
        for line in &lines {
            inform(self.users.listeners(), line, sink);
        }
        for game in self.games.iter() {
            for line in &lines {
                let to = game.room(&self.users, &mut self.scratch);
                say(to, ROOM_NAME, line, sink);
            }
        }
        Ok(())
    }

    /// `<room> <text>`
    pub(super) fn announce_game(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let rest = given.rest;
        let (id, text) = numbered(rest)?;
        let lines = self.announcement(text)?;
        let game = self.game_numbered(id)?.key;
        for line in &lines {
            if let Some(game) = self.games.get(game) {
                let to = game.room(&self.users, &mut self.scratch);
                say(to, ROOM_NAME, line, sink);
            }
        }
        Ok(())
    }

    /// `<room>`: its owner leaves it, which closes it.
    pub(super) fn close_game(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { now, user, rest } = given;
        let owner = self.game_numbered(only_number(rest)?)?.owner;
        let may = |key, right| self.users.get(key).is_some_and(|user| user.may(right));
        if owner != user && may(owner, Right::Untouched) && !may(user, Right::ActOnAdmins) {
            return Err(Failure::Reason(Text::CloseAdmin));
        }
        self.quit_game(now, owner, sink);
        Ok(())
    }

    pub(super) fn long_version(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let user = given.user;
        let params = [Param::Word(PRODUCT), Param::Word(VERSION)];
        inform(&[user], &self.catalogue.line(Text::Version, &params), sink);
        let details = [
            ("OSNAME", std::env::consts::OS),
            ("OSARCH", std::env::consts::ARCH),
        ];
        for (key, value) in details {
            let params = [Param::Word(key), Param::Word(value)];
            let line = self.catalogue.line(Text::VersionDetail, &params);
            inform(&[user], &line, sink);
        }
        Ok(())
    }

    pub(super) fn game_numbered(&self, id: u32) -> Result<&Game, Failure> {
        let game = self.games.with_id(GameId(id));
        game.ok_or(Failure::Unknown(Text::GameNotFound, id))
    }

    /// The lines of an announcement; one colon in front is left out, as clients take such lines
    /// for data.
    fn announcement(&self, text: &[u8]) -> Result<Vec<Vec<u8>>, Failure> {
        let text = text.strip_prefix(b":").unwrap_or(text);
        let lines = self.catalogue.split(text);
        match lines.is_empty() {
            true => Err(Failure::Usage),
            false => Ok(lines),
        }
    }
}
