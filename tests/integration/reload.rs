//! The configuration is read again while the server runs (kaillera-server.md 5.1).

use crate::support::{Identity, Player, Program, wait_until};
use samara::kaillera::{connect::Reply, message::ServerMessage};
use std::{
    fs,
    path::{Path, PathBuf},
};

const CONFIG: &str = include_str!("../data/emulinker/conf/emulinker.cfg");
const LANGUAGE: &str = include_str!("../data/emulinker/conf/language.properties");
const ACCESS: &str = include_str!("../data/emulinker/conf/access.cfg");

/// An EmuLinker server's directory, gone at the end of its test.
struct Conf(PathBuf);

impl Conf {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let path = path.join(format!("{name}-{}", std::process::id()));
        let conf = Self(path);
        fs::create_dir_all(conf.path()).unwrap();
        conf.write("emulinker.cfg", CONFIG);
        conf.write("language.properties", LANGUAGE);
        conf.write("access.cfg", ACCESS);
        conf
    }

    fn path(&self) -> PathBuf {
        self.0.join("conf")
    }

    /// Puts another file in the place of the one there is, as editors do.
    fn write(&self, name: &str, text: &str) {
        let beside = self.path().join("new");
        fs::write(&beside, text).unwrap();
        fs::rename(&beside, self.path().join(name)).unwrap();
    }

    fn serve(&self) -> Program {
        Program::start(&["--emulinker", self.path().to_str().unwrap()])
    }
}

impl Drop for Conf {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

fn expect_line(player: &mut Player, text: &str) {
    player.expect_by_now(&ServerMessage::InformationMessage {
        source: b"server",
        text: text.as_bytes(),
    });
}

#[test]
fn an_unmodified_directory_is_served() {
    let conf = Conf::new("unmodified");
    let mut program = conf.serve();
    let mut ann = Player::log_in(program.address, &Identity::new("Ann"));
    for line in [
        "Welcome to a new server!",
        "Edit language.properties to change these lines.",
        "A super admin is here",
    ] {
        expect_line(&mut ann, line);
    }
    ann.create(b"Game");
    program.signal("TERM");
    assert_eq!(program.exit().code(), Some(0));
    let told = program
        .logged
        .iter()
        .filter(|line| line.contains("game.bufferSize"));
    assert_eq!(told.count(), 1, "{:#?}", program.logged);
}

#[test]
fn new_rules_hold_for_those_who_are_online() {
    let conf = Conf::new("rules");
    let mut program = conf.serve();
    let mut ann = Player::log_in(program.address, &Identity::new("Ann"));
    conf.write("access.cfg", "user,KING,*\nuser,ADMIN,127.0.0.1\n");
    let line = program.expect_log("no such level");
    assert!(line.contains("access.cfg:1: `KING`"), "{line}");
    expect_line(&mut ann, "access.cfg was read again.");
    conf.write("access.cfg", "ipaddress,DENY,127.0.0.1\n");
    program.expect_log("was read again");
    let name = ann.identity.name.clone();
    ann.expect_message(&ServerMessage::Quit {
        name: &name,
        id: ann.id,
        message: b"Banned",
    });
}

#[test]
fn a_file_with_mistakes_changes_nothing() {
    let conf = Conf::new("mistakes");
    let mut program = conf.serve();
    let mut ann = Player::log_in(program.address, &Identity::new("Ann"));
    ann.echo(b"here");
    conf.write("access.cfg", "<html>\n<body>\n");
    program.expect_log("access.cfg:1: not one line is a rule");
    program.expect_log("stays as it was");
    expect_line(
        &mut ann,
        "access.cfg cannot be used; what was read before stays in force.",
    );
    fs::remove_file(conf.path().join("access.cfg")).unwrap();
    program.expect_log("access.cfg: no such file");
    program.expect_log("stays as it was");
    ann.passed.clear();
    Player::log_in(program.address, &Identity::new("Bob"));
    expect_line(&mut ann, "A super admin is here");
}

#[test]
fn a_signal_reads_everything_again_and_says_what_waits() {
    let conf = Conf::new("signal");
    let mut program = conf.serve();
    program.signal("HUP");
    program.expect_log("the configuration was read again");
    let language = LANGUAGE.replace("Welcome to a new server!", "Welcome again!");
    conf.write("language.properties", &language);
    let port = CONFIG.replace("charset=", "charset=Shift_JIS");
    conf.write("emulinker.cfg", &port.replace("maxUsers=100", "maxUsers=1"));
    program.expect_log("from the next start on count: kaillera.charset");
    let mut ann = Player::log_in(program.address, &Identity::new("Ann"));
    expect_line(&mut ann, "Welcome again!");
    // The rules make this address a super admin's, whom a full server lets in.
    Player::log_in(program.address, &Identity::new("Bob"));
    conf.write("access.cfg", "ipaddress,ALLOW,*\n");
    program.expect_log("was read again");
    let mut eve = Player::new(program.address, &Identity::new("Eve"));
    // The log is ahead of the lobby, which takes the rules on in its next turn.
    wait_until("a full server", || {
        eve.send_raw(b"HELLO0.83\0");
        eve.reply() == Reply::Full
    });
    let told = |line: &&String| line.contains("game.bufferSize");
    assert_eq!(program.logged.iter().filter(told).count(), 1, "told once");
}
