//! Every key: its section, its range and its unit.

use super::{
    Config, Http, Net, Tcp, Wording, access, charset,
    document::{Document, KeyName},
    games, lists, logging, maple, minecraft,
    section::{BYTES, MILLISECONDS, SECONDS, SECONDS_OR_OFF, Section},
};
use crate::{
    lobby::{
        WordFilter,
        catalogue::Language,
        rules::{ConnectionTypes, Rules},
    },
    net::tcp::TcpSettings,
    service::kaillera::{Limits, Link, MAX_THREADS},
};
use std::net::SocketAddr;

/// Codes of languages, for complaints.
const LANGUAGES: &str = "one of en, es, ja, ko, pt, ru, zh";

/// Most words that names and lines may not have.
const FILTERED_WORDS: usize = 1000;
/// Characters of one of them.
const FILTERED_WORD: usize = 60;
/// Longest welcome line in bytes: the oldest clients keep an information line in 256.
pub(super) const WELCOME_LINE: usize = 255;
/// Most lines of a greeting.
pub(super) const WELCOME_LINES: usize = 256;

const CHARACTERS: &str = "characters";
const CHARACTERS_OR_OFF: &str = "characters; 0 is off";

/// Reads all of `document` into `config`, which holds the defaults.
pub(super) fn read(document: &mut Document<'_>, config: &mut Config) {
    net(document, &mut config.net);
    let users_ok = kaillera(document, &mut config.rules);
    access::read(document, &mut config.access, &mut config.notices);
    own_texts(document, config);
    link(document, &mut config.link);
    let sessions_ok = limits(document, &mut config.limits);
    games::games(document, &mut config.rules, &mut config.limits);
    tcp(document, &mut config.tcp);
    http(document, &mut config.http);
    maple::maple(document, &mut config.maple);
    maple::gateway(document, &mut config.gateway, &config.maple.opcodes);
    maple::packet_log(document, &mut config.packet_log);
    minecraft::minecraft(document, &mut config.minecraft);
    lists::lists(document, &mut config.lists);
    lists::web_hook(document, &mut config.web_hook);
    lists::shutdown(document, &mut config.drain);
    lists::trivia(document, &mut config.trivia);
    logging::updates(document, &mut config.updates);
    logging::log(document, &mut config.log);

    let users = u64::from(config.rules.max_users);
    let sessions = config.limits.sessions as u64;
    if users_ok && sessions_ok && users > sessions {
        let at_most = format!("at most limits.sessions, which is {sessions}");
        let at_least = format!("at least kaillera.max_users, which is {users}");
        document.contradiction([
            (KeyName::new("kaillera", "max_users"), at_most),
            (KeyName::new("limits", "sessions"), at_least),
        ]);
    }
}

fn net(document: &mut Document<'_>, net: &mut Net) {
    let mut section = document.section("net");
    let mut bind = net.bind.clone();
    let valid = "an IPv4 or IPv6 address such as \"0.0.0.0\" or \"::\"";
    let address = |text: &str| text.parse().ok();
    section.texts("bind", (1..=16, "addresses"), valid, address, &mut bind);
    net.set_bind(bind);

    let any_port = "port; 0 is any free one";
    let announced = &mut net.announced_port;
    section.integer("port", 0..=65_535, any_port, &mut net.port);
    section.optional_integer("announced_port", 1..=65_535, "UDP port", announced);
    let most = MAX_THREADS as u64;
    section.integer("loops", 0..=most, "threads; 0 is automatic", &mut net.loops);
    section.integer("workers", 0..=most, "threads; 0 is none", &mut net.workers);
    section.boolean("answer_wrong_version", &mut net.answer_wrong_version);
}

/// Answers whether `max_users` is what the operator meant.
fn kaillera(document: &mut Document<'_>, rules: &mut Rules) -> bool {
    let mut section = document.section("kaillera");
    let users_ok = admission(&mut section, rules);
    timeouts(&mut section, rules);
    lengths(&mut section, rules);
    texts(&mut section, rules);
    users_ok
}

fn admission(section: &mut Section<'_, '_>, rules: &mut Rules) -> bool {
    let Rules {
        max_users,
        max_games,
        allowed_connection_types,
        allow_multiple_connections,
        allow_single_player,
        room_capacity,
        quiet_games_above,
        switch_status_bytes,
        ..
    } = rules;
    let unit = "users; 0 is no limit of its own";
    let users_ok = section.integer("max_users", 0..=65_535, unit, max_users);
    section.integer("max_games", 0..=65_535, "rooms; 0 is no limit", max_games);

    let mut types: Vec<u8> = Vec::new();
    let count = (1..=6, "connection types");
    if section.integers("allowed_connection_types", count, 1..=6, &mut types) && !types.is_empty() {
        *allowed_connection_types =
            ConnectionTypes([1, 2, 3, 4, 5, 6].map(|number| types.contains(&number)));
    }
    section.boolean("allow_multiple_connections", allow_multiple_connections);
    section.boolean("allow_single_player", allow_single_player);
    section.integer("room_capacity", 1..=100, "members", room_capacity);
    let unit = "users; 0 is never";
    section.integer("quiet_games_above", 0..=65_535, unit, quiet_games_above);
    section.boolean("switch_status_bytes", switch_status_bytes);
    users_ok
}

