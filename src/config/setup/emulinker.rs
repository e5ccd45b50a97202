//! Answers in `emulinker.cfg`.

use super::question::{Answers, Question};
use crate::config::properties::{Dialect, Properties};
use encoding_rs::mem::{decode_latin1, encode_latin1_lossy};

/// The key of a question.
pub(super) const fn key(question: Question) -> &'static str {
    match question {
        Question::Name => "masterList.serverName",
        Question::Location => "masterList.serverLocation",
        Question::Language => "emulinker.language",
        Question::Charset => "emulinker.charset",
        Question::Kaillera => "masterList.touchKaillera",
        Question::Emulinker => "masterList.touchEmulinker",
    }
}

/// What stands for an answer that nobody gave.
const fn nothing(question: Question) -> &'static str {
    match question {
        Question::Name => "Not Set",
        Question::Location => "Unknown",
        _ => "",
    }
}

pub(super) fn decode(bytes: &[u8]) -> String {
    decode_latin1(bytes).into_owned()
}

pub(super) fn encode(text: &str) -> Vec<u8> {
    encode_latin1_lossy(text).into_owned()
}

pub(super) fn known(text: &str) -> Answers {
    let (properties, _) = Properties::parse(text, Dialect::Config);
    let answers = Question::ALL.into_iter().filter_map(|question| {
        let value = properties.first(key(question))?.first();
        let is_answer = !value.is_empty() && value != nothing(question);
        is_answer.then(|| (question, value.to_owned()))
    });
    answers.collect()
}

/// `text` with each answer in the place of the line that was blank, or else at the end.
pub(super) fn with(text: &str, answers: &Answers) -> String {
    let (properties, _) = Properties::parse(text, Dialect::Config);
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = lines(text).map(str::to_owned).collect();
    let mut added = Vec::new();
    for (question, answer) in answers {
        let answer = format!("{}={}", key(*question), escape(answer));
        let place = properties.first(key(*question));
        match place.and_then(|property| lines.get_mut(property.line - 1)) {
            Some(line) => {
                let rest = line.trim_end_matches(['\r', '\n']);
                let end = line.get(rest.len()..).unwrap_or_default();
                // The first of two lines counts, so one that goes on can stay behind it.
                let stays = if rest.trim_end().ends_with('\\') {
                    line.as_str()
                } else {
                    ""
                };
                *line = match end {
                    "" => format!("{answer}{newline}{stays}"),
                    end => format!("{answer}{end}{stays}"),
                };
            }
            None => added.push(answer),
        }
    }
    let mut text = lines.concat();
    if !added.is_empty() && !text.is_empty() && !text.ends_with(['\r', '\n']) {
        text.push_str(newline);
    }
    for line in added {
        text.push_str(&line);
        text.push_str(newline);
    }
    text
}

/// The lines of a text with what ends them.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split_inclusive('\n');
    lines.flat_map(|line| {
        // A carriage return ends a line of its own, but not in front of a line feed.
        let end = line.strip_suffix("\r\n").map_or(line.len(), str::len);
        let (before, end) = line.split_at_checked(end).unwrap_or((line, ""));
        let last = before.rfind('\r').map_or(0, |at| at + 1);
        let (before, _) = before.split_at_checked(last).unwrap_or((before, ""));
        let last = line.get(last..).unwrap_or(end);
        let last = (!last.is_empty()).then_some(last);
        before.split_inclusive('\r').chain(last)
    })
}

/// A value that is read as it is.
fn escape(value: &str) -> String {
    let mut escaped = String::new();
    for c in value.chars() {
        match c {
            '\\' | ',' => escaped.extend(['\\', c]),
            c if c.is_control() || c > '\u{ff}' => {
                let units = c.encode_utf16(&mut [0; 2]).to_vec();
                let units = units.iter().map(|unit| format!("\\u{unit:04x}"));
                escaped.extend(units);
            }
            c => escaped.push(c),
        }
    }
    double_dollars(&escaped)
}

/// `$${key}` for each `${key}`, which would be the value of that key.
fn double_dollars(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${")
        && let Some((name, after)) = after.split_once('}')
    {
        out.extend([before, "$${", name, "}"]);
        rest = after;
    }
    out + rest
}
