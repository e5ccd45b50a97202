//! The character sets a server may speak (kaillera.md 12).

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, MACINTOSH, SHIFT_JIS, WINDOWS_874,
    X_MAC_CYRILLIC, X_USER_DEFINED,
};

/// Names operators may write, for complaints and help.
pub(super) const NAMES: &str = "windows-1252, windows-1251, GBK, Shift_JIS, x-IBM949, UTF-8, or \
                                another that has ASCII in it, by its name in Java or in HTML";

/// Names from Java and Windows that are no labels of the Encoding Standard, in small letters and
/// digits alone.
const ALIASES: [(&str, &Encoding); 30] = [
    ("xibm949", EUC_KR),
    ("xibm949c", EUC_KR),
    ("ibm949", EUC_KR),
    ("xwindows949", EUC_KR),
    ("ms949", EUC_KR),
    ("cp949", EUC_KR),
    ("cp949c", EUC_KR),
    ("euckr", EUC_KR),
    ("ms936", GBK),
    ("cp936", GBK),
    ("xmswin936", GBK),
    ("euccn", GBK),
    ("gb180302000", GB18030),
    ("cp932", SHIFT_JIS),
    ("cp943", SHIFT_JIS),
    ("cp943c", SHIFT_JIS),
    ("xibm943", SHIFT_JIS),
    ("xibm943c", SHIFT_JIS),
    ("pck", SHIFT_JIS),
    ("eucjp", EUC_JP),
    ("eucjis", EUC_JP),
    ("ms950", BIG5),
    ("xwindows950", BIG5),
    ("cp950", BIG5),
    ("xibm950", BIG5),
    ("ms874", WINDOWS_874),
    ("xwindows874", WINDOWS_874),
    ("tis620", WINDOWS_874),
    ("xmacroman", MACINTOSH),
    ("xmaccyrillic", X_MAC_CYRILLIC),
];

/// The character set called `name`: a label of the Encoding Standard or a Java name, in any
/// case. None if there is no such set, or if its letters are not told apart byte by byte: such
/// sets have letters and signs of the protocol's own, the final zero above all, within others.
pub fn charset(name: &str) -> Option<&'static Encoding> {
    let name = name.trim();
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == plain);
    alias
        .map(|(_, encoding)| *encoding)
        .or_else(|| Encoding::for_label(name.as_bytes()))
        // Java writes ISO8859_2, HTML iso-8859-2.
        .or_else(|| Encoding::for_label(name.replace('_', "-").as_bytes()))
        .or_else(|| {
            let part = plain
                .strip_prefix("iso8859")
                .or_else(|| plain.strip_prefix("8859"))?;
            Encoding::for_label(format!("iso-8859-{part}").as_bytes())
        })
        .filter(|encoding| encoding.is_ascii_compatible() && *encoding != X_USER_DEFINED)
}

/// `line` in pieces that can be sent in `charset` within `longest` bytes each: what it lacks is a
/// question mark, a control character a blank, and a piece ends between words or else letters.
pub(super) fn fit(charset: &'static Encoding, line: &str, longest: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let (mut piece, mut bytes) = (String::new(), 0);
    for letter in line.chars() {
        let letter = if letter.is_control() { ' ' } else { letter };
        let letter = if width(charset, letter).is_some() {
            letter
        } else {
            '?'
        };
        let width = width(charset, letter).unwrap_or(1);
        while bytes + width > longest && !piece.is_empty() {
            let rest = match piece.rfind(' ') {
                Some(blank) => piece.split_off(blank + 1),
                None => String::new(),
            };
            pieces.push(std::mem::replace(&mut piece, rest).trim_end().to_owned());
            bytes = charset.encode(&piece).0.len();
        }
        piece.push(letter);
        bytes += width;
    }
    pieces.push(piece);
    if pieces.len() > 1 {
        pieces.retain(|piece| !piece.is_empty());
    }
    pieces
}

/// Bytes of a letter; none if the set lacks it.
fn width(charset: &'static Encoding, letter: char) -> Option<usize> {
    let mut utf8 = [0; 4];
    let (bytes, _, lacks) = charset.encode(letter.encode_utf8(&mut utf8));
    (!lacks).then_some(bytes.len())
}

