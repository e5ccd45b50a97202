use super::*;
use crate::{
    access::AccessLevel,
    config::error::Problem,
    lobby::{
        catalogue::Language,
        rules::{ConnectionTypes, Rules},
    },
    timer::Time,
};
use encoding_rs::{EUC_KR, SHIFT_JIS, WINDOWS_1252};
use std::{fs, path::PathBuf, time::Duration};

/// What EmuLinker-K ships, from the table of its keys.
const SHIPPED: &str = include_str!("../../../tests/data/emulinker/conf/emulinker.cfg");

/// Only what has no default.
const LEAST: &str = "game.bufferSize=1024\n";

/// What a text of `emulinker.cfg` says, and its mistakes as they are shown.
fn read(text: &str) -> (Config, Vec<String>) {
    let mut config = Config::default();
    let bytes: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let errors = read_config(Path::new("e.cfg"), &bytes, &mut config);
    (config, errors.iter().map(ToString::to_string).collect())
}

fn config(text: &str) -> Config {
    let (config, mistakes) = read(&format!("{LEAST}{text}"));
    assert_eq!(mistakes, [""; 0], "{text:?}");
    config
}

/// The mistakes of one line, in line 2.
fn mistakes(text: &str) -> Vec<String> {
    read(&format!("{LEAST}{text}")).1
}

fn same(a: &Config, b: &Config) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

