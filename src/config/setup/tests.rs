use super::*;
use proptest::prelude::*;
use std::fs;

const SHIPPED: &str = include_str!("../../../tests/data/emulinker/conf/emulinker.cfg");
const EXAMPLE: &str = include_str!("../../../tools/samara.example.toml");

/// A directory that is gone at the end of its test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir();
        let directory = Self(path.join(format!("samara-setup-{name}-{}", std::process::id())));
        fs::create_dir_all(&directory.0).unwrap();
        directory
    }

    fn emulinker(name: &str, cfg: &[u8]) -> (Self, Target) {
        let directory = Self::new(name);
        fs::write(directory.0.join("emulinker.cfg"), cfg).unwrap();
        let target = Target::Emulinker(directory.0.clone());
        (directory, target)
    }

    fn native(name: &str, text: &str) -> (Self, Target) {
        let directory = Self::new(name);
        let path = directory.0.join("samara.toml");
        fs::write(&path, text).unwrap();
        (directory, Target::Native(path))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// What comes of it, and what was said.
fn talk(target: &Target, input: &str) -> (Result<Outcome, SetupError>, String) {
    let mut output = Vec::new();
    let outcome = setup(target, &mut input.as_bytes(), &mut output);
    (outcome, String::from_utf8(output).unwrap())
}

fn is_written(target: &Target, input: &str) -> String {
    let (outcome, told) = talk(target, input);
    assert_eq!(outcome.unwrap(), Outcome::Written(target.file()), "{told}");
    told
}

fn questions(told: &str) -> usize {
    let prompts = Question::ALL.map(Question::prompt);
    let asked = prompts.iter().filter(|prompt| told.contains(**prompt));
    asked.count()
}

/// The lines of `after` that `before` does not have.
fn new_lines<'t>(before: &str, after: &'t str) -> Vec<&'t str> {
    let is_new = |line: &&str| !before.lines().any(|it| it == *line);
    after.lines().filter(is_new).collect()
}

#[test]
fn a_shipped_file_is_asked_what_is_blank() {
    let (_directory, target) = Directory::emulinker("shipped", SHIPPED.as_bytes());
    let told = is_written(&target, "Caf\u{e9}, first \u{8868}\nOslo\nja\n\n");
    assert_eq!(questions(&told), 4, "{told}");
    assert!(
        told.contains("character set of its players [Shift_JIS]: "),
        "{told}"
    );
    let after = emulinker::decode(&fs::read(target.file()).unwrap());
    assert_eq!(
        new_lines(SHIPPED, &after),
        [
            "emulinker.charset=Shift_JIS",
            "emulinker.language=ja",
            "masterList.serverName=Caf\u{e9}\\, first \\u8868",
            "masterList.serverLocation=Oslo",
        ]
    );
    assert_eq!(after.lines().count(), SHIPPED.lines().count());
    let again = talk(&target, "");
    assert_eq!(again.0.unwrap(), Outcome::Complete);
    assert_eq!(again.1, "");
}

#[test]
fn only_what_is_new_is_asked_after_an_upgrade() {
    let cfg = b"# caf\xE9\r\ngame.bufferSize=1\r\nmasterList.serverName = Ours\r\n\
        masterList.serverLocation=Oslo\r\nemulinker.language=es\r\n\
        masterList.touchKaillera=true\r\nemulinker.charset=";
    let (_directory, target) = Directory::emulinker("upgrade", cfg);
    let told = is_written(&target, "\nYES\n");
    assert_eq!(questions(&told), 2, "{told}");
    let expected = [
        cfg,
        &b"Windows-1252\r\nmasterList.touchEmulinker=true\r\n"[..],
    ];
    assert_eq!(fs::read(target.file()).unwrap(), expected.concat());
}

#[test]
fn an_answer_that_is_not_accepted_is_asked_again() {
    let (_directory, target) = Directory::native("again", "");
    let long = "x".repeat(5000);
    let input = format!("tab\there\n{long}\nOurs\n\ntlh\ncustom\nKO\nklingon\n\nperhaps\ny\nno\n");
    let told = is_written(&target, &input);
    assert_eq!(
        told.matches("This is not accepted; valid: ").count(),
        6,
        "{told}"
    );
    assert!(told.contains("valid: yes or no\n"), "{told}");
    assert!(
        told.contains("valid: en, es, ja, ko, pt, ru, zh\n"),
        "{told}"
    );
    let after = fs::read_to_string(target.file()).unwrap();
    assert_eq!(
        after,
        "[lists]\nserver_name = \"Ours\"\nkaillera = true\nemulinker = false\n\n\
         [kaillera]\nlanguage = \"ko\"\ncharset = \"x-IBM949\"\n"
    );
    // An empty line left the location out, so it is asked again, and it alone.
    let told = is_written(&target, "Seoul");
    assert_eq!(questions(&told), 1, "{told}");
}

#[test]
fn the_end_of_the_input_writes_nothing() {
    for (target, before) in [
        Directory::emulinker("end", SHIPPED.as_bytes()),
        Directory::native("end-native", "# mine\n"),
    ]
    .map(|(directory, target)| {
        (
            (directory, target.clone()),
            fs::read(target.file()).unwrap(),
        )
    }) {
        let (_directory, target) = target;
        for input in ["", "Ours\n", "Ours\nOslo\nen\n"] {
            let (outcome, _) = talk(&target, input);
            assert_eq!(outcome.unwrap(), Outcome::Ended);
            assert_eq!(fs::read(target.file()).unwrap(), before);
        }
        assert_eq!(
            fs::read_dir(target.file().parent().unwrap())
                .unwrap()
                .count(),
            1
        );
    }
}

