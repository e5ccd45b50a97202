//! Every rule an operator can set, checked when the configuration is read.

use super::{
    Posts, WordFilter,
    catalogue::{Language, OperatorTexts},
    sync::Sensitivity,
};
use encoding_rs::{Encoding, WINDOWS_1252};
use std::time::Duration;

/// The connection types ordinary users may log in with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionTypes(pub [bool; 6]);

/// The player number a watcher's emulator is told (kaillera.md 8.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatcherNumber {
    /// The one after the last player's.
    Next,
    /// None.
    Zero,
}

/// What the lobby allows. Lengths are in characters of the server's set, and what clients have
/// room for bounds them in bytes besides (kaillera-server.md 16.3); a zero switches a limit off
/// where its documentation says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Users at a time; 0 is no limit of its own.
    pub max_users: u32,
    /// Rooms at a time; 0 is no limit of its own.
    pub max_games: u32,
    /// Highest ping at login.
    pub max_ping: Duration,
    /// A user without any new message for this long is gone.
    pub keepalive_timeout: Duration,
    /// A user without activity for this long is sent away; zero is never.
    pub idle_timeout: Duration,
    /// Connection types that may log in.
    pub allowed_connection_types: ConnectionTypes,
    /// Whether one address may hold several users.
    pub allow_multiple_connections: bool,
    /// Whether a game may start with one player.
    pub allow_single_player: bool,
    /// Least time between a user's lobby lines; zero is off.
    pub chat_flood: Duration,
    /// Least time between a user's rooms; zero is off.
    pub create_game_flood: Duration,
    /// Longest lobby line; 0 is off.
    pub max_chat_length: usize,
    /// Longest room line; 0 is off.
    pub max_game_chat_length: usize,
    /// Longest line of an emulator's data in a room, in bytes, whoever sends it.
    pub max_game_data_length: usize,
    /// Longest user name, at most 30.
    pub max_user_name_length: usize,
    /// Longest emulator name, at most 126.
    pub max_client_name_length: usize,
    /// Longest name of a game, at most 126.
    pub max_game_name_length: usize,
    /// Longest parting words; longer ones are replaced; 0 is off.
    pub max_quit_message_length: usize,
    /// Members a new room may have, 1..=100.
    pub room_capacity: u8,
    /// Exchanges status values for the one emulator that expects it (kaillera-server.md 3.2).
    pub switch_status_bytes: bool,
    /// A game whose players are not all ready by then goes on without the missing.
    pub ready_timeout: Duration,
    /// How far back lag is told, at least 10 seconds.
    pub lag_window: Duration,
    /// How soon autofire is told of in a new room.
    pub autofire: Sensitivity,
    /// Whether a player that keeps the others waiting for too long is dropped from its game;
    /// else it only counts as out of sync.
    pub drop_stalled: bool,
    /// Whether games can be watched.
    pub watching: bool,
    /// What watchers' emulators are told to be.
    pub watcher_number: WatcherNumber,
    /// Whether a player whose session broke off may come back into its game.
    pub come_back: bool,
    /// Whether players may choose their frame delay.
    pub choose_delay: bool,
    /// Whether rooms can have passwords.
    pub passwords: bool,
    /// Whether admins can have users' lines seen by nobody else.
    pub shadow_mute: bool,
    /// With more users online than this, players get no lobby traffic while they play; 0 is never.
    pub quiet_games_above: u32,
    /// The character set of the server's own texts.
    pub charset: &'static Encoding,
    /// The language of the server's own texts.
    pub language: Language,
    /// Texts in the operator's own words.
    pub texts: OperatorTexts,
    /// Words that names and lines may not have, from whom texts are checked.
    pub word_filter: WordFilter,
    /// Lines shown after login.
    pub welcome: Vec<String>,
    /// Lines shown to each user who opens or enters a room.
    pub room_welcome: Vec<String>,
    /// Which rooms the world outside is told of; none if nobody there listens.
    pub posts: Option<Posts>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            max_users: 0,
            max_games: 0,
            max_ping: Duration::from_millis(1000),
            keepalive_timeout: Duration::from_secs(190),
            idle_timeout: Duration::from_secs(3600),
            allowed_connection_types: ConnectionTypes([true; 6]),
            allow_multiple_connections: true,
            allow_single_player: true,
            chat_flood: Duration::from_secs(2),
            create_game_flood: Duration::from_secs(2),
            max_chat_length: 150,
            max_game_chat_length: 320,
            max_game_data_length: 499,
            max_user_name_length: 30,
            max_client_name_length: 126,
            max_game_name_length: 126,
            max_quit_message_length: 100,
            room_capacity: 8,
            switch_status_bytes: false,
            ready_timeout: Duration::from_secs(130),
            lag_window: Duration::from_secs(60),
            autofire: Sensitivity::default(),
            drop_stalled: true,
            watching: true,
            watcher_number: WatcherNumber::Next,
            come_back: false,
            choose_delay: true,
            passwords: true,
            shadow_mute: true,
            quiet_games_above: 60,
            charset: WINDOWS_1252,
            language: Language::English,
            texts: OperatorTexts::default(),
            word_filter: WordFilter::default(),
            welcome: Vec::new(),
            room_welcome: Vec::new(),
            posts: None,
        }
    }
}
