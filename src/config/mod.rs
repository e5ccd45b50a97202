//! What an operator can set, checked once and then trusted.
//!
//! A [`Config`] comes from a TOML file, [`Config::load`], or is the default. Every key, its
//! range and its unit are in `keys.rs`; `tools/samara.example.toml` documents them for
//! operators. A mistake is never ignored: all of a file's mistakes are told at once, each with
//! its file, line, key, and what would be valid.
//!
//! # From an EmuLinker server
//!
//! [`Config::load_emulinker`] reads its directory as it is, [`Config::import_emulinker`] writes the
//! same as TOML. Where the settings of an `emulinker.cfg` (kaillera-server.md 3.2) are found here:
//!
//! | `emulinker.cfg` | here |
//! |---|---|
//! | `controllers.connect.port` | `net.port` |
//! | `emulinker.charset` | `kaillera.charset`; blank and unknown are windows-1252 |
//! | `emulinker.language` | `kaillera.language`; `custom` and blank are English |
//! | `server.allowedConnectionTypes` | `kaillera.allowed_connection_types`; blank is all, 0 has no meaning |
//! | `server.allowMultipleConnections` | `kaillera.allow_multiple_connections` |
//! | `server.allowSinglePlayer` | `kaillera.allow_single_player` |
//! | `server.chatFloodTime` | `kaillera.chat_flood_s` |
//! | `server.createGameFloodTime` | `kaillera.create_game_flood_s` |
//! | `server.idleTimeout` | `kaillera.idle_timeout_s` |
//! | `server.keepAliveTimeout` | `kaillera.keepalive_timeout_s` |
//! | `server.maxChatLength` | `kaillera.max_chat_length` |
//! | `server.maxGameChatLength` | `kaillera.max_game_chat_length` |
//! | `server.maxClientNameLength` | `kaillera.max_client_name_length`; 127 and 0 are 126 |
//! | `server.maxUserNameLength` | `kaillera.max_user_name_length`; 31 and 0 are 30 |
//! | `server.maxGameNameLength` | `kaillera.max_game_name_length`; 127 and 0 are 126 |
//! | `server.maxQuitMessageLength` | `kaillera.max_quit_message_length` |
//! | `server.maxGames` | `kaillera.max_games` |
//! | `server.maxPing` | `kaillera.max_ping_ms`; the login timeout is `link.login_timeout_s` |
//! | `server.maxUsers` | `kaillera.max_users`; `limits.sessions` grows with it |
//! | `server.switchStatusBytesForBuggyClient` | `kaillera.switch_status_bytes` |
//! | `masterList.serverName`, `.serverLocation`, `.serverWebsite`, `.serverConnectAddress` | `lists.server_name`, `.server_location`, `.server_website`, `.server_address` |
//! | `masterList.touchKaillera`, `.touchEmulinker` | `lists.kaillera`, `lists.emulinker` |
//! | `twitter.broadcastDelaySeconds`, `.preventBroadcastNameSuffixes` | `webhook.delay_s`, `webhook.suppress` |
//! | other `twitter.*` | none: the service they were for is gone, `webhook.urls` names others |
//! | greetings of `language.properties` | `kaillera.welcome`, `kaillera.room_welcome` |
//! | other texts of `language.properties` | `[texts]` |
//! | `access.cfg` | `access.rules`, or `access.file` for the file itself |
//! | `questions.txt`, `scores.txt` | `trivia.questions`, `trivia.scores` |
//! | `game.timeoutMillis`, `game.desynchTimeouts` | none: `link.desync_after_s` is its own |
//! | `game.bufferSize`, `controllers.v086.bufferSize`, `controllers.connect.bufferSize` | none: buffers fit what they hold |
//! | `server.coreThreadpoolSize` | none; `net.loops` and `net.workers` set the threads |
//! | `controllers.v086.clientTypes.clientType` | none: only `0.83` exists |
//! | `controllers.v086.portRangeStart`, `controllers.v086.extraPorts` | none: one port serves everybody |
//! | `game.defaultAutoFireSensitivity` | `games.autofire_sensitivity` |
//! | `server.lagstatDurationSeconds` | `games.lagstat_duration_s` |
//! | `metrics.enabled`, `metrics.loggingFrequencySeconds` | none: `GET /metrics` has the figures |
//! | `survey.*` | none: no answers of players are collected |

#![forbid(unsafe_code)]

mod access;
mod changes;
mod charset;
mod document;
mod emulinker;
mod error;
mod file;
pub mod fuzz;
mod games;
mod keys;
mod lists;
mod logging;
mod maple;
mod minecraft;
pub mod properties;
mod section;
pub mod setup;
mod spelling;
mod summary;
mod wording;

pub use access::Access;
pub use charset::charset;
pub use error::{ConfigError, ConfigErrors, Problem, What};
pub use lists::{Lists, WebHook};
pub use logging::{LOG_FILTERS, Log, is_log_filter};
pub use maple::{Gateway, Maple};
pub use minecraft::{Minecraft, Upstream};
pub use summary::Summary;
pub use wording::{Wording, WordingMistake, WordingProblem};

