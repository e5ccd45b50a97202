//! The keys of a properties file, each read as what it should be.

use crate::config::{
    document::KeyName,
    error::{ConfigError, Problem},
    properties::{Properties, Property},
    spelling,
};
use std::{ops::RangeInclusive, time::Duration};

/// Longest piece of a value in a complaint, in characters.
const EXCERPT: usize = 40;

/// The widest numbers that Java reads.
const WIDEST: i64 = i32::MAX as i64;

/// Unknown keys whose meaning is guessed.
const STRANGERS: usize = 100;

const BOOLEAN: &str = "true or false, yes or no, on or off";

/// Reads keys; what is wrong with a value is remembered, and its target stays as it is.
pub(super) struct Reader<'p> {
    file: &'p str,
    properties: &'p Properties,
    known: Vec<KeyName>,
    errors: Vec<ConfigError>,
    notices: Vec<String>,
}

/// The numbers a key takes: EmuLinker-K's, and within those the ones that mean something here.
#[derive(Clone)]
pub(super) struct Numbers {
    /// What EmuLinker-K starts with.
    accepted: RangeInclusive<i64>,
    /// Others are taken as the nearest one of these.
    used: RangeInclusive<i64>,
    unit: &'static str,
}

impl Numbers {
    /// Those in `range`; no others are accepted.
    pub(super) const fn within(range: RangeInclusive<i64>, unit: &'static str) -> Self {
        let used = *range.start()..=*range.end();
        Self {
            accepted: range,
            used,
            unit,
        }
    }

    /// Those from the start of `range` on; what is beyond its end counts as its end.
    pub(super) const fn up_to(range: RangeInclusive<i64>, unit: &'static str) -> Self {
        let accepted = *range.start()..=WIDEST;
        Self {
            accepted,
            used: range,
            unit,
        }
    }
}

