use super::{document::KeyName, *};
use crate::{
    lobby::{
        WordFilter,
        catalogue::{Language, OperatorTexts},
        rules::{ConnectionTypes, WatcherNumber},
        sync::Sensitivity,
    },
    maple::{IvPolicy, Lookahead, Opcodes, Profile, Region},
    privacy::{Addresses, Privacy},
    service::gateway::{Advertise, Listener, Public, Rate},
};
use encoding_rs::{SHIFT_JIS, WINDOWS_1251};
use proptest::{prelude::*, sample::Index};
use std::sync::Arc;

const EXAMPLE: &str = include_str!("../../tools/samara.example.toml");

fn parse(text: &str) -> Config {
    Config::parse("t", text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn mistakes(text: &str) -> String {
    Config::parse("t", text)
        .map(|_| ())
        .unwrap_err()
        .to_string()
}

fn same(a: &Config, b: &Config) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

/// The example with every key switched on.
fn uncommented() -> String {
    let lines = EXAMPLE.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_lowercase()) => rest,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn nothing_is_the_default() {
    assert!(same(&parse(""), &Config::default()));
    assert!(same(
        &parse(
            "[net]\n[kaillera]\n[access]\n[texts]\n[link]\n[limits]\n[tcp]\n[http]\n[maple]\n[gateway]\n[packet_log]\n[minecraft]\n[lists]\n[webhook]\n[shutdown]\n[trivia]\n[updates]\n[log]\n"
        ),
        &Config::default()
    ));
}

#[test]
fn the_example_is_the_default() {
    assert!(same(&parse(EXAMPLE), &Config::default()));
    let mut all = parse(&uncommented());
    assert_eq!(all.net.announced_port.take(), Some(all.net.port));
    assert_eq!(std::mem::take(&mut all.log.filter), "info");
    assert!(same(&all, &Config::default()));
}

#[test]
fn the_example_has_every_key() {
    let text = uncommented();
    let mut known = Document::parse("t", "").unwrap();
    keys::read(&mut known, &mut Config::default());
    let root = toml::de::DeTable::parse(&text).unwrap().into_inner();
    let names = || {
        known
            .known()
            .iter()
            .filter(|known| known.key != KeyName::ANY)
    };
    for key in names() {
        let section = root
            .get(key.section)
            .and_then(|section| section.get_ref().as_table());
        assert!(
            section.is_some_and(|section| section.get(key.key).is_some()),
            "{key:?}"
        );
    }
    let count: usize = root
        .values()
        .map(|value| value.get_ref().as_table().unwrap().len())
        .sum();
    assert_eq!(count, names().count());
}

#[test]
fn every_key_arrives() {
    let config = parse(
        r#"
        [net]
        bind = ["192.0.2.1", "::1", "192.0.2.1"]
        port = 1
        announced_port = 2
        loops = 3
        workers = 4
        answer_wrong_version = true
        [kaillera]
        max_users = 5
        max_games = 6
        max_ping_ms = 7
        keepalive_timeout_s = 8
        idle_timeout_s = 9
        ready_timeout_s = 10
        chat_flood_s = 11
        create_game_flood_s = 12
        allowed_connection_types = [1, 6]
        allow_multiple_connections = false
        allow_single_player = false
        room_capacity = 13
        quiet_games_above = 14
        switch_status_bytes = true
        max_chat_length = 15
        max_game_chat_length = 16
        max_game_data_length = 300
        max_quit_message_length = 17
        max_user_name_length = 18
        max_client_name_length = 19
        max_game_name_length = 20
        charset = "Windows-1251"
        language = "ru"
        welcome = ["Привет", ""]
        room_welcome = ["Да"]
         word_filter = ["Darn"]
        shadow_mute = false
        [access]
        rules = ["user,ADMIN,192.0.2.1", "silence,hi"]
        file = "access.cfg"
        state = "state.json"
        [texts]
        ChatAction.ChatDenied = "one"
        "Lagstat.LagstatReset" = "two"
        e = "three"
        [link]
        login_timeout_s = 21
        first_keepalive_s = 61
        desync_after_s = 22
        drop_after_s = 23
        [limits]
        sessions = 24
        sessions_per_address = 62
        sessions_per_network = 63
        half_open = 25
        half_open_per_address = 26
        hello_per_second_per_address = 27
        inbox = 28
        backlog = 29_000
        frames_in = 1_000
        frames_out = 0x400
        [games]
        lagstat_duration_s = 30
        autofire_sensitivity = 3
        drop_stalled = false
        choose_delay = false
        passwords = false
        watching = false
        watcher_number = "zero"
        come_back = true
        replay = 31_000
        replay_total = 32_000
        [tcp]
        enabled = false
        connections = 32
        connections_per_address = 33
        sniff_delay_ms = 34
        handshake_timeout_s = 35
        idle_timeout_s = 36
        stall_timeout_s = 37
        connect_timeout_s = 65
        low_mark = 38
        high_mark = 5_000
        hard_cap = 100_000
        [http]
        on_shared_port = false
        metrics_to_all = true
        listen = ["127.0.0.1:39", "[::1]:40", "127.0.0.1:39"]
        [maple]
        region = "KMS"
        version = 95
        patch = "2"
        iv_policy = "fixed"
        max_packet = 1041
        keystreams_ahead = 42
        keystream_bytes = 43
        select_result = 44
        select_by_vac_result = 45
        migrate_command = 46
        migrate_in = 47
        ping = 48
        pong = 49
        [gateway]
        login = "127.0.0.1:50"
        channels = ["10.0.0.1:51-52 => 10.0.0.2"]
        on_shared_port = false
        listen = ["127.0.0.1:53 => 192.0.2.53:54", "127.0.0.1:53"]
        public_address = "192.0.2.54"
        close_unrouted = true
        any_client = true
        undecided_per_address = 55
        undecided_timeout_s = 56
        idle_timeout_s = 57
        packets_per_second = 58
        bytes_per_second = 59
        allow_opcodes = [60]
        deny_opcodes = [61]
        source_per_client = true
        proxy_protocol = true
        [packet_log]
        file = "62"
        form = "text"
        max_bytes = 65536
        keep = 63
        clients = ["192.0.2.64"]
        secrets = true
        [lists]
        server_name = "65"
        server_location = "66"
        server_website = "http://example.net/67"
        server_address = "192.0.2.68"
        emulinker = true
        kaillera = true
        emulinker_url = "http://example.net/69"
        kaillera_url = "https://example.net/70"
        [webhook]
        urls = ["https://example.net/71"]
        opened = "72"
        started = "{game}"
        closed = ""
        delay_s = 73
        suppress = ["74"]
        [shutdown]
        drain_s = 75
        [trivia]
        questions = "76"
        scores = "77"
        [updates]
        url = "http://79/"
        [log]
        filter = "debug"
        console = false
        file = "78"
        addresses = "full"
        chat = true
        game_chat = true
        "#,
    );
    let seconds = Duration::from_secs;
    let texts = [
        ("ChatAction.ChatDenied", "one"),
        ("Lagstat.LagstatReset", "two"),
        ("e", "three"),
    ];
    let mut own_texts = OperatorTexts::default();
    for (key, text) in texts {
        _ = own_texts.set(key, text);
    }
    let own = ["user,ADMIN,192.0.2.1", "silence,hi"];
    let access_rules = crate::access::Rules::from_lines((1..).zip(own));
    let expected = Config {
        net: Net {
            bind: vec!["192.0.2.1".parse().unwrap(), "::1".parse().unwrap()],
            port: 1,
            announced_port: Some(2),
            loops: 3,
            workers: 4,
            answer_wrong_version: true,
        },
        rules: Rules {
            max_users: 5,
            max_games: 6,
            max_ping: Duration::from_millis(7),
            keepalive_timeout: seconds(8),
            idle_timeout: seconds(9),
            ready_timeout: seconds(10),
            chat_flood: seconds(11),
            create_game_flood: seconds(12),
            allowed_connection_types: ConnectionTypes([true, false, false, false, false, true]),
            allow_multiple_connections: false,
            allow_single_player: false,
            room_capacity: 13,
            quiet_games_above: 14,
            switch_status_bytes: true,
            max_chat_length: 15,
            max_game_chat_length: 16,
            max_game_data_length: 300,
            max_quit_message_length: 17,
            max_user_name_length: 18,
            max_client_name_length: 19,
            max_game_name_length: 20,
            lag_window: seconds(30),
            autofire: Sensitivity::new(3).unwrap(),
            drop_stalled: false,
            choose_delay: false,
            passwords: false,
            shadow_mute: false,
            watching: false,
            watcher_number: WatcherNumber::Zero,
            come_back: true,
            charset: WINDOWS_1251,
            language: Language::Russian,
            texts: own_texts,
            welcome: vec!["Привет".to_owned(), String::new()],
            word_filter: WordFilter::new(["darn"]),
            room_welcome: vec!["Да".to_owned()],
            posts: None,
        },
        access: Access {
            own: own.map(str::to_owned).to_vec(),
            file: Some("access.cfg".into()),
            state: Some("state.json".into()),
            rules: Arc::new(access_rules.rules),
        },
        texts: texts
            .map(|(key, text)| (key.to_owned(), text.to_owned()))
            .into(),
        link: Link {
            login_timeout: seconds(21),
            first_keepalive: seconds(61),
            desync_after: seconds(22),
            drop_after: seconds(23),
        },
        limits: Limits {
            sessions: 24,
            sessions_per_address: 62,
            sessions_per_network: 63,
            half_open: 25,
            half_open_per_address: 26,
            hello_per_second_per_address: 27,
            inbox: 28,
            backlog: 29_000,
            frames_in: 1000,
            frames_out: 1024,
            replay: 31_000,
            replay_total: 32_000,
        },
        tcp: Tcp {
            enabled: false,
            settings: TcpSettings {
                connections: 32,
                connections_per_address: 33,
                sniff_delay: Duration::from_millis(34),
                handshake_timeout: seconds(35),
                idle_timeout: seconds(36),
                stall_timeout: seconds(37),
                connect_timeout: seconds(65),
                low_mark: 38,
                high_mark: 5_000,
                hard_cap: 100_000,
                ..TcpSettings::default()
            },
        },
        http: Http {
            on_shared_port: false,
            metrics_to_all: true,
            listen: vec!["127.0.0.1:39".parse().unwrap(), "[::1]:40".parse().unwrap()],
        },
        maple: Maple {
            profile: Profile::find(Region::Kms, 95).unwrap(),
            patch: "2".to_owned(),
            iv_policy: IvPolicy::Fixed,
            longest: 1041,
            lookahead: Lookahead {
                packets: 42,
                bytes: 43,
            },
            opcodes: Opcodes {
                select_result: Some(44),
                select_by_vac_result: Some(45),
                migrate_command: Some(46),
                ping: Some(48),
                login: Some(1),
                migrate_in: Some(47),
                pong: Some(49),
            },
        },
        gateway: Gateway {
            login: Some("127.0.0.1:50".parse().unwrap()),
            channels: vec!["10.0.0.1:51-52 => 10.0.0.2".parse().unwrap()],
            on_shared_port: false,
            listen: vec![
                Listener {
                    address: "127.0.0.1:53".parse().unwrap(),
                    public: Some(Public {
                        address: Advertise::Address([192, 0, 2, 53].into()),
                        port: Some(54),
                    }),
                },
                "127.0.0.1:53".parse().unwrap(),
            ],
            advertise: Advertise::Address([192, 0, 2, 54].into()),
            close_unrouted: true,
            any_client: true,
            undecided_per_address: 55,
            undecided_timeout: seconds(56),
            idle_timeout: seconds(57),
            rate: Rate {
                packets: 58,
                bytes: 59,
            },
            allow_opcodes: vec![60],
            deny_opcodes: vec![61],
            source_per_client: true,
            proxy_protocol: true,
        },
        packet_log: Some(packet_log::Settings {
            path: "62".into(),
            form: packet_log::Form::Text,
            max_bytes: 65_536,
            keep: 63,
            clients: vec!["192.0.2.64".parse().unwrap()],
            secrets: true,
        }),
        minecraft: Minecraft::default(),
        lists: Lists {
            server_name: "65".to_owned(),
            server_location: "66".to_owned(),
            server_website: "http://example.net/67".to_owned(),
            server_address: "192.0.2.68".to_owned(),
            emulinker: true,
            kaillera: true,
            emulinker_url: "http://example.net/69".to_owned(),
            kaillera_url: "https://example.net/70".to_owned(),
            first: seconds(10),
            every: seconds(60),
        },
        web_hook: WebHook {
            urls: vec!["https://example.net/71".to_owned()],
            opened: "72".to_owned(),
            started: "{game}".to_owned(),
            closed: String::new(),
            delay: seconds(73),
            suppress: vec!["74".to_owned()],
        },
        drain: seconds(75),
        trivia: TriviaPaths {
            questions: "76".into(),
            scores: "77".into(),
        },
        log: Log {
            filter: "debug".to_owned(),
            console: false,
            file: Some("78".into()),
            privacy: Privacy {
                addresses: Addresses::Full,
                chat: true,
                game_chat: true,
            },
        },
        updates: Some("http://79/".to_owned()),
        notices: vec![
            format!("access.rules: {}", access_rules.mistakes[0]),
            "texts.e is unknown".to_owned(),
        ],
        left_out: Vec::new(),
        files: Vec::new(),
    };
    assert_eq!(format!("{config:#?}"), format!("{expected:#?}"));
}

#[test]
fn sections_may_be_written_in_any_toml() {
    assert_eq!(parse("net.port = 7").net.port, 7);
    assert_eq!(parse("net = { port = 7 }").net.port, 7);
    assert_eq!(parse("\u{feff}[net]\r\nport = 7\r\n").net.port, 7);
    assert_eq!(
        parse("[kaillera]\ncharset = 'shift_jis'").rules.charset,
        SHIFT_JIS
    );
}

#[test]
fn mistakes_are_told_exactly() {
    let long = format!(
        "[kaillera]\nwelcome = [\n  \"fine\",\n  \"{}\",\n]",
        "x".repeat(256)
    );
    let long_told = format!(
        "t:4: kaillera.welcome = \"{}... is not accepted; valid: a line of at most 255 bytes in \
         windows-1252, without control characters",
        "x".repeat(39),
    );
    let cases = [
        // Syntax.
        (
            "[net\nport = 1",
            "t:1: not TOML: unclosed table, expected `]`",
        ),
        (
            "[net]\n\nport 1",
            "t:3: not TOML: key with no value, expected `=`",
        ),
        (
            "[net]\nport = 1\nport = 2",
            "t:3: not TOML: duplicate key, at `port`",
        ),
        // Names.
        (
            "[nett]\nport = 1",
            "t:1: [nett] is unknown; valid: [net], [kaillera], [access], [texts], [link], [limits], [games], [tcp], [http], [maple], [gateway], [packet_log], [minecraft], [lists], [webhook], [shutdown], [trivia], [updates], [log]",
        ),
        ("\nport = 1", "t:2: port is unknown; did you mean net.port?"),
        (
            "colour = 1",
            "t:1: colour is unknown; valid: [net], [kaillera], [access], [texts], [link], [limits], [games], [tcp], [http], [maple], [gateway], [packet_log], [minecraft], [lists], [webhook], [shutdown], [trivia], [updates], [log]",
        ),
        (
            "[net]\ncolour = 1",
            "t:2: net.colour is unknown; valid: bind, port, announced_port, loops, workers, answer_wrong_version",
        ),
        (
            "[link]\nmax_ping = 1",
            "t:2: link.max_ping is unknown; did you mean kaillera.max_ping_ms?",
        ),
        (
            "[kaillera]\nmaxGames = 1",
            "t:2: kaillera.maxGames is unknown; did you mean kaillera.max_games?",
        ),
        (
            "[link]\n\"a\\nb\" = 1",
            "t:2: link.a\\nb is unknown; valid: login_timeout_s, first_keepalive_s, desync_after_s, drop_after_s",
        ),
        // Types.
        (
            "log = 1",
            "t:1: log = 1 is an integer; valid: a section, [log]",
        ),
        (
            "[[net]]\nport = 1",
            "t:1: net = [[net]] is a list; valid: a section, [net]",
        ),
        (
            "[net]\nport = \"x\"",
            "t:2: net.port = \"x\" is a text; valid: an integer, 0 to 65535 (port; 0 is any free one)",
        ),
        (
            "[net]\nport = 1.5",
            "t:2: net.port = 1.5 is a fraction; valid: an integer, 0 to 65535 (port; 0 is any free one)",
        ),
        (
            "[net]\nbind = \"::\"",
            "t:2: net.bind = \"::\" is a text; valid: a list in brackets, 1 to 16 addresses",
        ),
        (
            "[net]\nanswer_wrong_version = 1",
            "t:2: net.answer_wrong_version = 1 is an integer; valid: true or false",
        ),
        (
            "[kaillera]\ncharset = 1979-05-27",
            "t:2: kaillera.charset = 1979-05-27 is a date or time; valid: a text in quotes, windows-1252, windows-1251, GBK, Shift_JIS, x-IBM949, UTF-8, or another that has ASCII in it, by its name in Java or in HTML",
        ),
        (
            "[kaillera]\nwelcome = [\n  \"a\",\n  true,\n]",
            "t:4: kaillera.welcome = true is true or false; valid: a text in quotes, a line of at most 255 bytes in windows-1252, without control characters",
        ),
        // Ranges.
        (
            "\n\n[kaillera]\nmax_ping_ms = 5000",
            "t:4: kaillera.max_ping_ms = 5000 is out of range; valid: 1 to 1000 (milliseconds)",
        ),
        (
            "[net]\nport = -1",
            "t:2: net.port = -1 is out of range; valid: 0 to 65535 (port; 0 is any free one)",
        ),
        (
            "[limits]\ninbox = 99999999999999999999999",
            "t:2: limits.inbox = 99999999999999999999999 is out of range; valid: 16 to 4096 (messages)",
        ),
        (
            "[net]\nbind = []",
            "t:2: net.bind = [] is out of range; valid: 1 to 16 addresses",
        ),
        (
            "[kaillera]\nallowed_connection_types = [1, 0]",
            "t:2: kaillera.allowed_connection_types = 0 is out of range; valid: 1 to 6 (connection types)",
        ),
        // Texts.
        (
            "[lists]\nserver_website = \"example.net\"",
            "t:2: lists.server_website = \"example.net\" is not accepted; valid: an address of the web of at most 100 characters, or \"\"",
        ),
        (
            "[lists]\nserver_address = \"192.0.2.1:27888\"",
            "t:2: lists.server_address = \"192.0.2.1:27888\" is not accepted; valid: an IPv4 address or a host's name, without a port, or \"\"",
        ),
        (
            "[lists]\nserver_name = \" \"",
            "t:2: lists.server_name = \" \" is not accepted; valid: 1 to 100 characters without control characters",
        ),
        (
            "[lists]\nkaillera_url = \"ftp://example.net/\"",
            "t:2: lists.kaillera_url = \"ftp://example.net/\" is not accepted; valid: an address that begins with http:// or https://",
        ),
        (
            "[webhook]\nclosed = \"{user} left\"",
            "t:2: webhook.closed = \"{user} left\" is not accepted; valid: at most 500 characters, in which braces hold {owner}, {game}, {emulator}, {server} and {address}; \"\" is nothing",
        ),
        (
            "[webhook]\nurls = [\"https://a/\"]\nopened = \"\"",
            "t:3: webhook.opened = \"\" is out of range; valid: a text: what is not told to open is not told to start or close",
        ),
        (
            "[net]\nbind = [\"::1\", \"localhost\"]",
            "t:2: net.bind = \"localhost\" is not accepted; valid: an IPv4 or IPv6 address such as \"0.0.0.0\" or \"::\"",
        ),
        (
            "[kaillera]\nlanguage = \"de\"",
            "t:2: kaillera.language = \"de\" is not accepted; valid: one of en, es, ja, ko, pt, ru, zh",
        ),
        (
            "[kaillera]\ncharset = \"utf-16\"",
            "t:2: kaillera.charset = \"utf-16\" is not accepted; valid: windows-1252, windows-1251, GBK, Shift_JIS, x-IBM949, UTF-8, or another that has ASCII in it, by its name in Java or in HTML",
        ),
        (
            "[log]\naddresses = \"short\"",
            "t:2: log.addresses = \"short\" is not accepted; valid: \"shortened\", \"full\" or \"hidden\"",
        ),
        (
            "[updates]\nurl = \"example.net\"",
            "t:2: updates.url = \"example.net\" is not accepted; valid: an address that begins with http:// or https://, or \"\"",
        ),
        (
            "[log]\nfilter = \"inof\"",
            "t:2: log.filter = \"inof\" is not accepted; valid: off, error, warn, info, debug or trace, or target=level, several separated by commas",
        ),
        (&long, &long_told),
        // Keys that contradict each other.
        (
            "[kaillera]\nmax_users = 5000",
            "t:2: kaillera.max_users = 5000 is out of range; valid: at most limits.sessions, which is 4096",
        ),
        (
            "[link]\ndesync_after_s = 90",
            "t:2: link.desync_after_s = 90 is out of range; valid: at most link.drop_after_s, which is 60",
        ),
        (
            "[link]\ndrop_after_s = 5",
            "t:2: link.drop_after_s = 5 is out of range; valid: at least link.desync_after_s, which is 12",
        ),
        (
            "[tcp]\nlow_mark = 300000",
            "t:2: tcp.low_mark = 300000 is out of range; valid: at most tcp.high_mark, which is 262144",
        ),
        (
            "[tcp]\nhigh_mark = 5000",
            "t:2: tcp.high_mark = 5000 is out of range; valid: at least tcp.low_mark, which is 65536",
        ),
        (
            "[tcp]\nhard_cap = 300000",
            "t:2: tcp.hard_cap = 300000 is out of range; valid: at least 329728, which is tcp.high_mark and a message",
        ),
        (
            "[tcp]\nhigh_mark = 1000000",
            "t:2: tcp.high_mark = 1000000 is out of range; valid: at most 980992, which is tcp.hard_cap without a message",
        ),
        (
            "[http]\nlisten = [\"9100\"]",
            "t:2: http.listen = \"9100\" is not accepted; valid: an address with a port such as \"127.0.0.1:9100\" or \"[::1]:9100\"",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(mistakes(text), expected, "{text}");
    }
}

#[test]
fn all_mistakes_are_told_by_line() {
    let text = "[link]\ndrop_after_s = 0\n[kaillera]\nmax_users = 70000\nwelcome = [1, \"a\\u0000\"]\n\
        [limits]\nsessions = 10\nframes = 1\n[net]\nport = true\n";
    let errors = Config::parse("t", text).map(|_| ()).unwrap_err();
    let told: Vec<_> = errors
        .iter()
        .map(|error| (error.line.unwrap(), error.key.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (2, "link.drop_after_s"),
            (4, "kaillera.max_users"),
            (5, "kaillera.welcome"),
            (5, "kaillera.welcome"),
            (8, "limits.frames"),
            (10, "net.port"),
        ],
        "{errors}"
    );
}

#[test]
fn a_wrong_charset_does_not_blame_the_welcome() {
    let text = "[kaillera]\ncharset = \"klingon\"\nwelcome = [\"Привет\"]";
    assert_eq!(Config::parse("t", text).unwrap_err().iter().count(), 1);
}

#[test]
fn files_that_cannot_be_read() {
    let error = Config::load(Path::new("no/such.toml")).unwrap_err();
    assert_eq!(error.to_string(), "no/such.toml: no such file");
    let error = Config::load(Path::new(env!("CARGO_MANIFEST_DIR")))
        .unwrap_err()
        .to_string();
    assert!(error.contains(": cannot be read: "), "{error}");
}

#[test]
fn warnings() {
    assert!(Config::default().warnings().is_empty());
    let config = parse("[kaillera]\ncharset = \"UTF-8\"\nkeepalive_timeout_s = 129");
    assert_eq!(config.warnings().len(), 2);
    let config = parse("[lists]\nkaillera = true\nserver_address = \"play.example\"");
    assert_eq!(config.warnings().len(), 1);
    let config = parse("[lists]\nkaillera = true\nserver_address = \"192.0.2.1\"");
    assert!(config.warnings().is_empty());
    let warnings = |charset: &str, language: &str| {
        let text = format!("[kaillera]\ncharset = \"{charset}\"\nlanguage = \"{language}\"");
        parse(&text).warnings().len()
    };
    assert_eq!(warnings("windows-1252", "ja"), 1);
    assert_eq!(warnings("Shift_JIS", "ja"), 0);
    assert_eq!(warnings("GBK", "pt-BR"), 1);
}

#[test]
fn log_filters() {
    for good in [
        "info",
        "OFF",
        "warn,samara::lobby=debug",
        " error , samara = trace ",
    ] {
        assert!(is_log_filter(good), "{good}");
    }
    for bad in [
        "",
        "inof",
        "samara",
        "info,",
        "samara=",
        "=info",
        "samara=loud",
        "a=b=info",
        "info/x",
    ] {
        assert!(!is_log_filter(bad), "{bad}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_are_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
        _ = Config::parse("t", &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_damaged_file_is_an_answer(
        edits in prop::collection::vec((any::<Index>(), "[\\[\\]{}=\"'#.,\\n\\\\a-z0-9\u{e9}]{0,3}", 0..4usize), 1..8)
    ) {
        let mut text: Vec<char> = uncommented().chars().collect();
        for (at, insert, remove) in edits {
            let at = at.index(text.len());
            let end = (at + remove).min(text.len());
            text.splice(at..end, insert.chars());
        }
        let text: String = text.into_iter().collect();
        if let Err(errors) = Config::parse("t", &text) {
            let lines = text.lines().count();
            prop_assert!(errors.iter().all(|error| (1..=lines + 1).contains(&error.line.unwrap())));
        }
    }

    #[test]
    fn a_range_is_kept_to_the_number(value in prop_oneof![any::<i64>(), -5..70_000i64]) {
        let text = format!("[kaillera]\nmax_ping_ms = {value}\nmax_users = {value}\n");
        let config = Config::parse("t", &format!("{text}[limits]\nsessions = 65535"));
        let wrong = config.map_or_else(|errors| errors.iter().count(), |_| 0);
        let ranges = [1..=1000, 0..=65_535];
        let expected = ranges.iter().filter(|range| !range.contains(&value)).count();
        prop_assert_eq!(wrong, expected);
    }
}

#[test]
fn a_gateway_needs_to_know_its_version() {
    let unknown = "[maple]\nversion = 75\n[gateway]\nlogin = \"127.0.0.1:8484\"\n";
    let told = mistakes(unknown);
    assert!(told.contains("t:4: gateway.login"), "{told}");
    let opcodes = "[maple]\nversion = 75\nmigrate_in = 20\nselect_result = 12\n[gateway]\nlogin = \"127.0.0.1:8484\"\n";
    assert_eq!(parse(opcodes).maple.profile.version, 75);
    let told = mistakes("[maple]\nversion = 133\n");
    assert!(told.contains("t:2: maple.version"), "{told}");
}
