//! The sections about what the world is told (master lists and web hooks), about the end, and
//! about the quiz.

use super::{
    document::{Document, KeyName},
    section::SECONDS,
};
use crate::{
    lobby::{Posts, rules::Rules},
    service::{
        kaillera::{Limits, TriviaPaths},
        lists::{self, Identity, PLACEHOLDERS, Template, hook, is_url},
    },
};
use std::{net::Ipv4Addr, path::PathBuf, time::Duration};

/// Longest text about the server, in characters.
const LONGEST_TEXT: usize = 100;
/// Longest text for a web hook, in characters.
const LONGEST_TEMPLATE: usize = 500;
/// Most words that keep rooms from being posted.
pub(super) const WORDS: usize = 32;

/// What the server is called, and which master lists are told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists {
    /// The server's name.
    pub server_name: String,
    /// Where it is.
    pub server_location: String,
    /// Where there is more to read; may be empty.
    pub server_website: String,
    /// Where it can be reached; empty for the address that reports come from.
    pub server_address: String,
    /// Whether EmuLinker's list is told.
    pub emulinker: bool,
    /// Whether Kaillera's list is told.
    pub kaillera: bool,
    /// Where EmuLinker's list takes reports.
    pub emulinker_url: String,
    /// Where Kaillera's list takes reports.
    pub kaillera_url: String,
    /// Until the first reports.
    pub first: Duration,
    /// From reports to the next ones.
    pub every: Duration,
}

/// The web hooks, and what they are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebHook {
    /// Where they are; none switches them off.
    pub urls: Vec<String>,
    /// Said of a room that has waited for players for `delay`.
    pub opened: String,
    /// Said when the game of such a room starts; empty is nothing.
    pub started: String,
    /// Said when such a room is closed; empty is nothing.
    pub closed: String,
    /// How long a room must have waited.
    pub delay: Duration,
    /// Words in the names of users whose rooms are not told of.
    pub suppress: Vec<String>,
}

impl Default for Lists {
    fn default() -> Self {
        let calls = lists::Settings::new(Identity::default());
        Self {
            server_name: "Samara".to_owned(),
            server_location: "Unknown".to_owned(),
            server_website: String::new(),
            server_address: String::new(),
            emulinker: false,
            kaillera: false,
            emulinker_url: lists::EMULINKER_URL.to_owned(),
            kaillera_url: lists::KAILLERA_URL.to_owned(),
            first: calls.first,
            every: calls.every,
        }
    }
}

impl Default for WebHook {
    fn default() -> Self {
        Self {
            urls: Vec::new(),
            opened: "{owner} opened a room: {game}".to_owned(),
            started: String::new(),
            closed: "{owner} closed the room: {game}".to_owned(),
            delay: Duration::from_secs(15),
            suppress: vec!["waiting".to_owned(), "restart".to_owned()],
        }
    }
}

impl Lists {
    /// What the world is told the server is, if it listens on `port`.
    pub(super) fn identity(&self, port: u16, rules: &Rules, limits: &Limits) -> Identity {
        Identity {
            name: self.server_name.clone(),
            location: self.server_location.clone(),
            website: self.server_website.clone(),
            address: self.server_address.clone(),
            port,
            max_users: match rules.max_users {
                0 => u32::try_from(limits.sessions).unwrap_or(u32::MAX),
                users => users,
            },
            max_games: rules.max_games,
        }
    }

    /// Whom the thread tells, and what.
    pub(super) fn settings(&self, identity: Identity, hook: &WebHook) -> lists::Settings {
        // Checked when it was read.
        let template = |text: &str| text.parse::<Template>().unwrap_or_default();
        lists::Settings {
            identity,
            emulinker: self.emulinker.then(|| self.emulinker_url.clone()),
            kaillera: self.kaillera.then(|| self.kaillera_url.clone()),
            updates: None,
            first: self.first,
            every: self.every,
            hooks: hook::Settings {
                urls: hook.urls.clone(),
                opened: template(&hook.opened),
                started: template(&hook.started),
                closed: template(&hook.closed),
            },
        }
    }

    /// Whether Kaillera's list would drop the server without a word (kaillera-server.md 10.2).
    pub(super) fn is_dropped_by_kaillera(&self) -> bool {
        self.kaillera && self.server_address.parse::<Ipv4Addr>().is_err()
    }
}

