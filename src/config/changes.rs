//! What of a new configuration a running server can take on.

use super::Config;
use crate::lobby::rules::Rules;
use std::fmt::Debug;

impl Config {
    /// What differs from `running` and counts only from the next start on, by section or key.
    pub fn needs_restart(&self, running: &Self) -> Vec<&'static str> {
        let (new, old) = (self, running);
        let (rules, before) = (&self.rules, &running.rules);
        let Rules {
            charset,
            keepalive_timeout,
            idle_timeout,
            ..
        } = rules;
        let differences = [
            ("net", differ(&new.net, &old.net)),
            ("link", differ(&new.link, &old.link)),
            ("limits", differ(&new.limits, &old.limits)),
            ("tcp", differ(&new.tcp, &old.tcp)),
            ("http", differ(&new.http, &old.http)),
            ("maple", differ(&new.maple, &old.maple)),
            ("gateway", differ(&new.gateway, &old.gateway)),
            ("packet_log", differ(&new.packet_log, &old.packet_log)),
            ("lists", differ(&new.lists, &old.lists)),
            ("webhook", differ(&new.web_hook, &old.web_hook)),
            ("trivia", differ(&new.trivia, &old.trivia)),
            ("updates", differ(&new.updates, &old.updates)),
            ("log.file", new.log.file != old.log.file),
            ("access.state", new.access.state != old.access.state),
            ("kaillera.charset", *charset != before.charset),
            (
                "kaillera.keepalive_timeout_s",
                *keepalive_timeout != before.keepalive_timeout,
            ),
            (
                "kaillera.idle_timeout_s",
                *idle_timeout != before.idle_timeout,
            ),
        ];
        let changed = differences.into_iter().filter(|(_, differs)| *differs);
        changed.map(|(name, _)| name).collect()
    }
}

/// All of a configuration can be shown, and what looks the same is the same.
fn differ(a: &impl Debug, b: &impl Debug) -> bool {
    format!("{a:?}") != format!("{b:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_taken_on_needs_no_restart() {
        let text = "[kaillera]\nmax_users = 7\nmax_games = 7\nmax_ping_ms = 7\nlanguage = \"ja\"\n\
            welcome = [\"x\"]\nroom_welcome = [\"x\"]\nmax_chat_length = 7\nroom_capacity = 2\n\
            [access]\nrules = [\"silence,*\"]\n[texts]\n\"ChatAction.ChatDenied\" = \"x\"\n\
            [shutdown]\ndrain_s = 7\n[log]\nfilter = \"warn\"\naddresses = \"full\"\nchat = true\n\
            game_chat = true\n";
        let new = Config::parse("t", text).unwrap();
        assert_eq!(new.needs_restart(&Config::default()), [""; 0]);
    }

    #[test]
    fn what_needs_one_is_named() {
        let text = "[net]\nport = 1\n[kaillera]\ncharset = \"GBK\"\nidle_timeout_s = 7\n\
            keepalive_timeout_s = 200\n[limits]\nsessions = 7\n[access]\nstate = \"x\"\n\
            [lists]\nkaillera = true\n[log]\nfile = \"x\"\n[updates]\n\
            url = \"http://a/\"\n";
        let new = Config::parse("t", text).unwrap();
        let expected = [
            "net",
            "limits",
            "lists",
            "updates",
            "log.file",
            "access.state",
            "kaillera.charset",
            "kaillera.keepalive_timeout_s",
            "kaillera.idle_timeout_s",
        ];
        assert_eq!(new.needs_restart(&Config::default()), expected);
    }
}
