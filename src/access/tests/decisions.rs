use super::{ip, names, rules};
use crate::{
    access::{Access, AccessLevel, Clear, Rules, Sentence},
    timer::Time,
};
use std::{sync::Arc, time::Duration};

/// The rules of the decision tests in kaillera-server.md 5.4.
const TABLE: &str = "\
user,ADMIN,198.51.100.4,Duty admin is here
user,ELEVATED,198.51.100.*|203.0.113.9
user,SUPERADMIN,198.51.100.7
ipaddress,ALLOW,192.0.2.50
ipaddress,DENY,192.0.2.*
ipaddress,ALLOW,*
emulator,DENY,*cheat*|Old Emu 0.1
emulator,ALLOW,*
game,ALLOW,Bubble*
game,DENY,*
silence,203.0.113.77|203.0.113.9
";

const START: Time = Time::ZERO;

fn table() -> Access {
    Access::new(Arc::new(rules(TABLE)))
}

fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

fn sentence(length: Option<Duration>) -> Sentence<'static> {
    Sentence {
        length,
        issuer: "Judge (192.0.2.9)",
        reason: "flooding",
    }
}

#[test]
fn levels_and_announcements() {
    let access = table();
    for (address, level, announcement) in [
        (
            "198.51.100.4",
            AccessLevel::Admin,
            Some("Duty admin is here"),
        ),
        ("198.51.100.7", AccessLevel::Elevated, None),
        ("203.0.113.9", AccessLevel::Elevated, None),
        ("8.8.8.8", AccessLevel::Normal, None),
        ("2001:db8::1", AccessLevel::Normal, None),
    ] {
        assert_eq!(access.level(START, ip(address)), level, "{address}");
        assert_eq!(access.announcement(ip(address)), announcement, "{address}");
    }
}

#[test]
fn who_may_connect() {
    let access = table();
    for (address, expected) in [
        ("192.0.2.50", true),
        ("192.0.2.51", false),
        ("192.0.20.1", true),
        ("::ffff:192.0.2.51", false),
    ] {
        assert_eq!(
            access.may_connect(START, ip(address)),
            expected,
            "{address}"
        );
    }
}

#[test]
fn emulators_and_games() {
    let access = table();
    for (emulator, expected) in [
        ("MegaCheat 2", false),
        ("old emu 0.1", false),
        ("Old Emu 0.10", true),
    ] {
        assert_eq!(access.allows_emulator(emulator), expected, "{emulator}");
    }
    for (game, expected) in [("bubble bobble", true), ("Puzzle Bobble", false)] {
        assert_eq!(access.allows_game(game), expected, "{game}");
    }
}

#[test]
fn who_is_silenced() {
    let access = table();
    for (address, expected) in [
        ("203.0.113.9", true),
        ("203.0.113.77", true),
        ("198.51.100.4", false),
    ] {
        assert_eq!(
            access.is_silenced(START, ip(address)),
            expected,
            "{address}"
        );
    }
}

#[test]
fn without_rules_everybody_is_an_ordinary_user() {
    let access = Access::default();
    let address = ip("192.0.2.1");
    assert_eq!(access.level(START, address), AccessLevel::Normal);
    assert!(access.may_connect(START, address));
    assert!(access.allows_emulator("x") && access.allows_game("x"));
    assert!(!access.is_silenced(START, address));
}

#[test]
fn a_ban_holds_for_its_time_whatever_the_rules_allow() {
    let mut access = table();
    let address = ip("192.0.2.50");
    access
        .ban(START, address, sentence(Some(minutes(10))))
        .unwrap();
    let end = START + minutes(10);
    let before = Time::from_nanos(end.as_nanos() - 1);
    assert!(!access.may_connect(START, address));
    assert!(!access.may_connect(before, address));
    assert_eq!(access.next_end(START), Some(end));
    assert!(access.may_connect(end, address));
    assert_eq!(access.next_end(end), None);
}

#[test]
fn a_permanent_ban_comes_before_an_allow_all_rule() {
    let mut access = Access::new(Arc::new(rules("ipaddress,ALLOW,*")));
    let address = ip("192.0.2.50");
    access.ban(START, address, sentence(None)).unwrap();
    let late = Time::from_nanos(u64::MAX);
    assert!(!access.may_connect(late, address));
    assert!(!access.may_connect(late, ip("::ffff:192.0.2.50")));
    assert_eq!(access.next_end(START), None);
}

