//! The character sets a server may speak (kaillera.md 12).

use encoding_rs::{EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_8, WINDOWS_1251, WINDOWS_1252};

/// Names operators may write, for complaints and help.
pub(super) const NAMES: &str = "windows-1252, windows-1251, GBK, Shift_JIS, x-IBM949, UTF-8";

/// Names from Java and Windows that are no labels of the Encoding Standard.
const ALIASES: [(&str, &Encoding); 7] = [
    ("x-ibm949", EUC_KR),
    ("x-windows-949", EUC_KR),
    ("ms949", EUC_KR),
    ("cp949", EUC_KR),
    ("ms936", GBK),
    ("cp936", GBK),
    ("cp932", SHIFT_JIS),
];

/// The character set called `name`: a label of the Encoding Standard or a Java name, in any
/// case. None if there is no such set or clients do not use it.
pub fn charset(name: &str) -> Option<&'static Encoding> {
    let name = name.trim();
    let alias = ALIASES
        .iter()
        .find(|(alias, _)| alias.eq_ignore_ascii_case(name));
    alias
        .map(|(_, encoding)| *encoding)
        .or_else(|| Encoding::for_label(name.as_bytes()))
        .filter(|encoding| {
            [WINDOWS_1252, WINDOWS_1251, GBK, SHIFT_JIS, EUC_KR, UTF_8].contains(encoding)
        })
}

/// Whether `line` can be sent in `charset` as it is, within `longest` bytes.
pub(super) fn fits(charset: &'static Encoding, line: &str, longest: usize) -> bool {
    let (bytes, _, unmappable) = charset.encode(line);
    !unmappable && bytes.len() <= longest && !line.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            assert_eq!(charset(name), Some(expected), "{name}");
        }
    }

    #[test]
    fn sets_that_no_client_uses() {
        for name in [
            "",
            "utf-16",
            "utf-16le",
            "big5",
            "gb18030",
            "iso-8859-2",
            "replacement",
            "x",
        ] {
            assert_eq!(charset(name), None, "{name}");
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
