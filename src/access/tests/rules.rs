use super::{ip, rules};
use crate::access::{Access, AccessLevel, Problem, Rules};
use crate::timer::Time;
use std::sync::Arc;

/// Lines, excerpts and problems of a text.
fn mistakes(text: &str) -> Vec<(usize, String, Problem)> {
    let mistakes = Rules::parse(text).mistakes.into_iter();
    mistakes
        .map(|it| (it.line, it.excerpt, it.problem))
        .collect()
}

#[test]
fn each_bad_line_is_named() {
    for (line, excerpt, problem) in [
        ("king,ALLOW,*", "king", Problem::UnknownType),
        (" # comment", " # comment", Problem::UnknownType),
        (" user,ADMIN,*", " user", Problem::UnknownType),
        (",,,", "", Problem::UnknownType),
        ("user", "user", Problem::TooFewFields("user")),
        ("user,ADMIN", "user,ADMIN", Problem::TooFewFields("user")),
        (
            "user,ADMIN,,",
            "user,ADMIN,,",
            Problem::TooFewFields("user"),
        ),
        (
            "user,ADMIN,*,Hello, all",
            "user,ADMIN,*,Hello, all",
            Problem::TooManyFields("user"),
        ),
        ("user,KING,1.2.3.4", "KING", Problem::UnknownLevel),
        ("user, ADMIN,1.2.3.4", " ADMIN", Problem::UnknownLevel),
        ("user,BANNED,1.2.3.4", "BANNED", Problem::UnknownLevel),
        ("user,ADMIN,dns:", "dns:", Problem::NoHost),
        ("user,ADMIN,dns:x", "dns:x", Problem::NoHost),
        (
            "ipaddress,DENY",
            "ipaddress,DENY",
            Problem::TooFewFields("ipaddress"),
        ),
        ("ipaddress,BLOCK,*", "BLOCK", Problem::UnknownAction),
        (
            "ipaddress,DENY,*,x",
            "ipaddress,DENY,*,x",
            Problem::TooManyFields("ipaddress"),
        ),
        (
            "emulator,,x",
            "emulator,,x",
            Problem::TooFewFields("emulator"),
        ),
        ("emulator,no,x", "no", Problem::UnknownAction),
        ("game,ALLOW", "game,ALLOW", Problem::TooFewFields("game")),
        (
            "game,ALLOW,Street Fighter, The",
            "game,ALLOW,Street Fighter, The",
            Problem::TooManyFields("game"),
        ),
        ("silence", "silence", Problem::TooFewFields("silence")),
        (
            "silence,1.2.3.4,x",
            "silence,1.2.3.4,x",
            Problem::TooManyFields("silence"),
        ),
        ("silence,dns:", "dns:", Problem::NoHost),
    ] {
        let text = format!("# rules\r\n{line}\nipaddress,DENY,192.0.2.1\n");
        let expected = (2, excerpt.to_owned(), problem);
        assert_eq!(mistakes(&text), [expected], "{line}");
        assert!(problem.rejects_line());
        let access = Access::new(Arc::new(Rules::parse(&text).rules));
        assert_eq!(access.rules().len(), 1, "{line}");
        assert!(!access.may_connect(Time::ZERO, ip("192.0.2.1")), "{line}");
    }
}

#[test]
fn an_alternative_that_cannot_match_leaves_the_others() {
    let parsed = Rules::parse("ipaddress,DENY,192.0.2.1|host.example\nuser,ADMIN,,hi\n");
    let shown: Vec<_> = parsed
        .mistakes
        .iter()
        .map(|it| (it.line, it.to_string()))
        .collect();
    let valid = "an address, one with *, a network such as 192.0.2.0/24, or dns: and a host name";
    assert_eq!(
        shown,
        [
            (
                1,
                format!("`host.example`: no address can match this; valid: {valid}")
            ),
            (
                2,
                format!("`hi`: no address can match this; valid: {valid}")
            ),
        ]
    );
    assert!(!Problem::NeverMatches.rejects_line());
    let access = Access::new(Arc::new(parsed.rules));
    assert!(!access.may_connect(Time::ZERO, ip("192.0.2.1")));
}

#[test]
fn a_mistake_says_what_is_valid() {
    let parsed = Rules::parse("user,KING\u{7},1.2.3.4");
    let [mistake] = parsed.mistakes.as_slice() else {
        panic!("{:?}", parsed.mistakes);
    };
    assert_eq!(
        mistake.to_string(),
        "`KING\\u{7}`: no such level, the line is left out; valid: NORMAL, ELEVATED, MODERATOR, \
         ADMIN or SUPERADMIN, without blanks around it"
    );
}

#[test]
fn what_says_nothing() {
    let text = "\u{feff}# a comment\n\n   \t\n// another\n#user,KING,*\r\r\n//user\n";
    let parsed = Rules::parse(text);
    assert_eq!(parsed.mistakes, []);
    assert!(parsed.rules.is_empty());
    assert!(!parsed.is_unusable());
    assert!(!Rules::parse("").is_unusable());
}

#[test]
fn words_ignore_case_and_empty_fields_vanish() {
    let access = Access::new(Arc::new(rules(
        ",USER,,superADMIN,1.2.3.4,,Hi\rIpAddress,deny,8.8.*\rSILENCE,,9.9.9.9",
    )));
    assert_eq!(
        access.level(Time::ZERO, ip("1.2.3.4")),
        AccessLevel::SuperAdmin
    );
    assert_eq!(access.announcement(ip("1.2.3.4")), Some("Hi"));
    assert!(!access.may_connect(Time::ZERO, ip("8.8.1.1")));
    assert!(access.is_silenced(Time::ZERO, ip("9.9.9.9")));
}

#[test]
fn a_text_that_is_no_rule_file_is_unusable() {
    assert!(Rules::parse("<html>\n<body>\n").is_unusable());
    assert!(!Rules::parse("<html>\nipaddress,ALLOW,*\n").is_unusable());
}

#[test]
fn every_level_has_a_word() {
    for (word, level) in [
        ("normal", AccessLevel::Normal),
        ("Elevated", AccessLevel::Elevated),
        ("MODERATOR", AccessLevel::Moderator),
        ("ADMIN", AccessLevel::Admin),
        ("SUPERADMIN", AccessLevel::SuperAdmin),
    ] {
        assert_eq!(AccessLevel::from_word(word), Some(level));
        assert!(level.name().eq_ignore_ascii_case(word));
    }
    assert_eq!(AccessLevel::from_word("Banned"), None);
}

#[test]
fn hosts_of_all_rules_are_known() {
    let rules = rules(
        "user,ADMIN,dns:a.example|1.2.3.4\nipaddress,DENY,dns:b.example\nemulator,DENY,dns:no\n\
         silence,dns:c.example|dns:a.example",
    );
    let hosts = ["a.example", "b.example", "c.example", "a.example"];
    assert!(rules.hosts().eq(hosts));
}
