//! The server's character set (kaillera.md 12): for checks, and for the server's own texts.
//!
//! What users send is relayed as the bytes they sent; nothing here touches it.

use encoding_rs::{CoderResult, DecoderResult, Encoding};
use std::borrow::Cow;

/// The character set that texts are read and written in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charset(&'static Encoding);

impl Charset {
    pub(super) fn new(encoding: &'static Encoding) -> Self {
        Self(encoding)
    }

    /// The characters of `bytes`; U+FFFD where they are none.
    pub(super) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        self.0.decode_without_bom_handling(bytes).0
    }

    /// How many characters `bytes` are, as the lengths in an operator's files count them: in
    /// UTF-16 units (kaillera-server.md 3.2).
    pub(super) fn count(self, bytes: &[u8]) -> usize {
        let mut count = 0;
        self.scan(bytes, |character| count += character.len_utf16());
        count
    }

    /// Whether `bytes` are no text: an emulator's data, in control characters or in bytes that
    /// the set does not know (kaillera-server.md 7.8).
    pub(super) fn is_data(self, bytes: &[u8]) -> bool {
        self.any(bytes, |it| it < ' ' || it == char::REPLACEMENT_CHARACTER)
    }

    /// `bytes` in pieces of whole characters and of at most `limit` bytes. Some clients send
    /// UTF-8 whatever the set is (kaillera-server.md 16.5): theirs are cut between its characters.
    pub(super) fn pieces(self, bytes: &[u8], limit: usize) -> impl Iterator<Item = &[u8]> {
        let is_long_utf8 = bytes.len() > limit && std::str::from_utf8(bytes).is_ok();
        let set = match is_long_utf8 {
            true => Self(encoding_rs::UTF_8),
            false => self,
        };
        let mut rest = bytes;
        std::iter::from_fn(move || {
            let (piece, tail) = set.split(rest, limit);
            rest = tail;
            (!piece.is_empty()).then_some(piece)
        })
    }

    /// Whether one of the characters is `wanted`; a second byte of another one is not.
    pub(super) fn has(self, bytes: &[u8], wanted: char) -> bool {
        self.any(bytes, |it| it == wanted)
    }

    /// Whether one of the characters is below 32.
    pub(super) fn has_control(self, bytes: &[u8]) -> bool {
        self.any(bytes, |it| it < ' ')
    }

    /// Whether there is nothing to see, no-break spaces included.
    pub(super) fn is_blank(self, bytes: &[u8]) -> bool {
        trim(bytes).is_empty() || !self.any(bytes, |it| !it.is_whitespace())
    }

    /// Whether the first bytes are no character.
    pub(super) fn begins_with_none(self, bytes: &[u8]) -> bool {
        let mut first = None;
        self.scan(bytes, |character| {
            first.get_or_insert(character);
        });
        first == Some(char::REPLACEMENT_CHARACTER)
    }

    /// A form that is equal for texts that differ only in case and outer blanks.
    pub(super) fn fold(self, bytes: &[u8]) -> Vec<u8> {
        let decoded = self
            .0
            .decode_without_bom_handling_and_without_replacement(bytes);
        match decoded {
            Some(text) => text.trim().to_lowercase().into_bytes(),
            None => trim(bytes).to_ascii_lowercase(),
        }
    }

    /// Appends `text`, with `?` for characters the set lacks.
    pub(super) fn encode_into(self, text: &str, out: &mut Vec<u8>) {
        let mut utf8 = [0; 4];
        for character in text.chars() {
            match self.0.encode(character.encode_utf8(&mut utf8)) {
                (bytes, _, false) => out.extend_from_slice(&bytes),
                (_, _, true) => out.push(b'?'),
            }
        }
    }

    /// Splits `bytes` after the last whole character that ends within `limit` bytes.
    pub(super) fn split(self, bytes: &[u8], limit: usize) -> (&[u8], &[u8]) {
        if bytes.len() <= limit {
            return (bytes, &[]);
        }
        let mut end = 0;
        while let Some(rest) = bytes.get(end..) {
            let next = end + self.width(rest);
            if next > limit {
                break;
            }
            end = next;
        }
        bytes.split_at_checked(end).unwrap_or((bytes, &[]))
    }

    /// Bytes of the first character; 1 if they are none.
    fn width(self, bytes: &[u8]) -> usize {
        let is_character = |width: &usize| {
            bytes.get(..*width).is_some_and(|bytes| {
                let mut decoder = self.0.new_decoder_without_bom_handling();
                let mut out = [0; 16];
                let (result, ..) =
                    decoder.decode_to_utf8_without_replacement(bytes, &mut out, true);
                result == DecoderResult::InputEmpty
            })
        };
        (1..=4).find(is_character).unwrap_or(1)
    }

    fn any(self, bytes: &[u8], is_it: impl Fn(char) -> bool) -> bool {
        let mut found = false;
        self.scan(bytes, |character| found |= is_it(character));
        found
    }

    /// Shows the characters of `bytes` one by one; lines are looked at without a heap.
    fn scan(self, bytes: &[u8], mut see: impl FnMut(char)) {
        let mut decoder = self.0.new_decoder_without_bom_handling();
        let mut out = [0; 256];
        let mut rest = bytes;
        loop {
            let (result, read, written, _) = decoder.decode_to_utf8(rest, &mut out, true);
            let text = out.get(..written).unwrap_or_default();
            let text = std::str::from_utf8(text).unwrap_or_default();
            text.chars().for_each(&mut see);
            if result == CoderResult::InputEmpty {
                return;
            }
            rest = rest.get(read..).unwrap_or_default();
        }
    }
}

