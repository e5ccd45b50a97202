//! `${key}` in values.

use super::{Fault, Property};
use crate::config::error::{Problem, printable};
use std::collections::HashMap;

/// How far a value may be made of others that are made of others.
const DEEPEST: usize = 32;
/// Longest value that may come out, in bytes.
const LONGEST: usize = 64 << 10;
/// Most that may come out in all, in bytes.
const MOST: usize = 1 << 20;
/// Longest value in a complaint, in characters.
const EXCERPT: usize = 40;

const VALID: &str = "${key} of a key that does not lead back to this one, over 32 keys at most, \
                     and 64 KiB at most of text";

/// Puts the first value of each key in the place of its `${key}`. A name that is no key stays as
/// it is; what cannot be put together stays, too, and is told.
pub(super) fn substitute(properties: &mut [Property]) -> Vec<Fault> {
    let mut values = Values::new(properties);
    let mut faults = Vec::new();
    let mut all = Vec::with_capacity(properties.len());
    for property in &*properties {
        let texts = property.values.iter().map(|text| {
            values.expand(text, 0).unwrap_or_else(|| {
                let problem = Problem::NotAccepted {
                    value: printable(&text.chars().take(EXCERPT).collect::<String>()),
                };
                faults.push(Fault {
                    line: property.line,
                    key: property.key.clone(),
                    problem,
                    valid: VALID,
                });
                text.clone()
            })
        });
        all.push(texts.collect());
    }
    for (property, texts) in properties.iter_mut().zip(all) {
        property.values = texts;
    }
    faults
}

/// The first value of each key: as it was written, and once it was asked for, as it is.
struct Values<'p> {
    written: HashMap<&'p str, &'p str>,
    /// None for what cannot be put together, and while it is being put together.
    known: HashMap<&'p str, Option<String>>,
    /// Bytes that may still come out.
    left: usize,
}

impl<'p> Values<'p> {
    fn new(properties: &'p [Property]) -> Self {
        let mut written = HashMap::new();
        for property in properties {
            written.entry(&*property.key).or_insert(property.first());
        }
        Self {
            written,
            known: HashMap::new(),
            left: MOST,
        }
    }

    /// `text` with values in the place of names; none where that cannot be.
    fn expand(&mut self, text: &str, depth: usize) -> Option<String> {
        let mut out = String::new();
        let mut rest = text;
        if !text.contains("${") {
            return Some(text.to_owned());
        }
        while let Some(at) = rest.find("${") {
            let (before, name) = rest.split_at_checked(at)?;
            let Some(end) = name.find('}') else {
                break;
            };
            let (variable, after) = name.split_at_checked(end + 1)?;
            match before.strip_suffix('$') {
                Some(before) => {
                    out.push_str(before);
                    out.push_str(variable);
                }
                None => {
                    out.push_str(before);
                    let key = variable.get(2..end)?;
                    match self.value(key, depth) {
                        Some(value) => out.push_str(&value?),
                        None => out.push_str(variable),
                    }
                }
            }
            if out.len() > LONGEST {
                return None;
            }
            rest = after;
        }
        out.push_str(rest);
        self.left = self.left.checked_sub(out.len())?;
        Some(out)
    }

    /// None if there is no such key, none within if its value cannot be put together.
    fn value(&mut self, key: &str, depth: usize) -> Option<Option<String>> {
        let (&key, &written) = self.written.get_key_value(key)?;
        if let Some(known) = self.known.get(key) {
            return Some(known.clone());
        }
        if depth >= DEEPEST {
            return Some(None);
        }
        self.known.insert(key, None);
        let value = self.expand(written, depth + 1);
        self.known.insert(key, value.clone());
        Some(value)
    }
}
