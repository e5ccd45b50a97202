//! The operator's log of a running program (kaillera-server.md 6.5, 12.2, 15.12).

use crate::support::{Identity, Player, Program};
use samara::kaillera::message::ServerMessage;
use std::{
    fs,
    net::UdpSocket,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A directory with a configuration, gone at the end of its test.
struct Home(PathBuf);

impl Home {
    fn new(name: &str, text: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let home = Self(path.join(format!("journal-{name}-{}", std::process::id())));
        fs::create_dir_all(&home.0).unwrap();
        home.write(text);
        home
    }

    fn write(&self, text: &str) {
        fs::write(self.config(), text).unwrap();
    }

    fn config(&self) -> PathBuf {
        self.0.join("samara.toml")
    }

    fn serve(&self, filter: &str, options: &[&str]) -> Program {
        let config = self.config();
        let own = ["--config", config.to_str().unwrap()];
        Program::logging(filter, &[&own, options].concat())
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const ADMIN: &str = "[access]\nrules = [\"user,ADMIN,127.0.0.1\"]\n\
    [kaillera]\nchat_flood_s = 0\n";

/// What people say in this test, and nobody else.
const SECRETS: [&str; 5] = ["lobbyline", "roomline", "emoteline", "spoken", "farewell"];

fn talk(ann: &mut Player, bob: &mut Player) {
    ann.chat(b"lobbyline");
    ann.expect_message(&ServerMessage::Chat {
        name: b"Ann",
        text: b"lobbyline",
    });
    ann.chat(b"/me emoteline");
    ann.chat(b"/announce spoken");
    let game = ann.create(b"Game\x1b[0m");
    bob.join(game);
    for line in [&b"roomline"[..], b"\nDAroomline"] {
        ann.game_chat(line);
        bob.expect_message(&ServerMessage::GameChat {
            name: b"Ann",
            text: line,
        });
    }
}

#[test]
fn what_happens_is_logged_without_what_is_said_and_where_people_are() {
    let home = Home::new("private", ADMIN);
    let mut program = home.serve("debug", &[]);
    let mut ann = Player::log_in(program.address, &Identity::new("Ann"));
    let mut bob = Player::log_in(program.address, &Identity::new("Bob"));
    talk(&mut ann, &mut bob);
    ann.chat(format!("/silence {} 3 at 127.0.0.1", bob.id.0).as_bytes());
    bob.quit(b"farewell");
    let (one, two) = (ann.id.0, bob.id.0);
    for expected in [
        format!("login: \"Ann\" ({one}) from 127.0.0.0/24, "),
        format!("login: \"Bob\" ({two}) from 127.0.0.0/24, "),
        format!("command: \"Ann\" ({one}) /announce (a text)"),
        format!("room 1 \"Game\\u{{1b}}[0m\": opened by \"Ann\" ({one})"),
        format!("room 1 \"Game\\u{{1b}}[0m\": \"Bob\" ({two}) is in"),
        format!(
            "command: \"Ann\" ({one}) /silence \"{two} 3 at 127.0.0.0/24\", about \"Bob\" ({two})"
        ),
        format!("\"Bob\" ({two}) has left"),
        format!("quit: \"Bob\" ({two})"),
    ] {
        program.expect_log(&expected);
    }
    program.signal("TERM");
    assert_eq!(program.exit().code(), Some(0));
    program.expect_log("stopped");
    let own = |line: &&String| line.contains("listening on ");
    for line in program.logged.iter().filter(|line| !own(line)) {
        assert!(!line.contains("127.0.0.1"), "{line}");
        assert!(
            !SECRETS.iter().any(|secret| line.contains(secret)),
            "{line}"
        );
    }
    let start = |line: &&String| line.contains("Samara") && line.contains("version");
    assert_eq!(program.logged.iter().filter(start).count(), 1);
}

#[test]
fn what_is_said_is_logged_as_soon_as_it_is_switched_on() {
    let home = Home::new("open", ADMIN);
    let mut program = home.serve("info", &[]);
    let mut ann = Player::log_in(program.address, &Identity::new("Ann"));
    program.expect_log("from 127.0.0.0/24");
    home.write(&format!(
        "{ADMIN}[log]\naddresses = \"full\"\nchat = true\ngame_chat = true\n"
    ));
    program.expect_log("the configuration was read again");
    let mut bob = Player::log_in(program.address, &Identity::new("Bob"));
    program.expect_log("from 127.0.0.1, ");
    talk(&mut ann, &mut bob);
    bob.quit(b"farewell");
    let (one, two) = (ann.id.0, bob.id.0);
    program.expect_log(&format!("chat: \"Ann\" ({one}): \"lobbyline\""));
    program.expect_log("/announce \"spoken\"");
    program.expect_log(&format!("\": \"Ann\" ({one}): \"roomline\""));
    program.expect_log(&format!("quit: \"Bob\" ({two}): \"farewell\""));
    assert!(
        !program
            .logged
            .iter()
            .any(|line| line.contains("DAroomline"))
    );
}

#[test]
fn a_file_has_the_same_lines() {
    let home = Home::new("file", "[log]\nfile = \"own.log\"\n");
    let other = home.0.join("given.log");
    for options in [&[][..], &["--log-file", other.to_str().unwrap()]] {
        let mut program = home.serve("info", options);
        let ann = Player::log_in(program.address, &Identity::new("Ann"));
        program.expect_log(&format!("login: \"Ann\" ({})", ann.id.0));
        program.signal("TERM");
        assert_eq!(program.exit().code(), Some(0));
        program.expect_log("stopped");
        let name = if options.is_empty() {
            "own.log"
        } else {
            "given.log"
        };
        let text = fs::read_to_string(home.0.join(name)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines, program.logged, "{name}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_served() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_samara"))
        .args([
            "serve",
            "--port",
            "0",
            "--log-file",
            "no/such/directory/a.log",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("cannot write the log to no/such/directory/a.log"),
        "{told}"
    );
}

/// Thousands of datagrams that mean nothing are a line each for their reasons.
#[test]
fn rubbish_does_not_fill_the_log() {
    let mut program = Program::start(&[]);
    let mut ann = Player::log_in(program.address, &Identity::new("Ann"));
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    stranger.connect(program.address).unwrap();
    for number in 0..2000u32 {
        let rubbish = match number % 4 {
            0 => &b"\x01\x00\x00\x02\x00\xc8\x00"[..],
            1 => b"HELLO0.99\0",
            2 => b"\xff\xff",
            _ => b"\x01\x01\x00\x02\x00\x12\x00",
        };
        stranger.send(rubbish).unwrap();
        if number % 50 == 0 {
            ann.chat(b"");
            ann.pump();
        }
    }
    program.signal("TERM");
    assert_eq!(program.exit().code(), Some(0));
    program.expect_log("stopped");
    let dropped = program
        .logged
        .iter()
        .filter(|line| line.contains("dropped: "));
    let dropped: Vec<_> = dropped.collect();
    assert!((1..=20).contains(&dropped.len()), "{dropped:#?}");
    assert!(dropped.iter().all(|line| !line.contains("127.0.0.1")));
}

/// The first refusals of ten seconds are told, the others counted.
#[test]
fn refused_logins_have_a_budget() {
    let home = Home::new("refused", "[kaillera]\nmax_user_name_length = 3\n");
    let mut program = home.serve("info", &[]);
    let begin = Instant::now();
    for _ in 0..30 {
        let mut long = Player::new(program.address, &Identity::new("Longer"));
        assert!(long.try_enter().is_err());
    }
    program.signal("TERM");
    assert_eq!(program.exit().code(), Some(0));
    program.expect_log("stopped");
    let refused = program.logged.iter();
    let refused = refused.filter(|line| line.contains("login refused: \"Longer\""));
    let count = refused.count();
    // A slow machine needs more than one window for them.
    let is_one_window = begin.elapsed() < Duration::from_secs(10);
    let most = if is_one_window { 20 } else { 30 };
    assert!(
        (20..=most).contains(&count),
        "{count}: {:#?}",
        program.logged
    );
}
