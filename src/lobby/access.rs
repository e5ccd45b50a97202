//! The access rules' way into the lobby.

use super::Lobby;
use crate::access::{self, Access, Names};
use std::sync::Arc;

impl Lobby {
    /// Who may do what.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The same, for what moderators of before this process have decided.
    pub fn access_mut(&mut self) -> &mut Access {
        &mut self.access
    }

    /// Puts `rules` in the place of those it has.
    pub fn set_access_rules(&mut self, rules: Arc<access::Rules>) {
        self.access.set_rules(rules);
    }

    /// Puts `names` in the place of those it knows.
    pub fn set_names(&mut self, names: Names) {
        self.access.set_names(names);
    }
}
