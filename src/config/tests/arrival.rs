//! Every key, in its section, with a value that is not its default.

use super::*;
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
use encoding_rs::WINDOWS_1251;
use std::sync::Arc;

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
