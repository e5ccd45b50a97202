//! Whether there is a newer version: what a page says, and what is made of it.
//!
//! ```text
//!   GET url     User-Agent: Samara/0.1.0        and nothing else about the server
//!   200 OK      {"version": "0.2.0", "notes": ["Fewer bugs."]}
//! ```

use crate::lobby::Update;
use std::time::Duration;

/// From one look to the next.
pub(super) const EVERY: Duration = Duration::from_secs(24 * 60 * 60);
/// Most bytes of an answer.
pub(super) const ANSWER: u64 = 16 << 10;
/// Most letters of a version.
const VERSION: usize = 32;
/// Most lines about it, and letters of each.
const NOTES: usize = 8;
const NOTE: usize = 200;

/// What a page says, if that can be understood.
pub(super) fn read(answer: &str) -> Option<Update> {
    let answer: serde_json::Value = serde_json::from_str(answer).ok()?;
    let version = answer.get("version")?.as_str()?;
    numbers(version)?;
    let notes = answer.get("notes").and_then(|notes| notes.as_array());
    let notes = notes.into_iter().flatten().filter_map(|it| it.as_str());
    let notes = notes.map(plain).filter(|note| !note.is_empty());
    Some(Update {
        version: version.to_owned(),
        notes: notes.take(NOTES).collect(),
    })
}

/// Whether `version` comes after `than`; one that cannot be read does not.
pub(super) fn is_newer(version: &str, than: &str) -> bool {
    match (numbers(version), numbers(than)) {
        (Some(version), Some(than)) => version > than,
        _ => false,
    }
}

/// The numbers of `1.2.3`; a version that is not finished yet (`1.2.3-beta`) is none.
fn numbers(version: &str) -> Option<[u32; 3]> {
    if version.len() > VERSION {
        return None;
    }
    let mut numbers = [0; 3];
    let mut places = numbers.iter_mut();
    for part in version.split('.') {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        *places.next()? = part.parse().ok().filter(|_| is_number)?;
    }
    Some(numbers)
}

/// A line that stays one.
fn plain(note: &str) -> String {
    let letters = note.trim().chars().filter(|letter| !letter.is_control());
    letters.take(NOTE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn update(version: &str, notes: &[&str]) -> Option<Update> {
        Some(Update {
            version: version.to_owned(),
            notes: notes.iter().map(|note| (*note).to_owned()).collect(),
        })
    }

    #[test]
    fn answers() {
        for (answer, expected) in [
            (r#"{"version": "1.2.3"}"#, update("1.2.3", &[])),
            (
                r#"{"notes": ["a", 7, "", "b\r\nc\u001b"], "version": "2", "x": 1}"#,
                update("2", &["a", "bc"]),
            ),
            (r#"{"version": "1", "notes": "a"}"#, update("1", &[])),
            (r#"{"version": 2}"#, None),
            (r#"{"version": "1.2.3-beta"}"#, None),
            (r#"{"version": ""}"#, None),
            (r#"{"version": "1.2.3.4"}"#, None),
            (r#"{"version": "1.+2"}"#, None),
            (r#"["version"]"#, None),
            ("<html>", None),
            ("", None),
        ] {
            assert_eq!(read(answer), expected, "{answer}");
        }
        let long = format!(r#"{{"version": "{}"}}"#, "0".repeat(VERSION + 1));
        assert_eq!(read(&long), None);
    }

    #[test]
    fn notes_have_bounds() {
        let notes = vec!["n".repeat(1000); 50];
        let answer = serde_json::json!({ "version": "9", "notes": notes }).to_string();
        let notes = read(&answer).unwrap().notes;
        assert_eq!(notes, vec!["n".repeat(NOTE); NOTES]);
    }

    #[test]
    fn later_versions() {
        for (version, than, expected) in [
            ("0.2.0", "0.1.9", true),
            ("0.1.10", "0.1.9", true),
            ("1", "0.9.9", true),
            ("1.0", "1.0.0", false),
            ("0.1.0", "0.1.0", false),
            ("0.0.9", "0.1.0", false),
            ("1.2.3-beta", "0.1.0", false),
        ] {
            assert_eq!(is_newer(version, than), expected, "{version} {than}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_answer_is_an_answer(answer in r#"(\{"version": ")?.{0,40}("\})?"#) {
            if let Some(update) = read(&answer) {
                prop_assert!(!update.version.contains(char::is_control));
            }
        }
    }
}