use crate::{
    lobby::rules::Rules,
    net::tcp::TcpSettings,
    service::{
        gateway,
        kaillera::{self, Limits, Link, Settings, TriviaPaths},
        lists::{self as world, Identity},
        minecraft::Settings as MinecraftSettings,
        packet_log,
    },
};
use document::Document;
use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

/// Shortest keepalive timeout that n02, which reports once a minute, outlives when one of its
/// reports is lost (kaillera.md 5).
const SAFE_KEEPALIVE: Duration = Duration::from_secs(130);

/// Everything an operator can set.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Addresses and threads.
    pub net: Net,
    /// What the lobby allows.
    pub rules: Rules,
    /// Who may do what.
    pub access: Access,
    /// Texts in the place of the server's own, by their keys in `language.properties`.
    pub texts: BTreeMap<String, String>,
    /// How long a silent client is waited for.
    pub link: Link,
    /// What the server has room for.
    pub limits: Limits,
    /// TCP beside UDP.
    pub tcp: Tcp,
    /// The pages for those who watch the server.
    pub http: Http,
    /// Which Maple clients are served.
    pub maple: Maple,
    /// In front of which Maple servers the gateway is.
    pub gateway: Gateway,
    /// Where its packets are written, if they are.
    pub packet_log: Option<packet_log::Settings>,
    /// How the Minecraft list shows the server, and which world its players get.
    pub minecraft: Minecraft,
    /// What the server is called, and which master lists are told of it.
    pub lists: Lists,
    /// The web hooks, and what they are told.
    pub web_hook: WebHook,
    /// How long a server that is told to stop waits for the games that run.
    pub drain: Duration,
    /// Where the quiz's files are.
    pub trivia: TriviaPaths,
    /// What is logged, and where to.
    pub log: Log,
    /// Where it is looked up whether there is a newer version, if it is.
    pub updates: Option<String>,
    /// What was read and does nothing, or something else than it says; one sentence each.
    pub notices: Vec<String>,
    /// Lines of a file with rules that were left out.
    pub left_out: Vec<ConfigError>,
    /// The files it was read from.
    pub files: Vec<PathBuf>,
}

/// Addresses and threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// Where to listen, each address once.
    pub bind: Vec<IpAddr>,
    /// The port on each of them, UDP and TCP; 0 is any free one.
    pub port: u16,
    /// The port clients are told to use, if a router forwards another one to ours.
    pub announced_port: Option<u16>,
    /// Event loops; 0 is automatic.
    pub loops: usize,
    /// Threads that run the actors; with 0 each event loop runs its own.
    pub workers: usize,
    /// Whether a hello of another protocol version is answered; else it is dropped.
    pub answer_wrong_version: bool,
}

/// TCP on the same port number as UDP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tcp {
    /// Whether the port is served over TCP too.
    pub enabled: bool,
    /// Caps, marks and times.
    pub settings: TcpSettings,
}

/// The pages for those who watch the server, and where they can be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Http {
    /// Whether on the server's own port, beside what else it serves.
    pub on_shared_port: bool,
    /// Whether `/metrics` is shown there to others than this machine's.
    pub metrics_to_all: bool,
    /// Listeners of its own, each once.
    pub listen: Vec<SocketAddr>,
}

impl Config {
    /// Reads and checks the file at `path`.
    ///
    /// # Errors
    ///
    /// All mistakes of the file, or the one that made it unreadable.
    pub fn load(path: &Path) -> Result<Self, ConfigErrors> {
        let name = path.display().to_string();
        let text = Self::read_text(path)?;
        let mut config = Self::default();
        config.access.state = Some(access::STATE.into());
        config.files.push(path.to_owned());
        let mut config = config.with(&name, &text)?;
        config.resolve(path.parent().unwrap_or(Path::new("")));
        config.read_rules(Vec::new())
    }

