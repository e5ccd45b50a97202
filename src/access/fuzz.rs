//! What must hold for any file with rules.
//!
//! Tests feed it what they make up, a fuzzer what it finds. It panics when a promise is broken.

use super::{Access, Epoch, Rules};
use crate::timer::Time;
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

/// The lines of a text, each alone, and every question asked of them.
///
/// # Panics
///
/// If a mistake has no line of the text or would break a line of a log, if a line changes what
/// another one means, or a decision is not the same twice.
pub fn rules(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let parsed = Rules::parse(&text);
    let lines = 1 + text.matches(['\n', '\r']).count();
    assert!(parsed.mistakes.is_sorted_by_key(|mistake| mistake.line));
    let rejected = parsed.mistakes.iter();
    let rejected = rejected.filter(|mistake| mistake.problem.rejects_line());
    assert!(rejected.count() + parsed.rules.len() <= lines);
    for mistake in &parsed.mistakes {
        assert!((1..=lines).contains(&mistake.line));
        let shown = mistake.to_string();
        assert!(!shown.contains(char::is_control), "{shown:?}");
        assert!(shown.contains("; valid: "));
    }
    let mut again = Rules::default();
    for line in text
        .strip_prefix('\u{feff}')
        .unwrap_or(&text)
        .split(['\n', '\r'])
    {
        again.append(Rules::from_lines([(1, line)]).rules);
    }
    assert_eq!(again, parsed.rules);

    assert!(parsed.rules.hosts().all(|host| host.chars().count() >= 2));
    ask(Access::new(Arc::new(parsed.rules)), data);
}

fn ask(mut access: Access, data: &[u8]) {
    let [a, b, c, d, ..] = *data else {
        return;
    };
    let address = IpAddr::from([a, b, c, d]);
    let name = String::from_utf8_lossy(data);
    let mapped = Ipv4Addr::from([a, b, c, d]).to_ipv6_mapped();
    let before = access.info(Time::ZERO, address);
    let level = before.level;
    assert!(before.ban.is_none() && before.silence.is_none());
    assert_eq!(access.level(Time::ZERO, mapped.into()), level);
    access.level(Time::ZERO, Ipv6Addr::from_bits(u128::MAX / 3).into());
    assert_eq!(
        access.allows_game(&name),
        access.allows_game(&name.to_ascii_lowercase())
    );
    access.allows_emulator(&name);
    let saved = access.saved(Time::ZERO, Epoch(0));
    access.restore(Time::ZERO, Epoch(0), &saved);
    assert_eq!(access.saved(Time::ZERO, Epoch(0)), saved);
}
