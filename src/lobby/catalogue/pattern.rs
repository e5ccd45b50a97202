//! Patterns as operators' files have them: Java's MessageFormat (kaillera-server.md 4.2).
//!
//! `{0}` and `{0,number,integer}` stand for the first parameter, without grouping of digits.
//! `''` is an apostrophe; a single one begins or ends a stretch that is taken literally. Other
//! things in braces are shown as they are.

/// Highest number of a placeholder; no text has nearly as many.
const HIGHEST: u8 = 99;

/// One part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'t> {
    /// Shown as it is.
    Literal(&'t str),
    /// A parameter.
    Place {
        index: u8,
        /// What is shown if there is no such parameter.
        source: &'t str,
    },
}

impl Part<'_> {
    /// The number of the parameter that stands here.
    pub(super) fn index(self) -> Option<usize> {
        match self {
            Self::Literal(_) => None,
            Self::Place { index, .. } => Some(index.into()),
        }
    }
}

/// Takes `template` apart. Every text is a pattern: what has no meaning stands for itself.
pub(super) fn parse(template: &str) -> Parts<'_> {
    Parts {
        rest: template,
        quoted: false,
    }
}

/// The parts of a pattern, from left to right.
#[derive(Debug)]
pub(super) struct Parts<'t> {
    rest: &'t str,
    /// Whether what follows is taken literally.
    quoted: bool,
}

impl<'t> Iterator for Parts<'t> {
    type Item = Part<'t>;

    fn next(&mut self) -> Option<Part<'t>> {
        loop {
            let quoted = self.quoted;
            let is_mark = |c: char| c == '\'' || c == '{' && !quoted;
            let end = self.rest.find(is_mark).unwrap_or(self.rest.len());
            let (literal, rest) = self.rest.split_at(end);
            if !literal.is_empty() {
                self.rest = rest;
                return Some(Part::Literal(literal));
            }
            if let Some(rest) = self.rest.strip_prefix("''") {
                self.rest = rest;
                return Some(Part::Literal("'"));
            }
            let Some(rest) = self.rest.strip_prefix('\'') else {
                break;
            };
            self.rest = rest;
            self.quoted = !self.quoted;
        }
        let after_brace = self.rest.strip_prefix('{')?;
        let (part, rest) = place(self.rest).unwrap_or((Part::Literal("{"), after_brace));
        self.rest = rest;
        Some(part)
    }
}

/// The placeholder that `rest` begins with, and what follows it.
fn place(rest: &str) -> Option<(Part<'_>, &str)> {
    let inside = rest.strip_prefix('{')?;
    let inside = inside.split(['{', '}']).next()?;
    let (source, tail) = rest.split_at_checked(inside.len() + "{}".len())?;
    let (index, format) = inside.split_once(',').unwrap_or((inside, "number"));
    let kind = format.split(',').next().unwrap_or(format);
    let is_number = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    let index = index.parse().ok().filter(|index| *index <= HIGHEST)?;
    let is_place = source.ends_with('}') && is_number && kind.trim() == "number";
    is_place.then_some((Part::Place { index, source }, tail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `template` with parameters, as it is shown.
    fn shown(template: &str, params: &[&str]) -> String {
        let part = |part| match part {
            Part::Literal(text) => text,
            Part::Place { index, source } => {
                params.get(usize::from(index)).copied().unwrap_or(source)
            }
        };
        parse(template).map(part).collect()
    }

    #[test]
    fn the_table_of_the_format() {
        for (template, params, expected) in [
            ("It's {0}", &["x"][..], "Its {0}"),
            ("It''s {0}", &["x"], "It's x"),
            ("User {0} gone", &["12345"], "User 12345 gone"),
            ("{0,number,integer} min", &["1440"], "1440 min"),
            ("{0} and {1}", &["a"], "a and {1}"),
            ("{0,number} {0, number ,#.##}", &["7"], "7 7"),
            ("{1} before {0}", &["a", "b"], "b before a"),
            ("'{0}' is {0}", &["a"], "{0} is a"),
            ("'{''0}'", &["a"], "{'0}"),
            ("a '' b", &[], "a ' b"),
            ("open 'to the end {0}", &["a"], "open to the end {0}"),
            ("} {", &["a"], "} {"),
            (
                "{} {x} {-1} {+1} { 0} {0,date}",
                &["a"],
                "{} {x} {-1} {+1} { 0} {0,date}",
            ),
            ("{ {0} }", &["a"], "{ a }"),
            ("{0", &["a"], "{0"),
            (
                "{99999999999999999999} {100}",
                &["a"],
                "{99999999999999999999} {100}",
            ),
            ("", &["a"], ""),
        ] {
            assert_eq!(shown(template, params), expected, "{template}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_pattern(template in "[{}',0-9a-z \u{e9}\u{8868}]{0,40}") {
            shown(&template, &["x"]);
        }

        #[test]
        fn text_without_marks_is_itself(template in "[^{']{0,40}") {
            prop_assert_eq!(shown(&template, &["x"]), template);
        }

        #[test]
        fn doubled_apostrophes_are_single_ones(template in "[^{]{0,40}") {
            prop_assert_eq!(shown(&template.replace('\'', "''"), &["x"]), template);
        }

        #[test]
        fn a_quoted_text_is_itself(text in "[^']{1,40}") {
            prop_assert_eq!(shown(&format!("'{text}'"), &["x"]), text);
        }

        #[test]
        fn parameters_are_put_in_as_they_are(
            before in "[^{']{0,9}",
            param in any::<String>(),
            after in "[^{']{0,9}",
        ) {
            let template = format!("{before}{{0,number,integer}}{after}");
            let expected = format!("{before}{param}{after}");
            prop_assert_eq!(shown(&template, &[&param]), expected);
        }
    }

    #[test]
    fn long_templates_take_no_long_time() {
        let template = "{".repeat(200_000);
        assert_eq!(shown(&template, &[]), template);
    }
}