/// A directory that is gone at the end of its test, with `conf` in it.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Self {
        let unique = format!("samara-emulinker-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(unique);
        let directory = Self(path);
        fs::create_dir_all(directory.conf()).unwrap();
        for (file, bytes) in files {
            fs::write(directory.0.join(file), bytes).unwrap();
        }
        directory
    }

    fn conf(&self) -> PathBuf {
        self.0.join("conf")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// The rows of the table in kaillera-server.md 3.1 that are read as numbers.
#[test]
fn the_table_of_integers() {
    for (text, expected) in [
        ("b=7\nserver.maxGames=${b}0", 70),
        ("server.maxGames=+5", 5),
        ("server.maxGames=010", 10),
        ("server.maxGames=0x1F", 31),
        ("server.maxGames=0b11", 3),
        ("server.maxGames=5 ", 5),
        ("server.maxGames=5, 6", 5),
        ("", 0),
        // Beyond what there is room for.
        ("server.maxGames=2147483647", 65_535),
    ] {
        assert_eq!(config(text).rules.max_games, expected, "{text:?}");
    }
    for (value, found) in [
        ("-5", "out of range"),
        ("5.0", "not an integer"),
        ("abc", "not an integer"),
        ("", "not an integer"),
        ("2147483648", "not an integer"),
        ("0xG", "not an integer"),
        ("0x", "not an integer"),
        ("1 2", "not an integer"),
    ] {
        let told = format!(
            "e.cfg:2: server.maxGames = `{value}` is {found}; \
             valid: an integer, 0 or more (rooms; 0 is no limit)"
        );
        assert_eq!(mistakes(&format!("server.maxGames={value}")), [told]);
    }
}

#[test]
fn the_table_of_booleans() {
    let key = "server.allowSinglePlayer";
    for word in ["true", "yes", "on", "y", "t", "TRUE", "Yes", "oN"] {
        assert!(config(&format!("{key}={word}")).rules.allow_single_player);
    }
    for word in ["false", "no", "off", "n", "f", "FALSE", "No", "oFF"] {
        assert!(!config(&format!("{key}={word}")).rules.allow_single_player);
    }
    for word in ["1", "0", "maybe", ""] {
        let told = format!(
            "e.cfg:2: {key} = `{word}` is not true or false; \
             valid: true or false, yes or no, on or off"
        );
        assert_eq!(mistakes(&format!("{key}={word}")), [told]);
    }
}

#[test]
fn what_games_are_watched_for() {
    let config = config("game.defaultAutoFireSensitivity=4\nserver.lagstatDurationSeconds=30");
    assert_eq!(config.rules.autofire.level(), 4);
    assert_eq!(config.rules.lag_window.as_secs(), 30);
}

#[test]
fn the_one_key_without_a_default() {
    let told = "e.cfg: game.bufferSize is missing; valid: an integer, 1 or more (bytes)";
    assert_eq!(read("").1, [told]);
    assert_eq!(
        read("game.bufferSize=0").1,
        ["e.cfg:1: game.bufferSize = `0` is out of range; valid: an integer, 1 or more (bytes)"]
    );
}

#[test]
fn nothing_else_is_needed() {
    let mut config = config("");
    config.notices.clear();
    assert!(same(&config, &Config::default()));
}

#[test]
fn what_is_shipped_is_read_without_a_mistake() {
    let (config, mistakes) = read(SHIPPED);
    assert_eq!(mistakes, [""; 0]);
    assert_eq!(config.net.port, 27_888);
    let seconds = Duration::from_secs;
    let expected = Rules {
        max_users: 100,
        max_ping: Duration::from_millis(250),
        idle_timeout: seconds(0),
        ..Rules::default()
    };
    assert_eq!(config.rules, expected);
    let once = |key: &str| config.notices.iter().filter(|it| it.contains(key)).count();
    for key in [
        "controllers.v086.bufferSize",
        "controllers.v086.clientTypes.clientType",
        "game.timeoutMillis",
        "metrics.enabled",
        "twitter.enabled",
        "survey.enabled",
    ] {
        assert_eq!(once(key), 1, "{key}: {:?}", config.notices);
    }
}

#[test]
fn every_key_arrives() {
    let config = config(
        "controllers.connect.port=1
        emulinker.charset=x-IBM949
        server.allowedConnectionTypes=1, 6
        server.allowMultipleConnections=no
        server.allowSinglePlayer=no
        server.chatFloodTime=2
        server.createGameFloodTime=3
        server.idleTimeout=4
        server.keepAliveTimeout=5
        server.maxChatLength=6
        server.maxGameChatLength=7
        server.maxClientNameLength=8
        server.maxUserNameLength=9
        server.maxGameNameLength=10
        server.maxQuitMessageLength=11
        server.maxGames=12
        server.maxPing=13
        server.maxUsers=14
        server.switchStatusBytesForBuggyClient=yes",
    );
    assert_eq!(config.net.port, 1);
    let seconds = Duration::from_secs;
    let expected = Rules {
        charset: EUC_KR,
        allowed_connection_types: ConnectionTypes([true, false, false, false, false, true]),
        allow_multiple_connections: false,
        allow_single_player: false,
        chat_flood: seconds(2),
        create_game_flood: seconds(3),
        idle_timeout: seconds(4),
        keepalive_timeout: seconds(5),
        max_chat_length: 6,
        max_game_chat_length: 7,
        max_client_name_length: 8,
        max_user_name_length: 9,
        max_game_name_length: 10,
        max_quit_message_length: 11,
        max_games: 12,
        max_ping: Duration::from_millis(13),
        max_users: 14,
        switch_status_bytes: true,
        ..Rules::default()
    };
    assert_eq!(config.rules, expected);
}

#[test]
fn lists_and_hooks() {
    let config = config(
        "masterList.serverName=caf\u{e9}, closed
        masterList.serverLocation=East Coast\\, USA
        masterList.serverWebsite=https://example.net/
        masterList.serverConnectAddress=play.example.net
        masterList.touchKaillera=true
        masterList.touchEmulinker=True
        twitter.broadcastDelaySeconds=20
        twitter.preventBroadcastNameSuffixes=waiting, brb",
    );
    let Config {
        lists, web_hook, ..
    } = &config;
    assert_eq!(lists.server_name, "caf\u{e9}");
    assert_eq!(lists.server_location, "East Coast, USA");
    assert_eq!(lists.server_website, "https://example.net/");
    assert_eq!(lists.server_address, "play.example.net");
    assert_eq!((lists.kaillera, lists.emulinker), (true, false));
    assert_eq!(web_hook.delay, Duration::from_secs(20));
    assert_eq!(web_hook.suppress, ["waiting", "brb"]);
    assert!(
        config
            .notices
            .iter()
            .any(|it| it.contains("touchEmulinker = `True` counts as false"))
    );
}

#[test]
fn the_switches_of_lists_never_stop_a_start() {
    for word in ["", "false", "yes", "1", "TRUE", "maybe"] {
        let config = config(&format!("masterList.touchKaillera={word}"));
        assert!(!config.lists.kaillera, "{word}");
    }
    let shy = config("masterList.serverWebsite=here\nmasterList.serverConnectAddress=a:1");
    assert_eq!(shy.lists, Config::default().lists);
    assert_eq!(
        config("masterList.serverName=Not Set").lists,
        Config::default().lists
    );
}

#[test]
fn limits_of_clients_hold() {
    for (value, user, client) in [(0, 30, 126), (31, 30, 31), (30, 30, 30), (5, 5, 5)] {
        let text = format!("server.maxUserNameLength={value}\nserver.maxClientNameLength={value}");
        let rules = config(&text).rules;
        assert_eq!(rules.max_user_name_length, user);
        assert_eq!(rules.max_client_name_length, client);
    }
    assert_eq!(
        config("server.maxGameNameLength=127")
            .rules
            .max_game_name_length,
        126
    );
    for (text, valid) in [
        (
            "server.maxUserNameLength=32",
            "0 to 31 (characters; 0 is off)",
        ),
        (
            "server.maxGameNameLength=128",
            "0 to 127 (characters; 0 is off)",
        ),
        ("server.maxPing=0", "1 to 1000 (milliseconds)"),
        ("server.maxPing=1001", "1 to 1000 (milliseconds)"),
        ("controllers.connect.port=65536", "1 to 65535 (port)"),
        ("server.keepAliveTimeout=0", "1 or more (seconds)"),
        (
            "game.defaultAutoFireSensitivity=6",
            "0 to 5 (sensitivity; 0 is off)",
        ),
        ("server.lagstatDurationSeconds=9", "10 or more (seconds)"),
        ("server.idleTimeout=-1", "0 or more (seconds; 0 is off)"),
    ] {
        let (key, value) = text.split_once('=').unwrap();
        let told =
            format!("e.cfg:2: {key} = `{value}` is out of range; valid: an integer, {valid}");
        assert_eq!(mistakes(text), [told]);
    }
}

#[test]
fn more_users_need_more_seats() {
    let config = config("server.maxUsers=9000");
    assert_eq!(
        (config.rules.max_users, config.limits.sessions),
        (9000, 9000)
    );
}

#[test]
fn connection_types() {
    let all = ConnectionTypes([true; 6]);
    let key = "server.allowedConnectionTypes";
    let types = |value: &str| {
        config(&format!("{key}={value}"))
            .rules
            .allowed_connection_types
    };
    assert_eq!(types(""), all);
    assert_eq!(types("0"), all);
    let some = ConnectionTypes([false, true, true, false, false, false]);
    assert_eq!(types("2,3,0"), some);
    assert_eq!(types(&format!("3\n{key}=2")), some);
    assert_eq!(
        mistakes(&format!("{key}=1,x,7")),
        [
            "e.cfg:2: server.allowedConnectionTypes = `x` is not an integer; \
             valid: an integer, 0 to 6 (connection type)",
            "e.cfg:2: server.allowedConnectionTypes = `7` is out of range; \
             valid: an integer, 0 to 6 (connection type)",
        ]
    );
}

#[test]
fn charsets() {
    for (name, expected, notices) in [
        ("", WINDOWS_1252, 0),
        ("Shift_JIS", SHIFT_JIS, 0),
        ("Klingon", WINDOWS_1252, 1),
    ] {
        let config = config(&format!("emulinker.charset={name}"));
        assert_eq!(config.rules.charset, expected, "{name}");
        let told = config.notices.iter().filter(|it| it.contains("charset"));
        assert_eq!(told.count(), notices, "{name}");
    }
}

#[test]
fn languages() {
    for (word, expected, notices) in [
        ("", Language::English, 0),
        ("custom", Language::English, 0),
        ("Custom", Language::English, 0),
        ("ja", Language::Japanese, 0),
        ("pt-BR", Language::Portuguese, 0),
        ("tlh", Language::English, 1),
    ] {
        let config = config(&format!("emulinker.language={word}"));
        assert_eq!(config.rules.language, expected, "{word}");
        let told = config.notices.iter().filter(|it| it.contains("language"));
        assert_eq!(told.count(), notices, "{word}");
    }
}

#[test]
fn every_mistake_is_told_at_once() {
    let (_, mistakes) = read(
        "server.maxPing=fast\n\nserver.maxUsers=\\u12\nserver.maxGames=many\na=${a}\n\
         server.allowSinglePlayer=2\ngame.bufferSize=1",
    );
    let lines: Vec<_> = mistakes
        .iter()
        .map(|it| it.split(' ').next().unwrap())
        .collect();
    assert_eq!(
        lines,
        ["e.cfg:1:", "e.cfg:3:", "e.cfg:4:", "e.cfg:5:", "e.cfg:6:"]
    );
}

#[test]
fn unknown_keys_are_ignored_and_misspelt_ones_told() {
    let config = config("some.other.product.key=1\nserver.maxUser=7");
    assert_eq!(config.rules.max_users, 0);
    let told: Vec<_> = config
        .notices
        .iter()
        .filter(|it| it.contains("mean"))
        .collect();
    assert_eq!(
        told,
        ["e.cfg:3: server.maxUser is no key; did you mean server.maxUsers?"]
    );
}

#[test]
fn a_directory() {
    let language = "KailleraServerImpl.LoginMessage.1=Welcome, all\n\
        KailleraServerImpl.LoginMessage.2=Second\n\
        KailleraServerImpl.LoginMessage.4=after a gap\n\
        KailleraServerImpl.NoSuchText=x\n\
        KailleraServerImpl.JoinGameMessage.1=Have fun\n\
        KailleraServerImpl.ChatDeniedFloodControl=It''s too fast\n";
    let files: [(&str, &[u8]); 3] = [
        ("conf/emulinker.cfg", LEAST.as_bytes()),
        (
            "conf/access.cfg",
            b"user,ADMIN,192.0.2.1,caf\xE9\nuser,KING,*\n",
        ),
        ("conf/language.properties", language.as_bytes()),
    ];
    let directory = Directory::new("whole", &files);
    let config = Config::load_emulinker(&directory.conf()).unwrap();
    assert_eq!(config.rules.welcome, ["Welcome, all", "Second"]);
    assert_eq!(config.rules.room_welcome, ["Have fun"]);
    let texts: Vec<_> = config
        .texts
        .iter()
        .map(|(key, text)| (&**key, &**text))
        .collect();
    assert_eq!(
        texts,
        [(
            "KailleraServerImpl.ChatDeniedFloodControl",
            "It''s too fast"
        )]
    );
    let language = directory.conf().join("language.properties");
    let told: Vec<_> = config
        .notices
        .iter()
        .filter(|it| it.contains("language"))
        .collect();
    let at = |line: usize| format!("{}:{line}: KailleraServerImpl.", language.display());
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[0].starts_with(&format!("{}NoSuchText is unknown", at(4))),
        "{told:?}"
    );
    assert!(
        told[1].starts_with(&format!("{}LoginMessage.4 is not shown", at(3))),
        "{told:?}"
    );
    let access = crate::access::Access::new(config.access.rules.clone());
    let admin = "192.0.2.1".parse().unwrap();
    assert_eq!(access.level(Time::ZERO, admin), AccessLevel::Admin);
    assert_eq!(access.announcement(admin), Some("caf\u{e9}"));
    let left_out: Vec<_> = config.left_out.iter().map(ToString::to_string).collect();
    let path = directory.conf().join("access.cfg").display().to_string();
    assert_eq!(left_out.len(), 1);
    assert!(left_out[0].starts_with(&format!("{path}:2: `KING`: no such level")));
    let parent = directory.0.canonicalize().unwrap();
    assert_eq!(config.trivia.questions, parent.join("questions.txt"));
    assert_eq!(
        config.access.state,
        Some(directory.conf().join(access::STATE))
    );
}

