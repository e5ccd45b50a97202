//! One section of a document, and how a value of each kind is read.

use super::{
    document::{Expected, Fault, KeyName, Source},
    error::{ConfigError, printable},
};
use std::{collections::BTreeMap, ops::RangeInclusive, time::Duration};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Units of times, in words and in length.
pub(super) const MILLISECONDS: (&str, Duration) = ("milliseconds", Duration::from_millis(1));
pub(super) const SECONDS: (&str, Duration) = ("seconds", Duration::from_secs(1));
pub(super) const SECONDS_OR_OFF: (&str, Duration) = ("seconds; 0 is off", Duration::from_secs(1));

pub(super) const BYTES: &str = "bytes";

/// Each reader answers whether its target now holds what the operator meant: the value of the
/// key, or the default where the key is absent.
pub(super) struct Section<'d, 't> {
    name: &'static str,
    table: Option<&'d DeTable<'t>>,
    source: Source<'t>,
    known: &'d mut Vec<KeyName>,
    errors: &'d mut Vec<ConfigError>,
}

impl<'d, 't> Section<'d, 't> {
    pub(super) fn new(
        name: &'static str,
        table: Option<&'d DeTable<'t>>,
        source: Source<'t>,
        known: &'d mut Vec<KeyName>,
        errors: &'d mut Vec<ConfigError>,
    ) -> Self {
        Self {
            name,
            table,
            source,
            known,
            errors,
        }
    }