impl WebHook {
    /// Which rooms are told of; `None` without a hook.
    pub(super) fn posts(&self) -> Option<Posts> {
        let posts = Posts {
            delay: self.delay,
            suppress: self.suppress.clone(),
        };
        (!self.urls.is_empty()).then_some(posts)
    }
}

pub(super) fn lists(document: &mut Document<'_>, lists: &mut Lists) {
    let mut section = document.section("lists");
    let valid = format!("1 to {LONGEST_TEXT} characters without control characters");
    let some = |text: &str| line(text).filter(|text| !text.trim().is_empty());
    section.text("server_name", &valid, some, &mut lists.server_name);
    let location = &mut lists.server_location;
    section.text("server_location", &valid, some, location);
    let valid = format!("an address of the web of at most {LONGEST_TEXT} characters, or \"\"");
    section.text("server_website", &valid, website, &mut lists.server_website);
    let valid = "an IPv4 address or a host's name, without a port, or \"\"";
    section.text("server_address", valid, host, &mut lists.server_address);
    section.boolean("emulinker", &mut lists.emulinker);
    section.boolean("kaillera", &mut lists.kaillera);
    let valid = "an address that begins with http:// or https://";
    let url = |text: &str| is_url(text).then(|| text.to_owned());
    section.text("emulinker_url", valid, url, &mut lists.emulinker_url);
    section.text("kaillera_url", valid, url, &mut lists.kaillera_url);
}

pub(super) fn web_hook(document: &mut Document<'_>, hook: &mut WebHook) {
    let mut section = document.section("webhook");
    let valid = "an address that begins with http:// or https://";
    let url = |text: &str| is_url(text).then(|| text.to_owned());
    let urls_ok = section.texts("urls", (0..=8, "addresses"), valid, url, &mut hook.urls);
    let valid = format!(
        "at most {LONGEST_TEMPLATE} characters, in which braces hold {PLACEHOLDERS}; \"\" is nothing"
    );
    let template = |text: &str| {
        let fits = text.chars().count() <= LONGEST_TEMPLATE;
        (fits && text.parse::<Template>().is_ok()).then(|| text.to_owned())
    };
    let opened_ok = section.text("opened", &valid, template, &mut hook.opened);
    section.text("started", &valid, template, &mut hook.started);
    section.text("closed", &valid, template, &mut hook.closed);
    section.duration("delay_s", 0..=3600, SECONDS, &mut hook.delay);
    let valid = "a word of at most 30 characters";
    let word = |text: &str| is_word(text).then(|| text.to_owned());
    section.texts(
        "suppress",
        (0..=WORDS, "words"),
        valid,
        word,
        &mut hook.suppress,
    );
    if urls_ok && opened_ok && !hook.urls.is_empty() && hook.opened.is_empty() {
        document.contradiction([
            (
                KeyName::new("webhook", "opened"),
                "a text: what is not told to open is not told to start or close".to_owned(),
            ),
            (KeyName::new("webhook", "urls"), String::new()),
        ]);
    }
}

pub(super) fn shutdown(document: &mut Document<'_>, drain: &mut Duration) {
    let mut section = document.section("shutdown");
    section.duration("drain_s", 0..=86_400, SECONDS, drain);
}

pub(super) fn trivia(document: &mut Document<'_>, paths: &mut TriviaPaths) {
    let mut section = document.section("trivia");
    let path = |text: &str| (!text.is_empty()).then(|| PathBuf::from(text));
    let TriviaPaths { questions, scores } = paths;
    section.text("questions", "a file's name", path, questions);
    section.text("scores", "a file's name", path, scores);
}

/// An address of the web, or nothing.
pub(super) fn website(text: &str) -> Option<String> {
    match text {
        "" => Some(String::new()),
        text => line(text).filter(|text| is_url(text)),
    }
}

/// An IPv4 address or a host's name, or nothing.
pub(super) fn host(text: &str) -> Option<String> {
    let is_host = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
    line(text).filter(|text| text.chars().all(is_host))
}

/// Whether rooms can be kept from being posted with this word.
pub(super) fn is_word(text: &str) -> bool {
    (1..=30).contains(&text.chars().count())
}

/// A text about the server.
pub(super) fn line(text: &str) -> Option<String> {
    let fits = text.chars().count() <= LONGEST_TEXT && !text.contains(char::is_control);
    fits.then(|| text.to_owned())
}