#[test]
fn a_directory_without_its_files() {
    let directory = Directory::new("empty", &[]);
    let errors = Config::load_emulinker(&directory.conf()).unwrap_err();
    let shown: Vec<_> = errors
        .iter()
        .map(|it| (it.line, it.problem.clone()))
        .collect();
    assert_eq!(shown, [(None, Problem::Missing), (None, Problem::Missing)]);
    let directory = Directory::new(
        "unusable",
        &[
            ("conf/emulinker.cfg", b"server.maxPing=x"),
            ("conf/access.cfg", b"<html>\n"),
        ],
    );
    let errors = Config::load_emulinker(&directory.conf()).unwrap_err();
    let told = errors.to_string();
    let lines: Vec<_> = told.lines().collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert!(
        lines[0].contains("emulinker.cfg: game.bufferSize is missing"),
        "{told}"
    );
    assert!(
        lines[1].contains("emulinker.cfg:1: server.maxPing"),
        "{told}"
    );
    assert!(
        lines[2].contains("access.cfg:1: not one line is a rule"),
        "{told}"
    );
}

#[test]
fn a_language_file_in_another_encoding_is_told() {
    let files: [(&str, &[u8]); 3] = [
        ("conf/emulinker.cfg", LEAST.as_bytes()),
        ("conf/access.cfg", b""),
        (
            "conf/language.properties",
            b"KailleraServerImpl.LoginMessage.1=caf\xE9",
        ),
    ];
    let directory = Directory::new("latin", &files);
    let config = Config::load_emulinker(&directory.conf()).unwrap();
    assert_eq!(config.rules.welcome, ["caf\u{e9}"]);
    assert!(config.notices.iter().any(|it| it.contains("not UTF-8")));
}

