use super::*;
use crate::config::Config;

fn parse(text: &str) -> Minecraft {
    let text = format!("[minecraft]\n{text}");
    Config::parse("t", &text)
        .unwrap_or_else(|errors| panic!("{errors}"))
        .minecraft
}

fn mistakes(text: &str) -> String {
    let text = format!("[minecraft]\n{text}");
    Config::parse("t", &text).unwrap_err().to_string()
}

#[test]
fn every_key_arrives() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/favicon-key.png");
    let png = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x40\0\0\0\x40";
    std::fs::write(&path, png).unwrap();
    let favicon = path.display().to_string();
    let minecraft = parse(&format!(
        r#"
        on_shared_port = false
        listen = ["192.0.2.1:1", "192.0.2.1:1"]
        motd = "two\nlines"
        favicon = {favicon:?}
        upstream = "[2001:db8::1]:2"
        players = ["Ann", "Bob", "Ann"]
        clients = ["10.0.0.0/8"]
        sessions = 3
        reconnect = true
        away_limit_s = 4
        view_distance = 5
        anti_afk = true
        anti_afk_interval_s = 6
        anti_afk_steps = true
        columns = 7
        column_bytes = 65536
        block_changes = 8
        partial_frames = 9
        entities = 10
        list_entries = 11
        live_bytes = 2097154
        "#
    ));
    std::fs::remove_file(&path).unwrap();
    let expected = Minecraft {
        on_shared_port: false,
        listen: vec!["192.0.2.1:1".parse().unwrap()],
        motd: "two\nlines".to_owned(),
        favicon: Some(Favicon::new(png).unwrap()),
        upstream: Some(Upstream {
            host: "2001:db8::1".to_owned(),
            port: 2,
        }),
        players: ["Ann", "Bob"].map(|it| LoginName::new(it).unwrap()).into(),
        clients: vec!["10.0.0.0/8".parse().unwrap()],
        sessions: 3,
        reconnect: true,
        away_limit: Duration::from_secs(4),
        view_distance: 5,
        anti_afk: true,
        moves: AntiAfk {
            interval: Duration::from_secs(6),
            steps: true,
        },
        limits: Limits {
            columns: 7,
            column_bytes: 65_536,
            block_changes: 8,
            partial_frames: 9,
            entities: 10,
            players: 11,
            live_bytes: 2_097_154,
            ..Limits::default()
        },
    };
    assert_eq!(format!("{minecraft:#?}"), format!("{expected:#?}"));
}

#[test]
fn mistakes_are_told_exactly() {
    let upstream =
        "valid: a server such as \"127.0.0.1:25566\" or \"mc.example.org:25565\", or \"\" for none";
    for value in [
        "host",
        "host:0",
        "host:65536",
        ":1",
        "[::1:2",
        "a b:1",
        "::1:2",
    ] {
        let expected = format!("t:2: minecraft.upstream = {value:?} is not accepted; {upstream}");
        assert_eq!(mistakes(&format!("upstream = {value:?}")), expected);
    }
    for (text, expected) in [
        (
            "upstream = \"127.0.0.1:1\"",
            "t:2: minecraft.upstream = \"127.0.0.1:1\" is out of range; valid: \"\", unless minecraft.players says who may play there",
        ),
        (
            "players = [\"a b\"]",
            "t:2: minecraft.players = \"a b\" is not accepted; valid: a name of 1 to 16 letters, digits and underscores",
        ),
        (
            "clients = [\"10.0.0.0/40\"]",
            "t:2: minecraft.clients = \"10.0.0.0/40\" is not accepted; valid: an address or a network such as \"192.168.0.0/16\"",
        ),
        (
            "favicon = \"no such file\"",
            "t:2: minecraft.favicon = \"no such file\" is not accepted; valid: the name of a PNG file of 64 by 64 points and at most 18 kB, or \"\"",
        ),
        (
            "motd = \"a\\nb\\nc\"",
            "t:2: minecraft.motd = \"a\\nb\\nc\" is not accepted; valid: a text of at most 512 characters, one or two lines",
        ),
        (
            "live_bytes = 2097153",
            "t:2: minecraft.live_bytes = 2097153 is out of range; valid: 2097154 to 268435456 (bytes)",
        ),
        (
            "sesions = 3",
            "t:2: minecraft.sesions is unknown; did you mean minecraft.sessions?",
        ),
    ] {
        assert_eq!(mistakes(text), expected, "{text}");
    }
}

#[test]
fn what_is_served_follows() {
    let settings = |text: &str| {
        let config = Config::parse("t", text).unwrap();
        config.minecraft_settings(Some(([127, 0, 0, 1], 2).into()))
    };
    assert!(settings("").unwrap().idle.is_none());
    assert!(settings("[tcp]\nenabled = false").is_none());
    assert!(settings("[minecraft]\non_shared_port = false").is_none());
    let text = "[minecraft]\nupstream = \"a:2\"\nplayers = [\"Ann\"]\nview_distance = 3";
    let idle = settings(text).unwrap().idle.unwrap();
    assert_eq!(idle.limits.columns, 81);
    assert_eq!((idle.away_limit, idle.anti_afk), (None, None));
    let summary = Config::parse("t", text).unwrap().summary().to_string();
    assert!(summary.contains("\n  minecraft    listed on port 27888\n"));
    assert!(summary.contains("\n  idle service 1 player at a, port 2\n"));
}
