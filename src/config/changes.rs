//! What of a new configuration a running server can take on.

use super::Config;
use std::fmt::Debug;

impl Config {
    /// What differs from `running` and counts only from the next start on, by section or key.
    pub fn needs_restart(&self, running: &Self) -> Vec<&'static str> {
        // Every field, so that a new one is either compared or taken on.
        let Self {
            net,
            rules,
            access,
            texts: _,
            link,
            limits,
            tcp,
            http,
            maple,
            gateway,
            packet_log,
            minecraft,
            lists,
            web_hook,
            updates,
            drain: _,
            trivia,
            log,
            notices: _,
            left_out: _,
            files: _,
        } = self;
        let differences = [
            ("net", differ(net, &running.net)),
            ("link", differ(link, &running.link)),
            ("limits", differ(limits, &running.limits)),
            ("tcp", differ(tcp, &running.tcp)),
            ("http", differ(http, &running.http)),
            ("maple", differ(maple, &running.maple)),
            ("gateway", differ(gateway, &running.gateway)),
            ("packet_log", differ(packet_log, &running.packet_log)),
            ("minecraft", differ(minecraft, &running.minecraft)),
            ("lists", differ(lists, &running.lists)),
            ("webhook", differ(web_hook, &running.web_hook)),
            ("trivia", differ(trivia, &running.trivia)),
            ("updates", differ(updates, &running.updates)),
            ("log.file", log.file != running.log.file),
            ("access.state", access.state != running.access.state),
            ("kaillera.charset", rules.charset != running.rules.charset),
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
            keepalive_timeout_s = 200\nidle_timeout_s = 7\n\
            [games]\nwatching = false\nlagstat_duration_s = 30\nautofire_sensitivity = 3\n\
            [access]\nrules = [\"silence,*\"]\n[texts]\n\"ChatAction.ChatDenied\" = \"x\"\n\
            [shutdown]\ndrain_s = 7\n[log]\nfilter = \"warn\"\nconsole = false\naddresses = \"full\"\nchat = true\n\
            game_chat = true\n";
        let new = Config::parse("t", text).unwrap();
        assert_eq!(new.needs_restart(&Config::default()), [""; 0]);
    }

    #[test]
    fn what_needs_one_is_named() {
        let text = "[net]\nport = 1\n[kaillera]\ncharset = \"GBK\"\n[limits]\nsessions = 7\n\
            [access]\nstate = \"x\"\n[lists]\nkaillera = true\n[log]\nfile = \"x\"\n\
            [updates]\nurl = \"http://a/\"\n[minecraft]\nmotd = \"x\"\n";
        let new = Config::parse("t", text).unwrap();
        let expected = [
            "net",
            "limits",
            "minecraft",
            "lists",
            "updates",
            "log.file",
            "access.state",
            "kaillera.charset",
        ];
        assert_eq!(new.needs_restart(&Config::default()), expected);
    }
}
