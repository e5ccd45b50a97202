//! Every key of `emulinker.cfg` (kaillera-server.md 3.2), and where it is in a [`Config`].

use super::reader::{Numbers, Reader};
use crate::{
    config::{
        Config, Lists, charset,
        lists::{WORDS, host, is_word, line, website},
    },
    lobby::{
        catalogue::Language,
        rules::{ConnectionTypes, Rules},
        sync::Sensitivity,
    },
};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const OR_OFF: &str = "seconds; 0 is off";
const CHARACTERS: &str = "characters; 0 is off";

/// What stands for a name that nobody chose.
const NOT_SET: &str = "Not Set";

/// Reads all of them into `config`, which holds the defaults.
pub(super) fn read(reader: &mut Reader<'_>, config: &mut Config) {
    let port = Numbers::within(1..=65_535, "port");
    reader.integer("controllers.connect.port", &port, &mut config.net.port);
    let instead = format!(
        "the character set is windows-1252; known: {}",
        charset::NAMES
    );
    let rules = &mut config.rules;
    reader.word(
        "emulinker.charset",
        &instead,
        charset::charset,
        &mut rules.charset,
    );
    let instead = "the server speaks English; known: en, es, ja, ko, pt, ru, zh, custom";
    reader.word("emulinker.language", instead, language, &mut rules.language);
    admission(reader, config);
    times(reader, &mut config.rules);
    lengths(reader, &mut config.rules);
    lists(reader, config);
    games(reader, &mut config.rules);
    buffers(reader);
    gone(reader);
}

/// `custom` is what a language file says, and English where it says nothing; that is how every
/// language is here.
fn language(word: &str) -> Option<Language> {
    match word.eq_ignore_ascii_case("custom") {
        true => Some(Language::English),
        false => Language::from_code(word),
    }
}

fn admission(reader: &mut Reader<'_>, config: &mut Config) {
    let Rules {
        max_users,
        max_games,
        max_ping,
        allowed_connection_types,
        allow_multiple_connections,
        allow_single_player,
        switch_status_bytes,
        ..
    } = &mut config.rules;
    let count = |unit| Numbers::up_to(0..=65_535, unit);
    reader.integer("server.maxUsers", &count("users; 0 is no limit"), max_users);
    reader.integer("server.maxGames", &count("rooms; 0 is no limit"), max_games);
    config.limits.sessions = config.limits.sessions.max(*max_users as usize);
    let ping = Numbers::within(1..=1000, "milliseconds");
    reader.duration("server.maxPing", &ping, Duration::from_millis(1), max_ping);

    let types = Numbers::within(0..=6, "connection type");
    let types = reader.integers("server.allowedConnectionTypes", &types);
    if let Some(types) = types.filter(|types| types.iter().any(|number| *number != 0)) {
        *allowed_connection_types =
            ConnectionTypes([1, 2, 3, 4, 5, 6].map(|number| types.contains(&number)));
    }
    reader.boolean(
        "server.allowMultipleConnections",
        allow_multiple_connections,
    );
    reader.boolean("server.allowSinglePlayer", allow_single_player);
    let key = "server.switchStatusBytesForBuggyClient";
    reader.boolean(key, switch_status_bytes);
}

fn times(reader: &mut Reader<'_>, rules: &mut Rules) {
    let flood = Numbers::up_to(0..=3600, OR_OFF);
    reader.duration(
        "server.chatFloodTime",
        &flood,
        SECOND,
        &mut rules.chat_flood,
    );
    let key = "server.createGameFloodTime";
    reader.duration(key, &flood, SECOND, &mut rules.create_game_flood);
    let idle = Numbers::up_to(0..=604_800, OR_OFF);
    reader.duration("server.idleTimeout", &idle, SECOND, &mut rules.idle_timeout);
    let keepalive = Numbers::up_to(1..=86_400, "seconds");
    let key = "server.keepAliveTimeout";
    reader.duration(key, &keepalive, SECOND, &mut rules.keepalive_timeout);
}

fn lengths(reader: &mut Reader<'_>, rules: &mut Rules) {
    let Rules {
        max_chat_length,
        max_game_chat_length,
        max_user_name_length,
        max_client_name_length,
        max_game_name_length,
        max_quit_message_length,
        ..
    } = rules;
    let line = Numbers::up_to(0..=1000, CHARACTERS);
    reader.integer("server.maxChatLength", &line, max_chat_length);
    reader.integer("server.maxGameChatLength", &line, max_game_chat_length);
    let quit = Numbers::up_to(0..=127, CHARACTERS);
    reader.integer(
        "server.maxQuitMessageLength",
        &quit,
        max_quit_message_length,
    );
    name(
        reader,
        "server.maxUserNameLength",
        (31, 30),
        max_user_name_length,
    );
    name(
        reader,
        "server.maxClientNameLength",
        (127, 126),
        max_client_name_length,
    );
    name(
        reader,
        "server.maxGameNameLength",
        (127, 126),
        max_game_name_length,
    );
}

