use super::*;
use proptest::prelude::*;

fn config(text: &str) -> Properties {
    let (properties, faults) = Properties::parse(text, Dialect::Config);
    assert_eq!(faults, [], "{text:?}");
    properties
}

fn language(text: &str) -> Properties {
    let (properties, faults) = Properties::parse(text, Dialect::Language);
    assert_eq!(faults, [], "{text:?}");
    properties
}

/// Line, key and offending text of each fault.
fn faults(text: &str, dialect: Dialect) -> Vec<(usize, String, String)> {
    let (_, faults) = Properties::parse(text, dialect);
    let shown = faults.into_iter().map(|fault| match fault.problem {
        Problem::NotAccepted { value } => (fault.line, fault.key, value),
        problem => panic!("{problem:?}"),
    });
    shown.collect()
}

/// The rows of the table in kaillera-server.md 3.1 that are read as texts.
#[test]
fn the_table_of_texts() {
    for (text, expected) in [
        ("a=x", "x"),
        ("a: x", "x"),
        ("a x", "x"),
        (" a = x ", "x"),
        ("a=East Coast, USA", "East Coast"),
        ("a=East Coast\\, USA", "East Coast, USA"),
        ("a=", ""),
        ("a", ""),
        ("a=one\na=two", "one"),
        ("a=v # tail", "v # tail"),
        ("a=caf\\u00e9", "caf\u{e9}"),
        ("a=first\\\n   second", "firstsecond"),
        ("a=\\z", "z"),
        ("b=7\na=${b}0", "70"),
        // Not in the table.
        ("a=${b}0\nb=7", "70"),
        ("a = = x", "= x"),
        ("a\t:\tx", "x"),
        ("a=x\\t\\n\\r\\f\\\\", "x\t\n\r\x0c\\"),
        ("a=x\\\\", "x\\"),
        ("a=x\\\r\n\ty\r\n", "xy"),
        ("a=x\\   \n y", "xy"),
        ("a=x\\\n# comment\n\ny", "xy"),
        ("a=x\\", "x"),
        ("# a=1\n  ! a=2\n\ta=3", "3"),
        ("\u{feff}a=x", "x"),
        ("a=\\ud83d\\ude00!", "\u{1f600}!"),
        ("a=\\ud83dx\\ude00", "\u{fffd}x\u{fffd}"),
        ("a=\\ud83d\\u0041", "\u{fffd}A"),
        ("a=\\u20ac5", "\u{20ac}5"),
        ("a=${no.such.key}", "${no.such.key}"),
        ("a=${b", "${b"),
        ("a=$${b}\nb=1", "${b}"),
        ("a=${b}${c}\nb=1, 2\nc=${d}\nd=3", "13"),
        ("a=\\  x", "x"),
    ] {
        let properties = config(text);
        assert_eq!(properties.first("a").unwrap().first(), expected, "{text:?}");
    }
}

#[test]
fn the_table_of_lists() {
    for (text, expected) in [
        ("a=1, 2,3", &["1", "2", "3"][..]),
        ("a=", &[""]),
        ("a=1,,2,", &["1", "", "2", ""]),
        ("a= x\\, y , z", &["x, y", "z"]),
        ("a=1,\\\n 2", &["1", "2"]),
    ] {
        assert_eq!(
            config(text).first("a").unwrap().values,
            expected,
            "{text:?}"
        );
    }
}

#[test]
fn keys_may_have_escapes() {
    let properties = config("a\\ b\\:c\\=d = x\nA=1\na=2");
    let keys: Vec<_> = properties.iter().map(|it| (it.line, &*it.key)).collect();
    assert_eq!(keys, [(1, "a b:c=d"), (2, "A"), (3, "a")]);
}

#[test]
fn a_line_is_known_by_its_first() {
    let properties = config("\n# x\na=1\\\n 2\\\n 3\nb=4");
    let lines: Vec<_> = properties.iter().map(|it| (it.line, it.first())).collect();
    assert_eq!(lines, [(3, "123"), (6, "4")]);
}

