//! What the directory of an EmuLinker-K server says, as TOML.

use super::{ACCESS, load};
use crate::{
    access::Rules,
    config::{Config, access::Access, error::ConfigErrors, file},
};
use std::{
    fmt::{Display, Write as _},
    path::Path,
    time::Duration,
};

/// Reads `directory` and says the same in TOML, without files of rules or texts.
///
/// # Errors
///
/// All mistakes of all files.
pub(in crate::config) fn import(directory: &Path) -> Result<String, ConfigErrors> {
    let canonical = directory.canonicalize();
    let directory = canonical.as_deref().unwrap_or(directory);
    let config = load(directory)?;
    let bytes = file::read(&directory.join(ACCESS), file::LARGEST_RULES)?;
    let (rules, ..) = config.rules.charset.decode(&bytes);
    Ok(toml(&config, &rules))
}

/// `config` as TOML, where it is not as the default; `rules` is the text of its rules' file.
fn toml(config: &Config, rules: &str) -> String {
    let default = Config::default();
    let mut page = Page::default();
    page.section("net");
    page.put("port", &config.net.port, &default.net.port);
    page.section("kaillera");
    kaillera(&mut page, config, &default);
    page.section("limits");
    page.put(
        "sessions",
        &config.limits.sessions,
        &default.limits.sessions,
    );
    page.section("games");
    let (rules_of, usual) = (&config.rules, &default.rules);
    let window = rules_of.lag_window.as_secs();
    page.put("lagstat_duration_s", &window, &usual.lag_window.as_secs());
    let level = rules_of.autofire.level();
    page.put("autofire_sensitivity", &level, &usual.autofire.level());
    page.section("access");
    page.text.push_str(&access(&config.access, rules));
    page.section("texts");
    for (key, text) in &config.texts {
        page.line(&quoted(key), quoted(text));
    }
    lists(&mut page, config, &default);
    page.section("trivia");
    let trivia = &config.trivia;
    for (key, path) in [("questions", &trivia.questions), ("scores", &trivia.scores)] {
        page.line(key, quoted(&path.to_string_lossy()));
    }
    page.text
}

fn kaillera(page: &mut Page, config: &Config, default: &Config) {
    let (rules, default) = (&config.rules, &default.rules);
    macro_rules! put {
        ($($key:ident)*) => { $(page.put(stringify!($key), &rules.$key, &default.$key);)* };
    }
    put!(max_users max_games allow_multiple_connections allow_single_player switch_status_bytes);
    put!(max_chat_length max_game_chat_length max_quit_message_length);
    put!(max_user_name_length max_client_name_length max_game_name_length);
    let ping = |time: Duration| time.as_millis();
    page.put(
        "max_ping_ms",
        &ping(rules.max_ping),
        &ping(default.max_ping),
    );
    for (key, time, default) in [
        (
            "keepalive_timeout_s",
            rules.keepalive_timeout,
            default.keepalive_timeout,
        ),
        ("idle_timeout_s", rules.idle_timeout, default.idle_timeout),
        ("chat_flood_s", rules.chat_flood, default.chat_flood),
        (
            "create_game_flood_s",
            rules.create_game_flood,
            default.create_game_flood,
        ),
    ] {
        page.put(key, &time.as_secs(), &default.as_secs());
    }
    if rules.allowed_connection_types != default.allowed_connection_types {
        let numbered = (1..=6).zip(rules.allowed_connection_types.0);
        let allowed = numbered.filter(|(_, allowed)| *allowed);
        let list: Vec<i32> = allowed.map(|(number, _)| number).collect();
        page.line("allowed_connection_types", format_args!("{list:?}"));
    }
    page.put(
        "charset",
        &quoted(rules.charset.name()),
        &quoted(default.charset.name()),
    );
    let (language, before) = (rules.language.code(), default.language.code());
    page.put("language", &quoted(language), &quoted(before));
    for (key, lines) in [
        ("welcome", &rules.welcome),
        ("room_welcome", &rules.room_welcome),
    ] {
        if !lines.is_empty() {
            let lines: String = lines
                .iter()
                .map(|it| format!("  {},\n", quoted(it)))
                .collect();
            page.line(key, format_args!("[\n{lines}]"));
        }
    }
}

fn lists(page: &mut Page, config: &Config, default: &Config) {
    let (lists, default_lists) = (&config.lists, &default.lists);
    page.section("lists");
    for (key, text, default) in [
        (
            "server_name",
            &lists.server_name,
            &default_lists.server_name,
        ),
        (
            "server_location",
            &lists.server_location,
            &default_lists.server_location,
        ),
        (
            "server_website",
            &lists.server_website,
            &default_lists.server_website,
        ),
        (
            "server_address",
            &lists.server_address,
            &default_lists.server_address,
        ),
    ] {
        page.put(key, &quoted(text), &quoted(default));
    }
    page.put("emulinker", &lists.emulinker, &default_lists.emulinker);
    page.put("kaillera", &lists.kaillera, &default_lists.kaillera);
    page.section("webhook");
    let (hook, default) = (&config.web_hook, &default.web_hook);
    page.put("delay_s", &hook.delay.as_secs(), &default.delay.as_secs());
    if hook.suppress != default.suppress {
        let words: Vec<String> = hook.suppress.iter().map(|it| quoted(it)).collect();
        page.line("suppress", format_args!("[{}]", words.join(", ")));
    }
}

/// The rules with their comments; what was left out is one.
fn access(access: &Access, rules: &str) -> String {
    let mut text = String::from("rules = [\n");
    for (number, line) in (1..).zip(rules.trim_start_matches('\u{feff}').lines()) {
        let parsed = Rules::from_lines([(number, line)]);
        // Nothing here can fail: a String is written to.
        let _ = match parsed.mistakes.first().filter(|_| parsed.rules.is_empty()) {
            Some(mistake) => writeln!(text, "  # line {number} left out: {mistake}"),
            None if parsed.rules.is_empty() => {
                writeln!(
                    text,
                    "  # {}",
                    printable(line.trim_start_matches(['#', '/', ' ']))
                )
            }
            None => writeln!(text, "  {},", quoted(line)),
        };
    }
    text.push_str("]\n");
    if let Some(state) = &access.state {
        let _ = writeln!(text, "state = {}", quoted(&state.to_string_lossy()));
    }
    text
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn section(&mut self, name: &str) {
        let blank = if self.text.is_empty() { "" } else { "\n" };
        let _ = writeln!(self.text, "{blank}[{name}]");
    }

    fn put<T: Display + PartialEq>(&mut self, key: &str, value: &T, default: &T) {
        if value != default {
            self.line(key, value);
        }
    }

    fn line(&mut self, key: &str, value: impl Display) {
        let _ = writeln!(self.text, "{key} = {value}");
    }
}

/// As a text in quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        let _ = match c {
            '"' | '\\' => write!(quoted, "\\{c}"),
            c if c.is_control() => write!(quoted, "\\u{:04X}", u32::from(c)),
            c => write!(quoted, "{c}"),
        };
    }
    quoted.push('"');
    quoted
}

/// As it may be in a comment.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}