impl<'p> Reader<'p> {
    pub(super) fn new(file: &'p str, properties: &'p Properties) -> Self {
        Self {
            file,
            properties,
            known: Vec::new(),
            errors: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// What is wrong, and what is worth a line in the log.
    pub(super) fn finish(mut self) -> (Vec<ConfigError>, Vec<String>) {
        let is_known = |key: &str| self.known.iter().any(|known| known.key == key);
        let strangers = self.properties.iter().filter(|it| !is_known(&it.key));
        for property in strangers.take(STRANGERS).collect::<Vec<_>>() {
            if let Some(near) = spelling::nearest(&self.known, None, &property.key) {
                let key = property.key.escape_debug();
                let what = format!("{key} is no key; did you mean {}?", near.key);
                self.notice(property, &what);
            }
        }
        (self.errors, self.notices)
    }

    pub(super) fn integer<T: TryFrom<i64>>(
        &mut self,
        key: &'static str,
        numbers: &Numbers,
        target: &mut T,
    ) {
        if let Some(number) = self.number(key, numbers)
            && let Ok(number) = T::try_from(number)
        {
            *target = number;
        }
    }

    /// An integer without which EmuLinker-K does not start; it is checked and nothing else.
    pub(super) fn required(&mut self, key: &'static str, numbers: &Numbers) {
        if self.first(key).is_none() {
            self.errors.push(ConfigError {
                file: self.file.to_owned(),
                line: None,
                key: key.to_owned(),
                problem: Problem::Absent,
                valid: numbers.valid(),
            });
        }
        self.number(key, numbers);
    }

    /// An integer, each being one `step`.
    pub(super) fn duration(
        &mut self,
        key: &'static str,
        numbers: &Numbers,
        step: Duration,
        target: &mut Duration,
    ) {
        let number = self.number(key, numbers);
        if let Some(number) = number.and_then(|number| u32::try_from(number).ok()) {
            *target = step.saturating_mul(number);
        }
    }

    pub(super) fn boolean(&mut self, key: &'static str, target: &mut bool) {
        let Some(property) = self.first(key) else {
            return;
        };
        match boolean(property.first()) {
            Some(value) => *target = value,
            None => self.reject(property, property.first(), "not true or false", BOOLEAN),
        }
    }

    /// True for the word `true`; everything else is false, and worth a notice if it is not the
    /// word `false` or nothing.
    pub(super) fn switch(&mut self, key: &'static str, target: &mut bool) {
        let Some(property) = self.first(key) else {
            return;
        };
        let value = property.first();
        *target = value == "true";
        if !matches!(value, "true" | "false" | "") {
            let value = excerpt(value);
            let what = format!("{key} = {value} counts as false; only the word true is true");
            self.notice(property, &what);
        }
    }

    /// A text that is not blank.
    pub(super) fn text(&mut self, key: &'static str) -> Option<&'p str> {
        let property = self.first(key)?;
        Some(property.first()).filter(|text| !text.is_empty())
    }

    /// A text that `parse` understands; with a notice in place of a complaint if it does not.
    pub(super) fn word<T>(
        &mut self,
        key: &'static str,
        instead: &str,
        parse: impl Fn(&str) -> Option<T>,
        target: &mut T,
    ) {
        let Some(text) = self.text(key) else {
            return;
        };
        match (parse(text), self.first(key)) {
            (Some(value), _) => *target = value,
            (None, Some(property)) => {
                let what = format!("{key} = {} is unknown; {instead}", excerpt(text));
                self.notice(property, &what);
            }
            (None, None) => {}
        }
    }

    /// A list of integers; a blank one is none.
    pub(super) fn integers(&mut self, key: &'static str, numbers: &Numbers) -> Option<Vec<i64>> {
        let properties = self.properties;
        let lines = properties.iter().filter(|property| property.key == key);
        self.first(key)?;
        let mut list = Vec::new();
        for property in lines {
            for value in &property.values {
                match numbers.read(value) {
                    _ if property.values.len() == 1 && value.is_empty() => {}
                    Ok(number) => list.push(number),
                    Err(found) => self.reject(property, value, found, &numbers.valid()),
                }
            }
        }
        Some(list)
    }

    /// A list of texts; a blank one is none.
    pub(super) fn list(&mut self, key: &'static str) -> Option<Vec<String>> {
        self.first(key)?;
        let lines = self
            .properties
            .iter()
            .filter(|property| property.key == key);
        let values = lines.flat_map(|property| &property.values);
        Some(values.filter(|value| !value.is_empty()).cloned().collect())
    }

    /// Keys that are read and mean nothing here; those that are in the file get one notice.
    pub(super) fn ignored(&mut self, keys: &[&'static str], why: &str) {
        let found = keys.iter().filter(|key| self.first(key).is_some());
        let found: Vec<&str> = found.copied().collect();
        if !found.is_empty() {
            let verb = if found.len() == 1 { "does" } else { "do" };
            let file = self.file;
            let keys = found.join(", ");
            self.notices
                .push(format!("{file}: {keys} {verb} nothing here: {why}"));
        }
    }

    fn number(&mut self, key: &'static str, numbers: &Numbers) -> Option<i64> {
        let property = self.first(key)?;
        let value = property.first();
        match numbers.read(value) {
            Ok(number) => {
                let used = number.clamp(*numbers.used.start(), *numbers.used.end());
                if used != number {
                    let what = format!("{key} = {} counts as {used}", excerpt(value));
                    self.notice(property, &what);
                }
                Some(used)
            }
            Err(found) => {
                self.reject(property, value, found, &numbers.valid());
                None
            }
        }
    }

    fn first(&mut self, key: &'static str) -> Option<&'p Property> {
        self.known.push(KeyName::new("", key));
        self.properties.first(key)
    }

    fn reject(&mut self, property: &Property, value: &str, found: &'static str, valid: &str) {
        self.errors.push(ConfigError {
            file: self.file.to_owned(),
            line: Some(property.line),
            key: property.key.clone(),
            problem: Problem::WrongType {
                value: excerpt(value),
                found,
            },
            valid: valid.to_owned(),
        });
    }

    fn notice(&mut self, property: &Property, what: &str) {
        self.notices
            .push(format!("{}:{}: {what}", self.file, property.line));
    }
}

impl Numbers {
    fn read(&self, text: &str) -> Result<i64, &'static str> {
        let number = integer(text).ok_or("not an integer")?;
        let in_range = self.accepted.contains(&number);
        in_range.then_some(number).ok_or("out of range")
    }

    fn valid(&self) -> String {
        let (least, unit) = (self.accepted.start(), self.unit);
        match *self.accepted.end() {
            WIDEST => format!("an integer, {least} or more ({unit})"),
            most => format!("an integer, {least} to {most} ({unit})"),
        }
    }
}

/// An integer as Java and commons-configuration read one.
fn integer(text: &str) -> Option<i64> {
    let number = if let Some(digits) = text.strip_prefix("0x") {
        i32::from_str_radix(digits, 16)
    } else if let Some(digits) = text.strip_prefix("0b") {
        i32::from_str_radix(digits, 2)
    } else {
        text.parse()
    };
    number.ok().map(i64::from)
}

/// A boolean as commons-configuration reads one.
fn boolean(text: &str) -> Option<bool> {
    let is_one_of = |words: [&str; 5]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is_one_of(["true", "yes", "on", "y", "t"]) {
        Some(true)
    } else {
        is_one_of(["false", "no", "off", "n", "f"]).then_some(false)
    }
}

fn excerpt(value: &str) -> String {
    let mut excerpt: String = value.chars().take(EXCERPT).collect();
    if excerpt.len() < value.len() {
        excerpt.push_str("...");
    }
    format!("`{}`", excerpt.escape_debug())
}
