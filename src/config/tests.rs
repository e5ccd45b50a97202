mod arrival;
mod mistakes;

use super::{document::KeyName, *};
use encoding_rs::SHIFT_JIS;
use proptest::{prelude::*, sample::Index};

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
