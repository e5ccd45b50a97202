//! Damaged files of every kind: none panics its reader, and every complaint names its line.

use super::*;
use crate::access;
use proptest::prelude::*;

/// Pieces of `emulinker.cfg` and `language.properties`, right and wrong.
fn properties_line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "game.bufferSize",
        "server.maxPing",
        "server.maxUsers",
        "server.allowedConnectionTypes",
        "server.allowSinglePlayer",
        "server.lagstatDurationSeconds",
        "emulinker.charset",
        "emulinker.language",
        "masterList.serverName",
        "masterList.touchKaillera",
        "twitter.preventBroadcastNameSuffixes",
        "server.maxuser",
        "KailleraServerImpl.LoginMessage.1",
        "KailleraServerImpl.LoginMessage.3",
        "KailleraServerImpl.JoinGameMessage.1",
        "KailleraServerImpl.ChatDeniedSilenced",
        "ChatAction.ChatDenied",
        "ChatAction.ChatDenid",
    ]);
    let value = prop_oneof![
        "[0-9xb+-]{0,12}",
        "(true|false|yes|maybe|custom|ja|GBK|Shift_JIS)",
        r"(\$\{(server.maxPing|server.maxUsers|a)\}|\\u[0-9a-g]{0,5}|\\|,|\{[0-9]\}|'|\PC){0,12}",
    ];
    let separator = prop::sample::select(vec!["=", ":", " ", " = ", ""]);
    (key, separator, value).prop_map(|(key, separator, value)| format!("{key}{separator}{value}"))
}

/// Pieces of `access.cfg`.
fn rule() -> impl Strategy<Value = String> {
    r"(user|ipaddress|emulator|game|silence|king|#|//| )?(,(ADMIN|KING|ALLOW|DENY|\*|dns:a?b?|1\.2\.3\.(4|\*|0/[0-9]{1,3})|\PC{0,4})){0,5}"
}

/// Pieces of TOML.
fn toml_line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "port",
        "bind",
        "max_users",
        "welcome",
        "language",
        "charset",
        "rules",
        "file",
        "server_name",
        "kaillera",
        "colour",
        "\"a\\nb\"",
    ]);
    let value = r#"(-?[0-9]{1,12}|true|"[a-z0-9 ,*.\u{e9}]{0,12}"|\["[a-z,*]{0,9}"(, 1)?\]|\{\}|1979-05-27|\PC{0,8})"#;
    let section = prop::sample::select(vec![
        "[net]",
        "[kaillera]",
        "[access]",
        "[lists]",
        "[texts]",
        "[games",
        "[[net]]",
        "[x.y]",
    ]);
    prop_oneof![
        (key, value).prop_map(|(key, value)| format!("{key} = {value}")),
        section.prop_map(str::to_owned),
    ]
}

fn text(line: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let end = prop::sample::select(vec!["\n", "\r\n", "\r", "\n\n", "\\\n", ""]);
    let lines = prop::collection::vec((line, end), 0..12);
    lines.prop_map(|lines| {
        let lines = lines.into_iter();
        lines.map(|(line, end)| line + end).collect()
    })
}

proptest! {
    #[test]
    fn of_properties(text in text(properties_line())) {
        properties(text.as_bytes());
        emulinker(text.as_bytes());
    }

    #[test]
    fn of_rules(text in text(rule())) {
        access::fuzz::rules(text.as_bytes());
        rules(text.as_bytes());
    }

    #[test]
    fn of_toml(text in text(toml_line())) {
        native(text.as_bytes());
    }

    #[test]
    fn of_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        properties(&bytes);
        emulinker(&bytes);
        access::fuzz::rules(&bytes);
        rules(&bytes);
        native(&bytes);
    }
}