fn timeouts(section: &mut Section<'_, '_>, rules: &mut Rules) {
    let Rules {
        max_ping,
        keepalive_timeout,
        idle_timeout,
        ready_timeout,
        chat_flood,
        create_game_flood,
        ..
    } = rules;
    section.duration("max_ping_ms", 1..=1000, MILLISECONDS, max_ping);
    section.duration(
        "keepalive_timeout_s",
        1..=86_400,
        SECONDS,
        keepalive_timeout,
    );
    section.duration("idle_timeout_s", 0..=604_800, SECONDS_OR_OFF, idle_timeout);
    section.duration("ready_timeout_s", 1..=3600, SECONDS, ready_timeout);
    section.duration("chat_flood_s", 0..=3600, SECONDS_OR_OFF, chat_flood);
    section.duration(
        "create_game_flood_s",
        0..=3600,
        SECONDS_OR_OFF,
        create_game_flood,
    );
}

fn lengths(section: &mut Section<'_, '_>, rules: &mut Rules) {
    let Rules {
        max_chat_length: chat,
        max_game_chat_length: game_chat,
        max_game_data_length: game_data,
        max_quit_message_length: quit,
        max_user_name_length: user,
        max_client_name_length: client,
        max_game_name_length: game,
        ..
    } = rules;
    section.integer("max_chat_length", 0..=1000, CHARACTERS_OR_OFF, chat);
    let key = "max_game_chat_length";
    section.integer(key, 0..=1000, CHARACTERS_OR_OFF, game_chat);
    section.integer("max_game_data_length", 255..=1000, BYTES, game_data);
    section.integer("max_quit_message_length", 0..=127, CHARACTERS_OR_OFF, quit);
    section.integer("max_user_name_length", 1..=30, CHARACTERS, user);
    section.integer("max_client_name_length", 1..=126, CHARACTERS, client);
    section.integer("max_game_name_length", 1..=126, CHARACTERS, game);
}

fn texts(section: &mut Section<'_, '_>, rules: &mut Rules) {
    let Rules {
        charset,
        language,
        welcome,
        room_welcome,
        word_filter: filter,
        shadow_mute,
        ..
    } = rules;
    let charset_ok = section.text("charset", charset::NAMES, charset::charset, charset);
    section.text("language", LANGUAGES, Language::from_code, language);
    let valid = format!(
        "a line of at most {WELCOME_LINE} bytes in {}, without control characters",
        charset.name(),
    );
    let line = |line: &str| {
        let fits = !charset_ok || charset::fits(charset, line, WELCOME_LINE);
        fits.then(|| line.to_owned())
    };
    section.texts(
        "welcome",
        (0..=WELCOME_LINES, "lines"),
        &valid,
        line,
        welcome,
    );
    section.texts(
        "room_welcome",
        (0..=WELCOME_LINES, "lines"),
        &valid,
        line,
        room_welcome,
    );
    word_filter(section, filter);
    section.boolean("shadow_mute", shadow_mute);
}

fn word_filter(section: &mut Section<'_, '_>, filter: &mut WordFilter) {
    let mut words = filter.words().to_vec();
    let word = |word: &str| {
        let fits = !word.trim().is_empty() && word.chars().count() <= FILTERED_WORD;
        fits.then(|| word.to_owned())
    };
    section.texts(
        "word_filter",
        (0..=FILTERED_WORDS, "words"),
        &format!("a word of 1 to {FILTERED_WORD} characters"),
        word,
        &mut words,
    );
    *filter = WordFilter::new(words);
}

/// Reads the operator's own texts; what is wrong with one is worth a notice, as it is in a
/// language file.
fn own_texts(document: &mut Document<'_>, config: &mut Config) {
    let Config {
        texts,
        rules,
        notices,
        ..
    } = config;
    document.section("texts").entries(texts);
    let lines = texts
        .iter()
        .map(|(key, text)| (key.as_str(), text.as_str()));
    let (wording, mistakes) = Wording::read(lines);
    notices.extend(mistakes.iter().map(|mistake| format!("texts.{mistake}")));
    if !wording.welcome.is_empty() || !wording.room_welcome.is_empty() {
        let what = "texts: greetings are kaillera.welcome and kaillera.room_welcome here";
        notices.push(what.to_owned());
    }
    rules.texts = wording.texts;
}