#[test]
fn a_level_that_was_granted_ends() {
    let mut access = table();
    let address = ip("203.0.113.9");
    access.grant(START, address, AccessLevel::Admin, minutes(5));
    assert_eq!(access.level(START, address), AccessLevel::Admin);
    let end = START + minutes(5);
    assert_eq!(access.next_end(START), Some(end));
    assert_eq!(access.level(end, address), AccessLevel::Elevated);
}

#[test]
fn the_higher_level_counts() {
    let mut access = table();
    let admin = ip("198.51.100.4");
    access.grant(START, admin, AccessLevel::Elevated, minutes(5));
    assert_eq!(access.level(START, admin), AccessLevel::Admin);
    let user = ip("8.8.8.8");
    access.grant(START, user, AccessLevel::Moderator, minutes(5));
    access.grant(START, user, AccessLevel::Elevated, minutes(9));
    assert_eq!(access.level(START, user), AccessLevel::Moderator);
    assert_eq!(
        access.level(START + minutes(5), user),
        AccessLevel::Elevated
    );
    assert_eq!(access.level(START + minutes(9), user), AccessLevel::Normal);
}

#[test]
fn new_rules_leave_what_moderators_decided() {
    let mut access = table();
    let address = ip("8.8.8.8");
    access.ban(START, address, sentence(None)).unwrap();
    let parsed = Rules::parse("user,KING,1.2.3.4\nuser,ADMIN,9.9.9.9\nipaddress,DENY,7.7.7.7");
    assert_eq!(parsed.mistakes.len(), 1);
    access.set_rules(Arc::new(parsed.rules));
    assert!(!access.may_connect(START, address));
    assert!(!access.may_connect(START, ip("7.7.7.7")));
    assert!(access.may_connect(START, ip("192.0.2.51")));
    assert_eq!(access.level(START, ip("9.9.9.9")), AccessLevel::Admin);
}

#[test]
fn host_names_are_asked_when_a_table_is_there() {
    let mut access = Access::new(Arc::new(rules(
        "user,ADMIN,dns:Home.example,Hi\nipaddress,DENY,dns:bad.example\nsilence,dns:bad.example",
    )));
    let (home, bad) = (ip("192.0.2.1"), ip("2001:db8::bad"));
    assert_eq!(access.level(START, home), AccessLevel::Normal);
    access.set_names(names(&[
        ("home.EXAMPLE", "192.0.2.1"),
        ("bad.example", "2001:db8::bad"),
    ]));
    assert_eq!(access.level(START, home), AccessLevel::Admin);
    assert_eq!(access.announcement(home), Some("Hi"));
    assert!(!access.may_connect(START, bad));
    assert!(access.is_silenced(START, bad));
    access.set_names(names(&[]));
    assert_eq!(access.level(START, home), AccessLevel::Normal);
    assert!(access.may_connect(START, bad));
}

#[test]
fn clearing_takes_back_what_was_decided() {
    let mut access = table();
    let address = ip("8.8.8.8");
    assert!(!access.clear(START, address, Clear::All));
    access.ban(START, address, sentence(None)).unwrap();
    access
        .ban(START, address, sentence(Some(minutes(1))))
        .unwrap();
    access
        .silence(START, address, sentence(Some(minutes(1))))
        .unwrap();
    access.grant(START, address, AccessLevel::Admin, minutes(1));
    assert!(access.clear(START, address, Clear::Sanctions));
    assert!(access.may_connect(START, address));
    assert!(!access.is_silenced(START, address));
    assert_eq!(access.level(START, address), AccessLevel::Admin);
    assert!(!access.clear(START, address, Clear::Sanctions));
    assert!(access.clear(START, address, Clear::All));
    assert_eq!(access.level(START, address), AccessLevel::Normal);
    assert!(!access.clear(START, ip("203.0.113.9"), Clear::All));
    assert!(access.is_silenced(START, ip("203.0.113.9")));
}