    pub(super) fn integer<T: TryFrom<u64>>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
        unit: &str,
        target: &mut T,
    ) -> bool {
        let read = |value: &DeValue<'_>| integer(value, &range);
        self.value(key, &Expected::integer(&range, unit), read, target)
    }

    pub(super) fn optional_integer<T: TryFrom<u64>>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
        unit: &str,
        target: &mut Option<T>,
    ) -> bool {
        let read = |value: &DeValue<'_>| integer(value, &range).map(Some);
        self.value(key, &Expected::integer(&range, unit), read, target)
    }

    /// `unit` is what an integer counts, each being one `step`.
    pub(super) fn duration(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
        (unit, step): (&str, Duration),
        target: &mut Duration,
    ) -> bool {
        let read = |value: &DeValue<'_>| Ok(step.saturating_mul(integer(value, &range)?));
        self.value(key, &Expected::integer(&range, unit), read, target)
    }

    pub(super) fn boolean(&mut self, key: &'static str, target: &mut bool) -> bool {
        let expected = Expected {
            kind: "true or false",
            valid: String::new(),
        };
        let read = |value: &DeValue<'_>| value.as_bool().ok_or(Fault::Type);
        self.value(key, &expected, read, target)
    }

    /// A text that `parse` understands; `valid` says which those are.
    pub(super) fn text<T>(
        &mut self,
        key: &'static str,
        valid: &str,
        parse: impl Fn(&str) -> Option<T>,
        target: &mut T,
    ) -> bool {
        let read = |value: &DeValue<'_>| text(value, &parse);
        self.value(key, &Expected::text(valid), read, target)
    }

    /// A list of texts, each of which `parse` understands; `unit` is what they are.
    pub(super) fn texts<T>(
        &mut self,
        key: &'static str,
        (count, unit): (RangeInclusive<usize>, &str),
        valid: &str,
        parse: impl Fn(&str) -> Option<T>,
        target: &mut Vec<T>,
    ) -> bool {
        let read = |value: &DeValue<'_>| text(value, &parse);
        self.list(key, (count, unit), &Expected::text(valid), read, target)
    }

    /// A list of integers in `range`; `unit` is what they are.
    pub(super) fn integers<T: TryFrom<u64>>(
        &mut self,
        key: &'static str,
        (count, unit): (RangeInclusive<usize>, &str),
        range: RangeInclusive<u64>,
        target: &mut Vec<T>,
    ) -> bool {
        let read = |value: &DeValue<'_>| integer(value, &range);
        self.list(
            key,
            (count, unit),
            &Expected::integer(&range, unit),
            read,
            target,
        )
    }

    /// All keys of the section, whatever their names; their values are texts. A section within
    /// it is the front of its keys' names, up to a dot.
    pub(super) fn entries(&mut self, target: &mut BTreeMap<String, String>) {
        self.known.push(KeyName::new(self.name, KeyName::ANY));
        if let Some(table) = self.table {
            self.entries_of(table, "", target);
        }
    }

    fn entries_of(
        &mut self,
        table: &DeTable<'_>,
        front: &str,
        target: &mut BTreeMap<String, String>,
    ) {
        for (key, value) in table.iter() {
            let name = format!("{front}{}", key.get_ref());
            match value.get_ref() {
                DeValue::String(text) => _ = target.insert(name, text.to_string()),
                DeValue::Table(table) => self.entries_of(table, &format!("{name}."), target),
                _ => _ = self.reject(&name, value, Fault::Type, &Expected::text("")),
            }
        }
    }

    fn value<T>(
        &mut self,
        key: &'static str,
        expected: &Expected,
        read: impl Fn(&DeValue<'_>) -> Result<T, Fault>,
        target: &mut T,
    ) -> bool {
        let Some(value) = self.find(key) else {
            return true;
        };
        match read(value.get_ref()) {
            Ok(value) => *target = value,
            Err(fault) => return self.reject(key, value, fault, expected),
        }
        true
    }

    fn list<T>(
        &mut self,
        key: &'static str,
        (count, unit): (RangeInclusive<usize>, &str),
        entry: &Expected,
        read: impl Fn(&DeValue<'_>) -> Result<T, Fault>,
        target: &mut Vec<T>,
    ) -> bool {
        let Some(value) = self.find(key) else {
            return true;
        };
        let valid = format!("{} to {} {unit}", count.start(), count.end());
        let expected = Expected {
            kind: "a list in brackets",
            valid,
        };
        let Some(array) = value.get_ref().as_array() else {
            return self.reject(key, value, Fault::Type, &expected);
        };
        if !count.contains(&array.len()) {
            return self.reject(key, value, Fault::Range, &expected);
        }
        let mut entries = Vec::with_capacity(array.len());
        for value in array.iter() {
            match read(value.get_ref()) {
                Ok(value) => entries.push(value),
                Err(fault) => _ = self.reject(key, value, fault, entry),
            }
        }
        let complete = entries.len() == array.len();
        if complete {
            *target = entries;
        }
        complete
    }

    fn find(&mut self, key: &'static str) -> Option<&'d Spanned<DeValue<'t>>> {
        self.known.push(KeyName::new(self.name, key));
        self.table?.get(key)
    }

    fn reject(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        fault: Fault,
        expected: &Expected,
    ) -> bool {
        let name = format!("{}.{}", self.name, printable(key));
        self.errors
            .push(self.source.fault(&name, value, fault, expected));
        false
    }
}

impl Expected {
    fn integer(range: &RangeInclusive<u64>, unit: &str) -> Self {
        let valid = format!("{} to {} ({unit})", range.start(), range.end());
        Self {
            kind: "an integer",
            valid,
        }
    }

    fn text(valid: &str) -> Self {
        Self {
            kind: "a text in quotes",
            valid: valid.to_owned(),
        }
    }
}

fn integer<T: TryFrom<u64>>(value: &DeValue<'_>, range: &RangeInclusive<u64>) -> Result<T, Fault> {
    let digits = value.as_integer().ok_or(Fault::Type)?;
    u64::from_str_radix(digits.as_str(), digits.radix())
        .ok()
        .filter(|number| range.contains(number))
        .and_then(|number| T::try_from(number).ok())
        .ok_or(Fault::Range)
}

fn text<T>(value: &DeValue<'_>, parse: impl Fn(&str) -> Option<T>) -> Result<T, Fault> {
    parse(value.as_str().ok_or(Fault::Type)?).ok_or(Fault::Text)
}
