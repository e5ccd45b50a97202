//! What a run came to, as it is kept in a file: the schema of `--json`.
//!
//! Memory is bytes, times are seconds. A reader takes any record whose [`FORMAT`] it knows and
//! ignores fields it does not.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Raised when a field changes its meaning or goes away.
pub(crate) const FORMAT: u32 = 1;

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) format: u32,
    /// Program and version.
    pub(crate) program: String,
    /// `phases` or `reference`.
    pub(crate) scenario: String,
    /// What was asked for, by option name.
    pub(crate) options: BTreeMap<String, String>,
    /// Seconds since 1970 when the server started.
    pub(crate) began: u64,
    /// In the order in which they ran.
    pub(crate) phases: Vec<Phase>,
    /// From before the start until after the end.
    pub(crate) total: Phase,
    /// Of the reference alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<Process>,
    /// With `--sites`, those that asked for most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sites: Vec<Site>,
}

/// What the server asked of the heap in one phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Phase {
    pub(crate) name: String,
    /// What counts as a message in this phase, such as `line` or `input`; may be empty.
    pub(crate) message: String,
    pub(crate) messages: u64,
    /// Whether nothing may be allocated in it.
    pub(crate) steady: bool,
    pub(crate) datagrams_in: u64,
    pub(crate) datagrams_out: u64,
    pub(crate) allocations: u64,
    /// The sizes of all of them together, whether or not they were given back.
    pub(crate) bytes: u64,
    /// At the end of the phase.
    pub(crate) live: i64,
    /// The highest in the phase.
    pub(crate) peak: i64,
}

/// What the clock and the system say of the run; what the system does not tell is absent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Process {
    pub(crate) seconds: f64,
    /// Of the server's threads, from its start until it was told to stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cpu_seconds: Option<f64>,
    /// The highest of the whole process before the server started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resident_before: Option<u64>,
    /// The highest of the whole process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resident_peak: Option<u64>,
}

/// A place in the code that asks for memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Site {
    pub(crate) function: String,
    /// File, line and column.
    pub(crate) place: String,
    pub(crate) allocations: u64,
    pub(crate) bytes: u64,
}

impl Phase {
    /// Allocations and bytes for each message; `None` without messages.
    pub(crate) fn per_message(&self) -> Option<(f64, f64)> {
        let each = |amount: u64| amount as f64 / self.messages as f64;
        (self.messages > 0).then(|| (each(self.allocations), each(self.bytes)))
    }

    /// Whether it allocated although nothing may be allocated in it.
    pub(crate) fn is_broken(&self) -> bool {
        self.steady && self.allocations > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_its_file() {
        let record = Record {
            format: FORMAT,
            program: "samara-allocs 0".into(),
            scenario: "reference".into(),
            options: [("speed".to_owned(), "100".to_owned())].into(),
            began: 1,
            phases: vec![Phase {
                name: "plays".into(),
                ..Phase::default()
            }],
            total: Phase::default(),
            process: Some(Process {
                seconds: 9.5,
                cpu_seconds: Some(1.25),
                resident_before: Some(1),
                resident_peak: None,
            }),
            sites: vec![Site::default()],
        };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    }

    #[test]
    fn a_later_field_is_ignored_and_an_absent_one_is_empty() {
        let total = serde_json::to_value(Phase::default()).unwrap();
        let value = serde_json::json!({
            "format": FORMAT, "program": "p", "scenario": "phases", "options": {}, "began": 0,
            "phases": [], "total": total, "later": 7,
        });
        let record: Record = serde_json::from_value(value).unwrap();
        assert_eq!((record.process, record.sites.len()), (None, 0));
    }

    #[test]
    fn only_a_steady_phase_may_not_allocate() {
        let mut phase = Phase {
            messages: 4,
            allocations: 2,
            bytes: 40,
            ..Phase::default()
        };
        assert!(!phase.is_broken());
        phase.steady = true;
        assert!(phase.is_broken());
        assert_eq!(phase.per_message(), Some((0.5, 10.0)));
        phase.messages = 0;
        assert_eq!(phase.per_message(), None);
    }
}
