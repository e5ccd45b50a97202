use super::{ip, names};
use crate::access::{AddressPattern, Names, Pattern, ShortHost};
use proptest::prelude::*;

fn address(pattern: &str, subject: &str) -> bool {
    let names = names(&[("localhost", "127.0.0.1"), ("six.example", "2001:db8::7")]);
    let pattern = AddressPattern::parse(pattern).unwrap();
    pattern.matches(ip(subject), &names)
}

/// The matcher table of kaillera-server.md 5.3; where EmuLinker-K lets what stands before and
/// after a star overlap, the ordinary rule holds.
#[test]
fn the_table_of_names() {
    for (pattern, subject, expected) in [
        ("abc", "ABC", true),
        ("abc", "abcd", false),
        ("*", "anything", true),
        ("**", "anything", true),
        ("*", "", false),
        ("*", "  \t", false),
        ("", "anything", true),
        ("", "", false),
        ("moose*", "Moosehead", true),
        ("*head", "Moosehead", true),
        ("*oose*", "Moosehead", true),
        ("oose", "Moosehead", false),
        ("x*|*head", "Moosehead", true),
        ("a*b*c", "abc", true),
        ("a*b*c", "aXbYc", true),
        ("a*b*c", "acb", false),
        ("*a*a*", "a", false),
        ("?.txt", "a.txt", false),
        ("1*1", "11", true),
        // They overlap in EmuLinker-K.
        ("ab*ab", "ab", false),
        ("a*a", "a", false),
        ("aba*aba", "aba", false),
        ("*b*b", "ab", false),
        ("a*b*b", "ab", false),
        ("1*1", "1", false),
        // Not in the table.
        ("ab*ab", "abab", true),
        ("*b*b", "abb", true),
        ("|", "anything", false),
        ("|abc|", "abc", true),
        ("|abc|", "x", false),
        ("dns:localhost", "127.0.0.1", false),
        ("dns:localhost", "DNS:localhost", true),
        ("\u{c9}t\u{e9}*", "\u{e9}T\u{c9} 3", true),
        ("[a]", "a", false),
    ] {
        let matches = Pattern::new(pattern).matches(subject);
        assert_eq!(matches, expected, "{pattern:?} {subject:?}");
    }
}

#[test]
fn the_table_of_addresses() {
    for (pattern, subject, expected) in [
        ("*", "8.8.8.8", true),
        ("*", "::1", true),
        ("192.168.*", "192.168.1.9", true),
        ("192.168.*", "192.169.1.9", false),
        ("10.0.0.1*", "10.0.0.123", true),
        ("127.0.0.1", "::1", false),
        ("dns:localhost", "127.0.0.1", true),
        ("dns:localhost", "::1", false),
        ("DNS:LocalHost", "127.0.0.1", true),
        ("dns:unknown.example", "127.0.0.1", false),
        ("dns:six.example", "2001:db8::7", true),
        ("dns:localhost|8.8.*", "8.8.1.1", true),
    ] {
        assert_eq!(address(pattern, subject), expected, "{pattern} {subject}");
    }
}

#[test]
fn networks_and_short_forms() {
    for (pattern, subject, expected) in [
        ("0:0:0:0:0:0:0:1", "::1", true),
        ("::1", "::1", true),
        ("::1", "::2", false),
        ("2001:DB8::1", "2001:db8:0::1", true),
        ("2001:db8:*", "2001:db8::1", true),
        ("2001:db8:0:0:*", "2001:db8::1", true),
        ("2001:db8::*", "2001:db8::1", true),
        ("::ffff:192.0.2.1", "192.0.2.1", true),
        ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("192.0.2.0/24", "192.0.2.255", true),
        ("192.0.2.77/24", "192.0.2.255", true),
        ("192.0.2.0/24", "192.0.3.0", false),
        ("192.0.2.0/24", "::ffff:192.0.2.9", true),
        ("192.0.2.0/24", "2001:db8::1", false),
        ("192.0.2.5/32", "192.0.2.5", true),
        ("192.0.2.5/32", "192.0.2.4", false),
        ("192.0.2.5/31", "192.0.2.4", true),
        ("0.0.0.0/0", "255.255.255.255", true),
        ("0.0.0.0/0", "::1", false),
        ("::/0", "::1", true),
        ("::/0", "1.2.3.4", false),
        ("2001:db8::/32", "2001:db8:ffff::1", true),
        ("2001:db8::/32", "2001:db9::1", false),
        ("::ffff:192.0.2.0/120", "192.0.2.9", true),
        ("::ffff:192.0.2.0/120", "192.0.3.9", false),
    ] {
        assert_eq!(address(pattern, subject), expected, "{pattern} {subject}");
    }
}

#[test]
fn what_no_address_looks_like() {
    for (pattern, never) in [
        ("hi", &["hi"][..]),
        (" 192.0.2.1", &[" 192.0.2.1"]),
        ("192.0.2.0/33", &["192.0.2.0/33"]),
        ("192.0.2.0/", &["192.0.2.0/"]),
        ("192.0.2.0/+8", &["192.0.2.0/+8"]),
        ("192.0.2.*/24", &["192.0.2.*/24"]),
        ("2001:db8::/129", &["2001:db8::/129"]),
        ("192.168.1", &["192.168.1"]),
        ("192.168.001.001", &["192.168.001.001"]),
        ("192.0.2.1|host.example|8.*", &["host.example"]),
        ("|", &["|"]),
        ("", &[]),
        ("*", &[]),
        ("dns:ab", &[]),
    ] {
        let parsed = AddressPattern::parse(pattern).unwrap();
        assert!(parsed.unmatchable().eq(never.iter().copied()), "{pattern}");
    }
}

#[test]
fn a_host_needs_a_name() {
    for text in ["dns:", "dns:a", "DNS: a ", "192.0.2.1|dns:"] {
        assert_eq!(AddressPattern::parse(text), Err(ShortHost), "{text}");
    }
    let pattern = AddressPattern::parse("dns:One.example|*|dns:two.example").unwrap();
    assert!(pattern.hosts().eq(["one.example", "two.example"]));
}

/// What a pattern means, letter by letter.
fn naive(pattern: &[char], subject: &[char]) -> bool {
    match pattern {
        [] => subject.is_empty(),
        ['*', rest @ ..] => (0..=subject.len()).any(|run| naive(rest, &subject[run..])),
        [wanted, rest @ ..] => subject.first() == Some(wanted) && naive(rest, &subject[1..]),
    }
}

proptest! {
    #[test]
    fn wildcards_agree_with_their_definition(
        pattern in "[ab\u{e9}*]{1,8}",
        subject in "[ab\u{e9}]{1,10}",
    ) {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        let expected = naive(&letters(&pattern), &letters(&subject));
        prop_assert_eq!(Pattern::new(&pattern).matches(&subject), expected);
    }

    #[test]
    fn any_pattern_can_be_asked(pattern in ".{0,40}", address in any::<u128>()) {
        let address = std::net::Ipv6Addr::from_bits(address).into();
        if let Ok(pattern) = AddressPattern::parse(&pattern) {
            pattern.matches(address, &Names::default());
        }
        Pattern::new(&pattern).matches(&pattern);
    }
}
