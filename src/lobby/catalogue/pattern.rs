//! Patterns as operators' files have them: Java's MessageFormat (kaillera-server.md 4.2).
//!
//! `{0}` and `{0,number,integer}` stand for the first parameter, without grouping of digits.
//! `''` is an apostrophe; a single one begins or ends a stretch that is taken literally. Other
//! things in braces are shown as they are.

/// Highest number of a placeholder; no text has nearly as many.
const HIGHEST: usize = 99;

/// One part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part<'t> {
    /// Shown as it is.
    Literal(String),
    /// A parameter.
    Place {
        index: usize,
        /// What is shown if there is no such parameter.
        source: &'t str,
    },
}

impl Part<'_> {
    /// The number of the parameter that stands here.
    pub(super) fn index(&self) -> Option<usize> {
        match self {
            Self::Literal(_) => None,
            Self::Place { index, .. } => Some(*index),
        }
    }
}

/// Takes `template` apart. Every text is a pattern: what has no meaning stands for itself.
pub(super) fn parse(template: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut quoted = false;
    let mut rest = template;
    while let Some(character) = rest.chars().next() {
        let (head, tail) = rest.split_at(character.len_utf8());
        rest = tail;
        match character {
            '\'' => match tail.strip_prefix('\'') {
                Some(tail) => {
                    literal.push('\'');
                    rest = tail;
                }
                None => quoted = !quoted,
            },
            '{' if !quoted => match place(tail) {
                Some((index, source, tail)) => {
                    if !literal.is_empty() {
                        parts.push(Part::Literal(std::mem::take(&mut literal)));
                    }
                    parts.push(Part::Place { index, source });
                    rest = tail;
                }
                None => literal.push_str(head),
            },
            _ => literal.push(character),
        }
    }
    if !literal.is_empty() {
        parts.push(Part::Literal(literal));
    }
    parts
}

/// The placeholder that `rest` begins with after its opening brace: its number, its source
/// without that brace, and what follows it.
fn place(rest: &str) -> Option<(usize, &str, &str)> {
    let end = rest.find(['{', '}'])?;
    let (inside, tail) = rest.split_at(end);
    let tail = tail.strip_prefix('}')?;
    let (index, format) = inside.split_once(',').unwrap_or((inside, "number"));
    let kind = format.split(',').next().unwrap_or(format);
    let is_number = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    let index = index.parse().ok().filter(|index| *index <= HIGHEST)?;
    (is_number && kind.trim() == "number").then_some((index, inside, tail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `template` with parameters, as it is shown.
    fn shown(template: &str, params: &[&str]) -> String {
        let part = |part: &Part<'_>| match part {
            Part::Literal(text) => text.clone(),
            Part::Place { index, source } => match params.get(*index) {
                Some(param) => (*param).to_owned(),
                None => format!("{{{source}}}"),
            },
        };
        parse(template).iter().map(part).collect()
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
            parse(&template);
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