/// `bytes` without blanks and control characters at both ends.
///
/// In no character set in use is a byte up to 32 part of a longer character.
pub(super) fn trim(bytes: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| *byte <= b' ';
    let start = bytes.iter().position(|byte| !is_blank(byte));
    let end = bytes.iter().rposition(|byte| !is_blank(byte));
    match (start, end) {
        (Some(start), Some(end)) => bytes.get(start..=end).unwrap_or_default(),
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{EUC_KR, GBK, SHIFT_JIS, UTF_8, WINDOWS_1252};

    #[test]
    fn second_bytes_are_no_characters_of_their_own() {
        let sjis = Charset::new(SHIFT_JIS);
        let hyou = [0x95, 0x5C];
        assert!(!sjis.has(&hyou, '\\'));
        assert!(Charset::new(WINDOWS_1252).has(&hyou, '\\'));
        assert_eq!(sjis.count(&[0x95, 0x5C, 0x8E, 0xA6]), 2);
    }

    #[test]
    fn splits_between_characters() {
        let sjis = Charset::new(SHIFT_JIS);
        let text = [b'a', 0x95, 0x5C, 0x8E, 0xA6, b'b'];
        assert_eq!(sjis.split(&text, 4), (&text[..3], &text[3..]));
        assert_eq!(sjis.split(&text, 6), (&text[..], &[][..]));
        assert_eq!(Charset::new(UTF_8).split("é€".as_bytes(), 4).0.len(), 2);
        let malformed = [0x81; 9];
        for encoding in [GBK, EUC_KR, SHIFT_JIS, UTF_8] {
            assert!(Charset::new(encoding).split(&malformed, 4).0.len() <= 4);
        }
    }

    #[test]
    fn counts_utf16_units() {
        assert_eq!(Charset::new(UTF_8).count("aé\u{8868}".as_bytes()), 3);
        assert_eq!(Charset::new(UTF_8).count("\u{1F600}".as_bytes()), 2);
        assert_eq!(Charset::new(SHIFT_JIS).count(&[0x95, 0x5C, b'a']), 2);
    }

    #[test]
    fn pieces_are_the_whole() {
        let sjis = Charset::new(SHIFT_JIS);
        let text = [0x95, 0x5C].repeat(300);
        let pieces: Vec<&[u8]> = sjis.pieces(&text, 255).collect();
        assert_eq!(pieces.concat(), text);
        let lengths: Vec<usize> = pieces.iter().map(|piece| piece.len()).collect();
        assert_eq!(lengths, [254, 254, 92]);
        assert_eq!(sjis.pieces(b"", 255).count(), 0);
    }

    #[test]
    fn data_has_control_characters_or_bytes_of_no_character() {
        let sjis = Charset::new(SHIFT_JIS);
        assert!(sjis.is_data(b"\nDA1"));
        assert!(sjis.is_data(b"a\xFF"));
        assert!(!sjis.is_data(&[0x95, 0x5C, b'!']));
        assert!(!Charset::new(WINDOWS_1252).is_data(b"caf\xE9 \xFF"));
    }

    #[test]
    fn folds_case_and_blanks() {
        let latin = Charset::new(WINDOWS_1252);
        assert_eq!(latin.fold(b" \xC9va "), latin.fold(b"\xE9VA"));
        let korean = Charset::new(EUC_KR);
        assert_eq!(korean.fold(b"A\xFF "), korean.fold(b"a\xFF"));
    }

    #[test]
    fn writes_a_question_mark_for_what_it_lacks() {
        let mut out = Vec::new();
        Charset::new(WINDOWS_1252).encode_into("é鵺!", &mut out);
        assert_eq!(out, b"\xE9?!");
    }

    #[test]
    fn trims_both_ends() {
        assert_eq!(trim(b" \t a b\n "), b"a b");
        assert_eq!(trim(b" \x01 "), b"");
    }

    #[test]
    fn utf_8_is_cut_between_its_characters_in_every_set() {
        let text = "\u{3042}".repeat(100);
        for set in [WINDOWS_1252, SHIFT_JIS, UTF_8] {
            let pieces: Vec<&[u8]> = Charset::new(set).pieces(text.as_bytes(), 255).collect();
            assert_eq!(pieces.concat(), text.as_bytes());
            for piece in pieces {
                assert!(std::str::from_utf8(piece).is_ok_and(|it| it.len() <= 255));
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_scanned_is_what_is_decoded(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..600),
        ) {
            for set in [WINDOWS_1252, SHIFT_JIS, GBK, EUC_KR, UTF_8] {
                let set = Charset::new(set);
                let mut scanned = String::new();
                set.scan(&bytes, |it| scanned.push(it));
                proptest::prop_assert_eq!(scanned, set.decode(&bytes));
            }
        }
    }
}
