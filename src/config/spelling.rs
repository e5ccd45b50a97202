//! Which key an operator meant.

use super::document::KeyName;

/// Longest name that is compared; no key is nearly as long.
const LONGEST: usize = 64;

/// The known key whose name is so close to `section.key` that it must be meant: mistyped, in
/// another section, in camel case, or without its unit.
pub(super) fn nearest(known: &[KeyName], section: Option<&str>, key: &str) -> Option<KeyName> {
    let name = letters(key);
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let close = known.iter().filter_map(|known| {
        let target = letters(known.key);
        let is_stem = name.len() >= 4 && target.starts_with(&name);
        let distance = if is_stem { 1 } else { distance(&name, &target) };
        let elsewhere = section != Some(known.section);
        (distance <= name.len() / 3).then_some((distance, elsewhere, *known))
    });
    close
        .min_by_key(|(distance, elsewhere, _)| (*distance, *elsewhere))
        .map(|(.., known)| known)
}

fn letters(name: &str) -> Vec<char> {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The number of letters to insert, remove or replace to turn `a` into `b`; letters in the
/// wrong order count as one.
fn distance(a: &[char], b: &[char]) -> usize {
    if a != b && sorted(a) == sorted(b) {
        return 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, a) in a.iter().enumerate() {
        let mut left = index + 1;
        let mut diagonal = index;
        for (b, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            *cell = (diagonal + usize::from(a != b))
                .min(above + 1)
                .min(left + 1);
            (left, diagonal) = (*cell, above);
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

fn sorted(letters: &[char]) -> Vec<char> {
    let mut letters = letters.to_vec();
    letters.sort_unstable();
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [KeyName; 4] = [
        KeyName::new("net", "port"),
        KeyName::new("kaillera", "max_ping_ms"),
        KeyName::new("kaillera", "max_games"),
        KeyName::new("limits", "inbox"),
    ];

    fn meant(section: &str, key: &str) -> Option<&'static str> {
        nearest(&KNOWN, Some(section), key).map(|known| known.key)
    }

    #[test]
    fn distances() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
            ("a", "", 1),
        ] {
            assert_eq!(distance(&letters(a), &letters(b)), expected, "{a} {b}");
        }
    }

    #[test]
    fn close_names_are_meant() {
        assert_eq!(meant("kaillera", "max_pings_ms"), Some("max_ping_ms"));
        assert_eq!(meant("kaillera", "maxPing"), Some("max_ping_ms"));
        assert_eq!(meant("net", "prot"), Some("port"));
        assert_eq!(meant("limits", "max-games"), Some("max_games"));
        assert_eq!(meant("net", "inbox"), Some("inbox"));
    }

    #[test]
    fn other_names_are_not() {
        for key in ["", "_", "colour", "p", "x".repeat(1000).as_str()] {
            assert_eq!(meant("kaillera", key), None, "{key}");
        }
    }
}