    /// The text of the file at `path`.
    fn read_text(path: &Path) -> Result<String, ConfigErrors> {
        let bytes = file::read(path, file::LARGEST)?;
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            ConfigErrors::from(ConfigError {
                file: path.display().to_string(),
                line: Some(document::line(error.as_bytes(), at)),
                key: String::new(),
                problem: Problem::NotUtf8,
                valid: String::new(),
            })
        })
    }

    /// Reads and checks the directory of an EmuLinker-K server: `emulinker.cfg`, `access.cfg` and
    /// `language.properties` in it, `questions.txt` and `scores.txt` beside it.
    ///
    /// # Errors
    ///
    /// All mistakes of all files.
    pub fn load_emulinker(directory: &Path) -> Result<Self, ConfigErrors> {
        emulinker::load(directory)
    }

    /// Reads such a directory and says the same as TOML.
    ///
    /// # Errors
    ///
    /// All mistakes of all files.
    pub fn import_emulinker(directory: &Path) -> Result<String, ConfigErrors> {
        emulinker::import::import(directory)
    }

    /// Checks `text`; `name` is the file that mistakes are reported in.
    ///
    /// # Errors
    ///
    /// All mistakes of the text, or the first that is not TOML.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigErrors> {
        Self::default().with(name, text)
    }

    /// The same with `text` over what there is.
    fn with(mut self, name: &str, text: &str) -> Result<Self, ConfigErrors> {
        let mut document = Document::parse(name, text)?;
        keys::read(&mut document, &mut self);
        document.finish()?;
        Ok(self)
    }

    /// Takes the files that the configuration names to be in `directory`.
    fn resolve(&mut self, directory: &Path) {
        let Self {
            access,
            trivia,
            log,
            ..
        } = self;
        let trivia = [&mut trivia.questions, &mut trivia.scores];
        let access = [&mut access.file, &mut access.state];
        for path in access
            .into_iter()
            .flatten()
            .chain(trivia)
            .chain(&mut log.file)
        {
            *path = directory.join(&*path);
        }
    }

    /// What is allowed but will surprise someone, one sentence each.
    pub fn warnings(&self) -> Vec<&'static str> {
        let mut warnings = Vec::new();
        if self.rules.charset == encoding_rs::UTF_8 {
            warnings.push(
                "kaillera.charset is UTF-8, which clients do not understand: \
                 they show every letter beyond ASCII as two or more others",
            );
        }
        if !self.rules.language.fits(self.rules.charset) {
            warnings.push(
                "kaillera.charset lacks letters of kaillera.language, which are shown as \"?\"; \
                 use windows-1252 for en, es and pt, Shift_JIS for ja, x-IBM949 for ko, \
                 windows-1251 for ru, GBK for zh",
            );
        }
        if self.rules.keepalive_timeout < SAFE_KEEPALIVE {
            warnings.push(
                "kaillera.keepalive_timeout_s is below 130: \
                 a client that reports once a minute is removed when one report is lost",
            );
        }
        if self.lists.is_dropped_by_kaillera() {
            warnings.push(
                "lists.kaillera is on and lists.server_address is no IPv4 address: \
                 Kaillera's list drops such servers without a word",
            );
        }
        warnings
    }

    /// Logs all that an operator should know of a configuration that counts all the same.
    pub fn log_warnings(&self) {
        self.log_warnings_beside(&[]);
    }

    /// The same without the `notices` that were told before.
    pub fn log_warnings_beside(&self, notices: &[String]) {
        let warnings = self.warnings();
        warnings.iter().for_each(|warning| log::warn!("{warning}"));
        self.notices
            .iter()
            .filter(|notice| !notices.contains(notice))
            .for_each(|notice| log::warn!("{notice}"));
        self.left_out.iter().for_each(|line| log::warn!("{line}"));
    }

    /// What the Kaillera service is told.
    pub fn settings(&self) -> Settings {
        let mut rules = self.rules.clone();
        rules.posts = self.web_hook.posts();
        let nobody = Identity::default();
        Settings {
            rules,
            access: kaillera::Access {
                rules: self.access.rules.clone(),
                state: self.access.state.clone(),
                ..kaillera::Access::default()
            },
            link: self.link,
            limits: self.limits,
            announced_port: self.net.announced_port,
            answer_wrong_version: self.net.answer_wrong_version,
            news: self.world_settings(nobody).has_news(),
            trivia: self.trivia.clone(),
        }
    }

    /// What the world is told the server is, if it listens on `port`.
    pub fn identity(&self, port: u16) -> Identity {
        let port = self.net.announced_port.unwrap_or(port);
        self.lists.identity(port, &self.rules, &self.limits)
    }

    /// Whom the thread that tells the world tells, and what.
    pub fn world_settings(&self, identity: Identity) -> world::Settings {
        world::Settings {
            updates: self.updates.clone(),
            ..self.lists.settings(identity, &self.web_hook)
        }
    }

    /// What the gateway is told, if there is one.
    pub fn gateway_settings(&self) -> Option<gateway::Settings> {
        let port = self.net.announced_port;
        self.gateway.settings(&self.maple, port)
    }

    /// What the Minecraft service is told, if there is one; `upstream` is where the server of
    /// that key is.
    pub fn minecraft_settings(&self, upstream: Option<SocketAddr>) -> Option<MinecraftSettings> {
        let is_served = self.minecraft.is_served(self.tcp.enabled);
        is_served.then(|| self.minecraft.settings(upstream))
    }

    /// What would be served, for people to read.
    pub fn summary(&self) -> Summary<'_> {
        Summary::new(self)
    }
}

impl Net {
    /// Replaces the addresses to listen on; repeated ones count once.
    pub fn set_bind(&mut self, addresses: impl IntoIterator<Item = IpAddr>) {
        self.bind.clear();
        for address in addresses {
            if !self.bind.contains(&address) {
                self.bind.push(address);
            }
        }
    }
}

impl Default for Net {
    fn default() -> Self {
        Self {
            bind: vec![Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into()],
            port: 27_888,
            announced_port: None,
            loops: 0,
            workers: 0,
            answer_wrong_version: false,
        }
    }
}

impl Default for Tcp {
    fn default() -> Self {
        Self {
            enabled: true,
            settings: TcpSettings::default(),
        }
    }
}

impl Default for Http {
    fn default() -> Self {
        Self {
            on_shared_port: true,
            metrics_to_all: false,
            listen: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