fn link(document: &mut Document<'_>, link: &mut Link) {
    let mut section = document.section("link");
    section.duration("login_timeout_s", 1..=600, SECONDS, &mut link.login_timeout);
    let first = &mut link.first_keepalive;
    section.duration("first_keepalive_s", 1..=86_400, SECONDS, first);
    let desync_ok = section.duration("desync_after_s", 1..=3600, SECONDS, &mut link.desync_after);
    let drop_ok = section.duration("drop_after_s", 1..=3600, SECONDS, &mut link.drop_after);
    if desync_ok && drop_ok && link.desync_after > link.drop_after {
        let (desync, drop) = (link.desync_after.as_secs(), link.drop_after.as_secs());
        let at_most = format!("at most link.drop_after_s, which is {drop}");
        let at_least = format!("at least link.desync_after_s, which is {desync}");
        document.contradiction([
            (KeyName::new("link", "desync_after_s"), at_most),
            (KeyName::new("link", "drop_after_s"), at_least),
        ]);
    }
}

/// Answers whether `sessions` is what the operator meant.
fn limits(document: &mut Document<'_>, limits: &mut Limits) -> bool {
    let Limits {
        sessions,
        sessions_per_address: per_address,
        sessions_per_network: per_network,
        half_open,
        half_open_per_address,
        hello_per_second_per_address: hellos,
        inbox,
        backlog,
        frames_in,
        frames_out,
        ..
    } = limits;
    let mut section = document.section("limits");
    let sessions_ok = section.integer("sessions", 1..=65_535, "users", sessions);
    section.integer("sessions_per_address", 1..=65_535, "users", per_address);
    section.integer("sessions_per_network", 1..=65_535, "users", per_network);
    section.integer("half_open", 1..=65_535, "addresses", half_open);
    section.integer(
        "half_open_per_address",
        1..=65_535,
        "ports",
        half_open_per_address,
    );
    let rate = "hello_per_second_per_address";
    section.integer(rate, 10..=1_000_000, "datagrams per second", hellos);
    section.integer("inbox", 16..=4096, "messages", inbox);
    section.integer("backlog", 16_384..=16_777_216, BYTES, backlog);
    section.integer("frames_in", 256..=1_048_576, "datagrams", frames_in);
    section.integer("frames_out", 256..=1_048_576, "datagrams", frames_out);
    sessions_ok
}

fn tcp(document: &mut Document<'_>, tcp: &mut Tcp) {
    let TcpSettings {
        connections,
        connections_per_address: per_address,
        handshake_timeout,
        idle_timeout,
        stall_timeout,
        connect_timeout,
        sniff_delay,
        ..
    } = &mut tcp.settings;
    let mut section = document.section("tcp");
    section.boolean("enabled", &mut tcp.enabled);
    let unit = "connections";
    section.integer("connections", 1..=65_535, unit, connections);
    section.integer("connections_per_address", 1..=65_535, unit, per_address);
    section.duration("sniff_delay_ms", 1..=10_000, MILLISECONDS, sniff_delay);
    section.duration("handshake_timeout_s", 1..=600, SECONDS, handshake_timeout);
    section.duration("idle_timeout_s", 1..=86_400, SECONDS, idle_timeout);
    section.duration("stall_timeout_s", 1..=3600, SECONDS, stall_timeout);
    section.duration("connect_timeout_s", 1..=600, SECONDS, connect_timeout);
    marks(document, &mut tcp.settings);
}

fn marks(document: &mut Document<'_>, settings: &mut TcpSettings) {
    let TcpSettings {
        low_mark,
        high_mark,
        hard_cap,
        block,
        ..
    } = settings;
    let mut section = document.section("tcp");
    let low_ok = section.integer("low_mark", 0..=16_777_216, BYTES, low_mark);
    let high_ok = section.integer("high_mark", 4096..=16_777_216, BYTES, high_mark);
    let cap_ok = section.integer("hard_cap", 4096..=67_108_864, BYTES, hard_cap);
    if low_ok && high_ok && low_mark > high_mark {
        document.contradiction([
            (
                KeyName::new("tcp", "low_mark"),
                format!("at most tcp.high_mark, which is {high_mark}"),
            ),
            (
                KeyName::new("tcp", "high_mark"),
                format!("at least tcp.low_mark, which is {low_mark}"),
            ),
        ]);
    }
    let least = *high_mark + *block;
    if high_ok && cap_ok && *hard_cap < least {
        let most = hard_cap.saturating_sub(*block);
        document.contradiction([
            (
                KeyName::new("tcp", "hard_cap"),
                format!("at least {least}, which is tcp.high_mark and a message"),
            ),
            (
                KeyName::new("tcp", "high_mark"),
                format!("at most {most}, which is tcp.hard_cap without a message"),
            ),
        ]);
    }
}

fn http(document: &mut Document<'_>, http: &mut Http) {
    let mut section = document.section("http");
    section.boolean("on_shared_port", &mut http.on_shared_port);
    section.boolean("metrics_to_all", &mut http.metrics_to_all);
    let mut listen: Vec<SocketAddr> = Vec::new();
    let valid = "an address with a port such as \"127.0.0.1:9100\" or \"[::1]:9100\"";
    let address = |text: &str| text.parse().ok();
    section.texts("listen", (0..=16, "addresses"), valid, address, &mut listen);
    for address in listen {
        if !http.listen.contains(&address) {
            http.listen.push(address);
        }
    }
}