/// Whether `line` can be sent in `charset` as it is, within `longest` bytes.
pub(super) fn fits(charset: &'static Encoding, line: &str, longest: usize) -> bool {
    let (bytes, _, unmappable) = charset.encode(line);
    !unmappable && bytes.len() <= longest && !line.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{
        GB18030, ISO_8859_2, ISO_8859_15, KOI8_R, UTF_8, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252,
    };

    #[test]
    fn names() {
        for (name, expected) in [
            ("Windows-1252", WINDOWS_1252),
            ("Cp1252", WINDOWS_1252),
            ("ISO-8859-1", WINDOWS_1252),
            ("windows-1251", WINDOWS_1251),
            ("Cp1251", WINDOWS_1251),
            ("GBK", GBK),
            ("gb2312", GBK),
            ("CP936", GBK),
            ("Shift_JIS", SHIFT_JIS),
            ("windows-31j", SHIFT_JIS),
            ("CP932", SHIFT_JIS),
            ("x-IBM949", EUC_KR),
            ("EUC-KR", EUC_KR),
            ("windows-949", EUC_KR),
            (" utf8 ", UTF_8),
            ("UTF8", UTF_8),
            ("US-ASCII", WINDOWS_1252),
            ("ISO8859_1", WINDOWS_1252),
            ("8859_1", WINDOWS_1252),
            ("ISO8859_2", ISO_8859_2),
            ("iso-8859-2", ISO_8859_2),
            ("ISO8859_15", ISO_8859_15),
            ("Cp1250", WINDOWS_1250),
            ("KOI8_R", KOI8_R),
            ("EUC_JP", EUC_JP),
            ("EUC_KR", EUC_KR),
            ("x-windows-949", EUC_KR),
            ("MS949", EUC_KR),
            ("MS932", SHIFT_JIS),
            ("SJIS", SHIFT_JIS),
            ("x-IBM943", SHIFT_JIS),
            ("big5", BIG5),
            ("MS950", BIG5),
            ("gb18030", GB18030),
            ("x-MacRoman", MACINTOSH),
            ("TIS-620", WINDOWS_874),
        ] {
            assert_eq!(charset(name), Some(expected), "{name}");
        }
    }

    #[test]
    fn sets_with_letters_within_letters() {
        for name in [
            "",
            "utf-16",
            "UTF-16LE",
            "UnicodeBig",
            "iso-2022-jp",
            "x-user-defined",
            "replacement",
            "Cp437",
            "8859",
            "x",
        ] {
            assert_eq!(charset(name), None, "{name}");
        }
    }

    #[test]
    fn lines_are_made_to_fit() {
        let words = "one two three four";
        assert_eq!(fit(WINDOWS_1252, words, 100), [words]);
        assert_eq!(fit(WINDOWS_1252, words, 9), ["one two", "three", "four"]);
        assert_eq!(fit(WINDOWS_1252, "abcdef", 4), ["abcd", "ef"]);
        assert_eq!(fit(WINDOWS_1252, "a\u{43f}\tb", 4), ["a? b"]);
        assert_eq!(
            fit(SHIFT_JIS, "a\u{8868}\u{793a}", 4),
            ["a\u{8868}", "\u{793a}"]
        );
        assert_eq!(fit(WINDOWS_1252, "", 4), [""]);
        for line in [
            "",
            "a b c",
            "\u{e9}\u{e9}\u{e9} \u{8868}",
            "\u{1f600}x\0y",
            "    ",
        ] {
            for charset in [WINDOWS_1252, SHIFT_JIS, UTF_8, GB18030] {
                for piece in fit(charset, line, 4) {
                    assert!(fits(charset, &piece, 4), "{piece:?}");
                }
            }
        }
    }

    #[test]
    fn lines_that_fit() {
        assert!(fits(WINDOWS_1252, "caf\u{e9}", 4));
        assert!(!fits(WINDOWS_1252, "caf\u{e9}", 3));
        assert!(!fits(UTF_8, "caf\u{e9}", 4));
        assert!(!fits(WINDOWS_1252, "\u{43f}\u{440}\u{438}", 100));
        assert!(fits(WINDOWS_1251, "\u{43f}\u{440}\u{438}", 3));
        assert!(!fits(WINDOWS_1252, "a\0b", 100));
    }
}
