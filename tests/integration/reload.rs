//! The configuration is read again while the server runs (kaillera-server.md 5.1).

use crate::support::{Conf, Identity, Player, wait_until};
use samara::kaillera::{connect::Reply, message::ServerMessage};
use std::fs;

const CONFIG: &str = include_str!("../data/emulinker/conf/emulinker.cfg");
const LANGUAGE: &str = include_str!("../data/emulinker/conf/language.properties");

fn expect_line(player: &mut Player, text: &str) {
    player.expect_by_now(&ServerMessage::InformationMessage {
        source: b"server",
        text: text.as_bytes(),
    });
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
    conf.write("emulinker.cfg", port.replace("maxUsers=100", "maxUsers=1"));
    program.expect_log("from the next start on count: kaillera.charset");
    let mut ann = Player::log_in(program.address, &Identity::new("Ann"));
    expect_line(&mut ann, "Welcome again!");
    // The rules make this address a super admin's, whom a full server lets in.
    Player::log_in(program.address, &Identity::new("Bob"));
    conf.write("access.cfg", "ipaddress,ALLOW,*\n");
    let mut eve = Player::new(program.address, &Identity::new("Eve"));
    wait_until("the new rules", || {
        eve.send_raw(b"HELLO0.83\0");
        eve.reply() == Reply::Full
    });
    let told = |line: &&String| line.contains("game.bufferSize");
    assert_eq!(program.logged.iter().filter(told).count(), 1, "told once");
}

#[test]
fn a_file_that_was_only_touched_is_read_again_and_says_the_same() {
    let conf = Conf::new("touched");
    let mut program = conf.serve();
    let path = conf.path().join("access.cfg");
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    program.expect_log("the configuration was read again");
    let mut ann = Player::log_in(program.address, &Identity::new("Ann"));
    expect_line(&mut ann, "A super admin is here");
}

#[test]
fn timeouts_need_no_restart() {
    let conf = Conf::new("timeouts");
    let mut program = conf.serve();
    let config = CONFIG.replace("keepAliveTimeout=190", "keepAliveTimeout=150");
    conf.write(
        "emulinker.cfg",
        config.replace("idleTimeout=0", "idleTimeout=60"),
    );
    let line = program.expect_log("the configuration was read again");
    assert!(!line.contains("next start"), "{line}");
}