/// The rows of kaillera-server.md 4.1 about the machine's locale.
#[test]
fn the_locale_chooses_the_language_file() {
    let directory = Directory::new(
        "locale",
        &[
            ("conf/language.properties", b""),
            ("conf/language_pt.properties", b""),
            ("conf/language_pt_BR.properties", b""),
            ("conf/language_en.properties", b""),
        ],
    );
    for (locale, expected) in [
        ("pt_BR.UTF-8", "language_pt_BR.properties"),
        ("pt_PT.UTF-8@euro", "language_pt.properties"),
        ("pt", "language_pt.properties"),
        ("ja_JP.UTF-8", "language.properties"),
        ("en_US", "language_en.properties"),
        ("C", "language_en.properties"),
        ("C.UTF-8", "language_en.properties"),
        ("POSIX", "language_en.properties"),
        ("", "language_en.properties"),
        ("x/../conf", "language.properties"),
    ] {
        let path = language::path(&directory.conf(), locale);
        assert_eq!(path, directory.conf().join(expected), "{locale:?}");
    }
}

#[test]
fn long_greetings_become_several_lines() {
    let files: [(&str, &[u8]); 3] = [
        ("conf/emulinker.cfg", LEAST.as_bytes()),
        ("conf/access.cfg", b""),
        (
            "conf/language.properties",
            &[
                b"KailleraServerImpl.LoginMessage.1=",
                "word ".repeat(100).as_bytes(),
            ]
            .concat(),
        ),
    ];
    let directory = Directory::new("long", &files);
    let config = Config::load_emulinker(&directory.conf()).unwrap();
    assert_eq!(
        config.rules.welcome.join(" "),
        "word ".repeat(100).trim_end()
    );
    assert!(config.rules.welcome.iter().all(|line| line.len() <= 255));
}