#[test]
fn languages_have_commas_dollars_and_last_words() {
    let text = "a=x, y ${b}\nb=1\na=one, two\n";
    assert_eq!(language(text).last("a").unwrap().values, ["one, two"]);
    for (text, expected) in [
        ("a=x, ${b}", "x, ${b}"),
        ("a=\\ (off)", " (off)"),
        ("a=x\\ ", "x "),
        ("a=x  ", "x"),
        ("a=x\\\n# y", "x# y"),
        ("a=x\\\n\nb=y", "x"),
        ("a=It''s {0}", "It''s {0}"),
        ("a=\u{43f}\u{440}\u{438}", "\u{43f}\u{440}\u{438}"),
    ] {
        assert_eq!(
            language(text).last("a").unwrap().first(),
            expected,
            "{text:?}"
        );
    }
}

#[test]
fn a_bad_escape_is_named() {
    for dialect in [Dialect::Config, Dialect::Language] {
        for (text, excerpt) in [
            ("x=1\na=\\u12", "\\u12"),
            ("x=1\na=\\u12g4 z", "\\u12g4"),
            ("x=1\na=\\u+123", "\\u+123"),
            (
                "x=1\na=1\\\n\\u\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}",
                "\\u\u{e9}\u{e9}\u{e9}\u{e9}",
            ),
        ] {
            let expected = [(2, "a".to_owned(), excerpt.to_owned())];
            assert_eq!(faults(text, dialect), expected, "{text:?}");
        }
    }
}

#[test]
fn a_circle_is_named() {
    assert_eq!(
        faults("a=${b}\nb=x${a}\nc=1", Dialect::Config),
        [
            (1, "a".to_owned(), "${b}".to_owned()),
            (2, "b".to_owned(), "x${a}".to_owned())
        ]
    );
    assert_eq!(faults("a=${a}", Dialect::Config).len(), 1);
}

#[test]
fn values_made_of_values_are_bounded() {
    let chain = |length: usize| {
        let links = (0..length).map(|n| format!("k{n}=${{k{}}}\n", n + 1));
        links.collect::<String>() + &format!("k{length}=x\n")
    };
    assert_eq!(faults(&chain(30), Dialect::Config), []);
    assert!(!faults(&chain(10_000), Dialect::Config).is_empty());
    let doubling: String = (0..31)
        .map(|n| format!("k{n}=${{k{0}}}${{k{0}}}\n", n + 1))
        .collect();
    assert_eq!(faults(&format!("{doubling}k31=\n"), Dialect::Config), []);
    assert!(!faults(&format!("{doubling}k31=x\n"), Dialect::Config).is_empty());
}

#[test]
fn bytes_become_letters() {
    let latin: &[u8] = b"a=caf\xE9";
    assert_eq!(
        decode(latin, Dialect::Config),
        ("a=caf\u{e9}".into(), false)
    );
    assert_eq!(
        decode(latin, Dialect::Language),
        ("a=caf\u{e9}".into(), true)
    );
    let utf8 = "a=caf\u{e9}".as_bytes();
    assert_eq!(decode(utf8, Dialect::Config).0, "a=caf\u{c3}\u{a9}");
    assert_eq!(
        decode(utf8, Dialect::Language),
        ("a=caf\u{e9}".into(), false)
    );
    assert_eq!(decode(b"\x80", Dialect::Config).0, "\u{80}");
}

/// Writes a value so that it is read as it is.
fn escape(text: &str) -> String {
    text.encode_utf16()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect()
}

proptest! {
    #[test]
    fn any_value_can_be_written(value in "[^$]{0,20}") {
        let text = format!("a={}", escape(&value));
        let trimmed = value.trim_matches(|c| c <= ' ');
        let (config, language) = (config(&text), language(&text));
        prop_assert_eq!(config.first("a").unwrap().first(), trimmed);
        prop_assert_eq!(language.last("a").unwrap().first(), &value);
    }

    #[test]
    fn every_fault_has_a_line_of_the_text(text in "([ab=:, \\\\u0${}\n#\r\t]|\\$\\{a\\}){0,60}") {
        let lines = 1 + text.matches(['\n', '\r']).count();
        for dialect in [Dialect::Config, Dialect::Language] {
            let (properties, faults) = Properties::parse(&text, dialect);
            let numbers = properties.iter().map(|it| it.line);
            prop_assert!(numbers.clone().is_sorted());
            for line in numbers.chain(faults.iter().map(|it| it.line)) {
                prop_assert!((1..=lines).contains(&line));
            }
        }
    }
}