/// A length of at most `accepted`, of which clients have room for `used` and the final zero;
/// 0 is no limit but that one.
fn name(
    reader: &mut Reader<'_>,
    key: &'static str,
    (accepted, used): (i64, usize),
    target: &mut usize,
) {
    let mut length = *target;
    reader.integer(key, &Numbers::within(0..=accepted, CHARACTERS), &mut length);
    *target = match length {
        0 => used,
        length => length.min(used),
    };
}

fn lists(reader: &mut Reader<'_>, config: &mut Config) {
    let Config {
        lists, web_hook, ..
    } = config;
    let instead = "it is left out; valid: at most 100 characters, none of them a control character";
    let name = |text: &str| {
        line(text).map(|text| match text.as_str() {
            NOT_SET => Lists::default().server_name,
            _ => text,
        })
    };
    reader.word(
        "masterList.serverName",
        instead,
        name,
        &mut lists.server_name,
    );
    let key = "masterList.serverLocation";
    reader.word(key, instead, line, &mut lists.server_location);
    let instead = "it is left out; valid: an address of the web, at most 100 characters";
    let key = "masterList.serverWebsite";
    reader.word(key, instead, website, &mut lists.server_website);
    let instead = "it is left out; valid: an IPv4 address or a host's name, without a port";
    let key = "masterList.serverConnectAddress";
    reader.word(key, instead, host, &mut lists.server_address);
    reader.switch("masterList.touchKaillera", &mut lists.kaillera);
    reader.switch("masterList.touchEmulinker", &mut lists.emulinker);

    let delay = Numbers::up_to(0..=3600, "seconds");
    let key = "twitter.broadcastDelaySeconds";
    reader.duration(key, &delay, SECOND, &mut web_hook.delay);
    if let Some(words) = reader.list("twitter.preventBroadcastNameSuffixes") {
        web_hook.suppress = words.into_iter().filter(|word| is_word(word)).collect();
        web_hook.suppress.truncate(WORDS);
    }
}

/// What games are watched for.
fn games(reader: &mut Reader<'_>, rules: &mut Rules) {
    let sensitivity = Numbers::within(0..=5, "sensitivity; 0 is off");
    let mut level = rules.autofire.level();
    reader.integer("game.defaultAutoFireSensitivity", &sensitivity, &mut level);
    rules.autofire = Sensitivity::new(level).unwrap_or_default();
    let window = Numbers::up_to(10..=3600, "seconds");
    let key = "server.lagstatDurationSeconds";
    reader.duration(key, &window, SECOND, &mut rules.lag_window);
}

fn buffers(reader: &mut Reader<'_>) {
    let bytes = Numbers::up_to(1..=i64::MAX, "bytes");
    reader.required("game.bufferSize", &bytes);
    let keys = [
        "game.bufferSize",
        "controllers.v086.bufferSize",
        "controllers.connect.bufferSize",
    ];
    reader.ignored(&keys, "buffers fit what they hold");
    let key = "server.coreThreadpoolSize";
    reader.ignored(&[key], "net.loops and net.workers set the threads");
    let keys = ["game.timeoutMillis", "game.desynchTimeouts"];
    reader.ignored(
        &keys,
        "link.desync_after_s says when a player is out of sync",
    );
    let key = "controllers.v086.clientTypes.clientType";
    reader.ignored(&[key], "there is no version but 0.83");
    let keys = [
        "controllers.v086.portRangeStart",
        "controllers.v086.extraPorts",
    ];
    reader.ignored(&keys, "one port serves everybody");
}

fn gone(reader: &mut Reader<'_>) {
    let keys = ["metrics.enabled", "metrics.loggingFrequencySeconds"];
    reader.ignored(&keys, "GET /metrics answers with the figures");
    let keys = [
        "twitter.enabled",
        "twitter.deletePostOnClose",
        "twitter.auth.oAuthAccessToken",
        "twitter.auth.oAuthAccessTokenSecret",
        "twitter.auth.oAuthConsumerKey",
        "twitter.auth.oAuthConsumerSecret",
    ];
    reader.ignored(
        &keys,
        "rooms are posted to web hooks, which [webhook] names",
    );
    let keys = [
        "survey.enabled",
        "survey.gameWhitelist",
        "survey.apiEndpoint",
        "survey.apiKey",
    ];
    reader.ignored(&keys, "no answers of players are collected");
}