#[test]
fn an_import_says_the_same() {
    let everything = "controllers.connect.port=27999\nemulinker.charset=Shift_JIS\nemulinker.language=ja\n\
        server.allowedConnectionTypes=1,2\nserver.allowMultipleConnections=false\n\
        server.allowSinglePlayer=false\nserver.chatFloodTime=5\nserver.createGameFloodTime=6\n\
        server.idleTimeout=7\nserver.keepAliveTimeout=200\nserver.maxChatLength=0\n\
        server.maxGameChatLength=99999\nserver.maxClientNameLength=100\n\
        server.maxUserNameLength=20\nserver.maxGameNameLength=100\n\
        server.maxQuitMessageLength=50\nserver.maxGames=8\nserver.maxPing=150\n\
        server.maxUsers=9000\ngame.defaultAutoFireSensitivity=4\nserver.lagstatDurationSeconds=30\n\
        server.switchStatusBytesForBuggyClient=true\ngame.bufferSize=1\n\
        masterList.serverName=The \"best\"\nmasterList.serverLocation=East Coast\\, USA\n\
        masterList.serverWebsite=https://example.net/\nmasterList.touchKaillera=true\n\
        masterList.serverConnectAddress=192.0.2.1\nmasterList.touchEmulinker=true\n\
        twitter.broadcastDelaySeconds=9\ntwitter.preventBroadcastNameSuffixes=a,b\\,c\n";
    let language = "KailleraServerImpl.LoginMessage.1=\"quoted\" \\\\ \\u8868\\t\\u00e9\n\
        KailleraServerImpl.JoinGameMessage.1=x\nUnknown\\ Key.a\\u000a=\\u0001\\\" ''{0}\n\
        ChatAction.ChatDenied=\\u0001\\\" ''{0}\n";
    let access = "# the boss\nuser,SUPERADMIN,192.0.2.1,\"Hi\\\"\n\nipaddress,DENY,hi|8.*\n\
        user,KING,*\r\n//x\nipaddress,ALLOW,*\n";
    for (name, cfg) in [("least", LEAST), ("shipped", SHIPPED), ("all", everything)] {
        let directory = Directory::new(
            &format!("import-{name}"),
            &[
                ("conf/emulinker.cfg", cfg.as_bytes()),
                ("conf/access.cfg", access.as_bytes()),
                ("conf/language.properties", language.as_bytes()),
            ],
        );
        let conf = directory.conf().canonicalize().unwrap();
        let text = Config::import_emulinker(&directory.conf()).unwrap();
        let path = directory.0.join("samara.toml");
        fs::write(&path, &text).unwrap();
        let mut native = Config::load(&path).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        let mut before = Config::load_emulinker(&conf).unwrap();
        assert_eq!(native.access.own.len(), 3, "{text}");
        assert_eq!(native.access.rules, before.access.rules);
        assert!(text.contains("  # line 5 left out: `KING`"), "{text}");
        assert!(text.contains("  # the boss\n"), "{text}");
        // Where the rules are from, and what was said about that.
        for config in [&mut native, &mut before] {
            config.access.file = None;
            config.access.own.clear();
            config.notices.clear();
            config.left_out.clear();
            config.files.clear();
        }
        assert_eq!(format!("{native:#?}"), format!("{before:#?}"));
    }
}