#[test]
fn a_file_that_is_not_there_begins_with_a_word_about_itself() {
    let directory = Directory::new("none");
    let target = Target::Native(directory.0.join("samara.toml"));
    is_written(&target, "Ours\nOslo\n\n\n\n\n");
    let after = fs::read_to_string(target.file()).unwrap();
    assert!(after.starts_with(native::NEW), "{after}");
    let config = Config::load(&target.file()).unwrap();
    assert_eq!(config.lists.server_name, "Ours");
    assert_eq!(config.rules.charset, encoding_rs::WINDOWS_1252);

    let missing = Target::Emulinker(directory.0.join("conf"));
    let (outcome, _) = talk(&missing, "");
    let told = outcome.unwrap_err().to_string();
    assert!(told.ends_with("emulinker.cfg: no such file"), "{told}");
}

#[test]
fn comments_stay() {
    for (name, before) in [
        ("example", EXAMPLE),
        (
            "comments",
            "# one\n[net] # two\nport = 5 # three\n\n# four\n\n# five\n",
        ),
        (
            "blank",
            "[kaillera]\n# why\ncharset = \"\" # this\n\n[lists]\nserver_name = \"\" # that\n",
        ),
        (
            "dotted",
            "lists.kaillera = true # one\nkaillera.language = \"ja\"\n# two\n",
        ),
        ("inline", "lists = { kaillera = true } # one\n"),
    ] {
        let (_directory, target) = Directory::native(name, before);
        is_written(&target, "Ours\nOslo\n\n\n\n\n");
        let after = fs::read_to_string(target.file()).unwrap();
        let mut rest = &*after;
        for comment in before
            .lines()
            .filter_map(|line| line.find('#').map(|at| &line[at..]))
        {
            let at = rest.find(comment);
            let at = at.unwrap_or_else(|| panic!("{comment:?} is not where it was in {after}"));
            rest = &rest[at + comment.len()..];
        }
        let config = Config::parse(name, &after).unwrap();
        assert_eq!(config.lists.server_location, "Oslo", "{after}");
    }
}

#[test]
fn a_file_with_mistakes_is_left_alone() {
    let (_directory, target) = Directory::native("mistakes", "[net]\nport = 70000\n");
    let (outcome, told) = talk(&target, "Ours\n");
    let mistakes = outcome.unwrap_err().to_string();
    assert!(
        mistakes.contains("samara.toml:2: net.port = 70000"),
        "{mistakes}"
    );
    assert_eq!(told, "");

    let (_directory, target) = Directory::emulinker("mistakes-cfg", b"game.bufferSize=x\n");
    let mistakes = talk(&target, "").0.unwrap_err().to_string();
    assert!(
        mistakes.contains("emulinker.cfg:1: game.bufferSize"),
        "{mistakes}"
    );

    // The greeting cannot be sent in the character set that is chosen.
    let text = "[kaillera]\nwelcome = [\"\u{e9}\"]\n";
    let (_directory, target) = Directory::native("greeting", text);
    let outcome = talk(&target, "\n\n\nwindows-1251\n\n\n").0;
    let mistakes = outcome.unwrap_err().to_string();
    assert!(
        mistakes.contains("samara.toml:2: kaillera.welcome"),
        "{mistakes}"
    );
    assert_eq!(fs::read_to_string(target.file()).unwrap(), text);
}

#[test]
fn a_line_that_goes_on_is_not_torn_apart() {
    let cfg = b"game.bufferSize=1\nmasterList.serverName=\\\n   \nmasterList.serverLocation=a\n\
        emulinker.language=en\nemulinker.charset=GBK\nmasterList.touchKaillera=no\n\
        masterList.touchEmulinker=no\n";
    let (_directory, target) = Directory::emulinker("goes-on", cfg);
    is_written(&target, "Ours\n");
    let config = fs::read(target.file()).unwrap();
    assert_eq!(emulinker::known(&emulinker::decode(&config)).len(), 6);

    let (_directory, target) = Directory::emulinker("open-end", b"game.bufferSize=1\nx=\\");
    let outcome = talk(&target, "Ours\n\n\n\n\n\n").0;
    let told = outcome.unwrap_err().to_string();
    assert!(told.contains("the answers have no place here"), "{told}");
}

proptest! {
    #[test]
    fn any_name_is_read_as_it_was_given(
        name in r"([ ${}a\\,=:#!\u{e9}\u{8868}\u{1F600}]|\PC){1,40}",
        before in r"(# x\n|a=1\r\n|\r|masterList\.serverName=( |\t)?(\r?\n)|b=\\\n c\n){0,6}",
    ) {
        prop_assume!(!name.trim().is_empty());
        let name = name.trim().to_owned();
        prop_assume!(Question::Name.accept(&name, true).is_some() && name != "Not Set");
        let answers = Answers::from([(Question::Name, name.clone())]);
        let read = |text: &str| emulinker::known(text).get(&Question::Name).cloned();
        let after = emulinker::with(&before, &answers);
        let bytes = emulinker::encode(&after);
        prop_assert_eq!(read(&emulinker::decode(&bytes)), Some(name.clone()));
        prop_assert!(after.lines().count() <= before.lines().count() + 1);
        let after = native::with("[net]\nport = 1 # x\n", &answers).unwrap();
        prop_assert_eq!(native::known(&after), answers);
    }
}
