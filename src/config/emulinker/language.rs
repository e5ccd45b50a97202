//! `language.properties`: greetings, and the operator's own texts (kaillera-server.md 4.1).

use crate::config::{
    Config, charset,
    error::ConfigError,
    keys::{WELCOME_LINE, WELCOME_LINES},
    properties::{Dialect, Properties, decode},
};
use encoding_rs::Encoding;
use std::path::Path;

/// Before the number of a line shown after login.
const LOGIN: &str = "KailleraServerImpl.LoginMessage.";
/// Before the number of a line shown to whoever makes or joins a room.
const ROOM: &str = "KailleraServerImpl.JoinGameMessage.";

/// Reads the file into `config`; answers with its mistakes, in the order of its lines.
pub(super) fn read(path: &Path, bytes: &[u8], config: &mut Config) -> Vec<ConfigError> {
    let name = path.display().to_string();
    let (text, not_utf8) = decode(bytes, Dialect::Language);
    if not_utf8 {
        config.notices.push(format!(
            "{name}: not UTF-8, read as ISO-8859-1: letters beyond western ones are wrong; \
             save the file as UTF-8"
        ));
    }
    let (properties, faults) = Properties::parse(&text, Dialect::Language);
    let charset = config.rules.charset;
    config.rules.welcome = greeting(&properties, LOGIN, charset);
    config.rules.room_welcome = greeting(&properties, ROOM, charset);
    let texts = properties.iter();
    let texts = texts.filter(|it| !it.key.starts_with(LOGIN) && !it.key.starts_with(ROOM));
    config.texts = texts
        .map(|property| (property.key.clone(), property.first().to_owned()))
        .collect();
    faults
        .into_iter()
        .map(|fault| fault.of_file(&name))
        .collect()
}

/// The lines numbered from 1 to the first gap; a long one becomes several.
fn greeting(properties: &Properties, prefix: &str, charset: &'static Encoding) -> Vec<String> {
    let numbered = |number| properties.last(&format!("{prefix}{number}"));
    let lines = (1..=WELCOME_LINES).map_while(numbered);
    lines
        .flat_map(|line| charset::fit(charset, line.first(), WELCOME_LINE))
        .take(WELCOME_LINES)
        .collect()
}
