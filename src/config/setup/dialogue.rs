//! Asking, line by line.

use super::question::{Answers, Question};
use std::io::{self, BufRead, Read, Write};

/// Longest line that is read, in bytes; what is longer is no answer.
const LONGEST: u64 = 4096;

/// Asks for everything that is not in `known`; none if the input ends before the last answer.
///
/// # Errors
///
/// When input or output fail.
pub(super) fn ask(
    known: &Answers,
    takes_custom: bool,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<Option<Answers>> {
    writeln!(
        output,
        "An empty line takes the answer in brackets; without one the question stays open."
    )?;
    let mut all = known.clone();
    let mut answers = Answers::new();
    for question in Question::ALL {
        if known.contains_key(&question) {
            continue;
        }
        let default = question.default(&all);
        let valid = question.valid(takes_custom);
        let answer = loop {
            let brackets = default.map(|it| format!(" [{it}]")).unwrap_or_default();
            write!(output, "{}{brackets}: ", question.prompt())?;
            output.flush()?;
            let Some(line) = read_line(input)? else {
                writeln!(output)?;
                return Ok(None);
            };
            let line = line.as_deref().map(str::trim);
            let answer = match (line, default) {
                (Some(""), None) => break None,
                (Some(""), Some(default)) => Some(default),
                (line, _) => line,
            };
            match answer.and_then(|answer| question.accept(answer, takes_custom)) {
                Some(answer) => break Some(answer),
                None => writeln!(output, "  This is not accepted; valid: {valid}")?,
            }
        };
        if let Some(answer) = answer {
            all.insert(question, answer.clone());
            answers.insert(question, answer);
        }
    }
    Ok(Some(answers))
}

/// The next line, none at the end; within, none for one that is too long or not UTF-8.
fn read_line(input: &mut dyn BufRead) -> io::Result<Option<Option<String>>> {
    let mut line = Vec::new();
    input.take(LONGEST).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let mut is_whole = line.ends_with(b"\n") || (line.len() as u64) < LONGEST;
    while !is_whole {
        let mut rest = Vec::new();
        input.take(LONGEST).read_until(b'\n', &mut rest)?;
        line.clear();
        line.push(0xFF);
        is_whole = rest.ends_with(b"\n") || (rest.len() as u64) < LONGEST;
    }
    Ok(Some(String::from_utf8(line).ok()))
}
