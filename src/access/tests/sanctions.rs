use super::ip;
use crate::{
    access::{Access, AccessLevel, Clear, Epoch, Saved, SavedSanction, Sentence, Term},
    timer::Time,
};
use proptest::prelude::*;
use std::time::Duration;

const START: Time = Time::ZERO;
const EPOCH: Epoch = Epoch(1_800_000_000);

fn sentence<'a>(seconds: Option<u64>, issuer: &'a str, reason: &'a str) -> Sentence<'a> {
    Sentence {
        length: seconds.map(Duration::from_secs),
        issuer,
        reason,
    }
}

#[test]
fn info_tells_who_and_why() {
    let mut access = Access::default();
    let address = ip("192.0.2.1");
    let info = access.info(START, address);
    assert!(info.ban.is_none() && info.silence.is_none() && info.may_connect);
    access
        .ban(START, address, sentence(Some(60), "Ann", "spam"))
        .unwrap();
    access
        .silence(START, address, sentence(None, "Bob", ""))
        .unwrap();
    let info = access.info(START, address);
    assert_eq!(info.level, AccessLevel::Normal);
    assert!(!info.may_connect && info.is_silenced);
    let ban = info.ban.unwrap();
    assert_eq!((&*ban.issuer, &*ban.reason), ("Ann", "spam"));
    assert_eq!(ban.term, Term::Until(Time::from_millis(60_000)));
    assert_eq!(info.silence.unwrap().term, Term::Forever);
}

#[test]
fn a_temporary_ban_does_not_shorten_a_permanent_one() {
    let mut access = Access::default();
    let address = ip("192.0.2.1");
    access
        .ban(START, address, sentence(None, "Ann", ""))
        .unwrap();
    access
        .ban(START, address, sentence(Some(1), "Bob", ""))
        .unwrap();
    assert!(!access.may_connect(Time::from_millis(5000), address));
    assert_eq!(access.info(START, address).ban.unwrap().term, Term::Forever);
}

#[test]
fn nobody_writes_a_line_into_a_file() {
    let mut access = Access::default();
    let address = ip("192.0.2.1");
    let reason = "x\r\nuser,SUPERADMIN,*\u{85}\u{2028}\u{0}y ";
    access
        .ban(START, address, sentence(None, "\nA\tnn", reason))
        .unwrap();
    let ban = access.info(START, address).ban.unwrap();
    assert_eq!((&*ban.issuer, &*ban.reason), ("Ann", "xuser,SUPERADMIN,*y"));
    let long = "\u{e9}".repeat(1000);
    access
        .ban(START, address, sentence(None, &long, ""))
        .unwrap();
    assert_eq!(access.info(START, address).ban.unwrap().issuer.len(), 256);
}

#[test]
fn tables_are_bounded() {
    let mut access = Access::default();
    let address = |n: u32| std::net::Ipv4Addr::from_bits(n).into();
    for n in 0..65_536 {
        access
            .ban(START, address(n), sentence(None, "", ""))
            .unwrap();
    }
    access
        .ban(START, address(70_000), sentence(None, "", ""))
        .unwrap_err();
    access
        .ban(START, address(7), sentence(None, "again", ""))
        .unwrap();
    assert!(access.clear(START, address(7), Clear::Sanctions));
    access
        .ban(START, address(70_000), sentence(None, "", ""))
        .unwrap();
}

#[test]
fn sanctions_outlive_the_process_and_levels_do_not() {
    let mut first = Access::default();
    let [a, b, c] = [ip("192.0.2.1"), ip("2001:db8::1"), ip("192.0.2.3")];
    first
        .ban(START, a, sentence(Some(600), "Ann", "spam"))
        .unwrap();
    first.ban(START, b, sentence(None, "Ann", "")).unwrap();
    first
        .silence(START, c, sentence(Some(10), "Bob", ""))
        .unwrap();
    first.grant(START, c, AccessLevel::Admin, Duration::from_secs(6000));
    let now = Time::from_millis(5000);
    let saved = first.saved(now, EPOCH);
    assert_eq!(
        saved.bans,
        [
            SavedSanction {
                address: b,
                until: None,
                issuer: "Ann".to_owned(),
                reason: String::new(),
            },
            SavedSanction {
                address: a,
                until: Some(1_800_000_600),
                issuer: "Ann".to_owned(),
                reason: "spam".to_owned(),
            },
        ]
    );
    let json = serde_json::to_string(&saved).unwrap();
    let saved: Saved = serde_json::from_str(&json).unwrap();

    // The next process starts 100 s later and reads the file 2 s after that.
    let epoch = Epoch(EPOCH.0 + 100);
    let now = Time::from_millis(2000);
    let mut second = Access::default();
    second.restore(now, epoch, &saved);
    let end = Time::from_millis(500_000);
    assert!(!second.may_connect(now, a) && !second.may_connect(now, b));
    assert!(second.may_connect(end, a) && !second.may_connect(end, b));
    assert!(!second.is_silenced(now, c));
    assert_eq!(second.level(now, c), AccessLevel::Normal);
    assert_eq!(second.info(now, a).ban.unwrap().term, Term::Until(end));
}

#[test]
fn every_change_shows_in_the_revision() {
    let mut access = Access::default();
    let address = ip("192.0.2.1");
    let mut last = access.revision();
    let mut changed = |access: &Access| {
        let before = std::mem::replace(&mut last, access.revision());
        before != access.revision()
    };
    access.ban(START, address, sentence(None, "", "")).unwrap();
    assert!(changed(&access));
    access
        .silence(START, address, sentence(Some(1), "", ""))
        .unwrap();
    assert!(changed(&access));
    access.clear(START, address, Clear::Sanctions);
    assert!(changed(&access));
    access.clear(START, address, Clear::All);
    access.grant(START, address, AccessLevel::Admin, Duration::from_secs(1));
    assert!(!changed(&access));
}

proptest! {
    #[test]
    fn what_is_saved_comes_back_as_it_was(
        entries in prop::collection::vec(
            (any::<u32>(), prop::option::of(1u64..100), any::<String>()),
            0..20,
        ),
    ) {
        let mut first = Access::default();
        for (address, seconds, text) in &entries {
            let address = std::net::Ipv4Addr::from_bits(*address).into();
            first.ban(START, address, sentence(*seconds, text, text)).unwrap();
        }
        let saved = first.saved(START, EPOCH);
        let mut second = Access::default();
        second.restore(START, EPOCH, &saved);
        prop_assert_eq!(second.saved(START, EPOCH), saved);
    }
}
