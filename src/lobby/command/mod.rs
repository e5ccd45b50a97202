//! Lines that begin with a slash: the tables of words, and how a line is read.

mod game;
mod lobby;
mod room;

use super::catalogue::Text;

/// One command.
struct Entry<C: 'static> {
    /// With its slash, in lower case.
    word: &'static str,
    command: C,
    /// How it is used; shown by `/help`, and when it was used otherwise.
    help: Text,
}

/// The entry for `word`, in any case.
fn find<'t, C>(table: &'t [Entry<C>], word: &[u8]) -> Option<&'t Entry<C>> {
    let is_it = |entry: &&Entry<C>| entry.word.as_bytes().eq_ignore_ascii_case(word);
    table.iter().find(is_it)
}

/// The first word of a line, and what follows without outer blanks.
fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(|byte| *byte == b' ');
    let (word, rest) = line
        .split_at_checked(end.unwrap_or(line.len()))
        .unwrap_or((line, &[]));
    (word, super::charset::trim(rest))
}

/// A number in decimal digits.
fn number(digits: &[u8]) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(digits).ok()?;
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_at_runs_of_blanks() {
        assert_eq!(
            split(b"/me  waves  a lot "),
            (&b"/me"[..], &b"waves  a lot"[..])
        );
        assert_eq!(split(b"/me"), (&b"/me"[..], &b""[..]));
    }

    #[test]
    fn numbers_are_digits_only() {
        assert_eq!(number(b"042"), Some(42));
        for text in [
            &b""[..],
            b"-5",
            b"+5",
            b"1,234",
            b"4 2",
            b"99999999999",
            b"\xB2",
        ] {
            assert_eq!(number(text), None);
        }
    }

    #[test]
    fn whole_words_match_in_any_case() {
        let table = [Entry {
            word: "/me",
            command: (),
            help: Text::HelpMe,
        }];
        assert!(find(&table, b"/ME").is_some());
        assert!(find(&table, b"/mean").is_none());
    }
}
