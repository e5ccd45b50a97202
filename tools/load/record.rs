//! What a run came to, as it is kept in a file: the schema of `--json`.
//!
//! Times are microseconds, rates are per second, memory is bytes. A reader takes any record
//! whose [`FORMAT`] it knows and ignores fields it does not. A number that is not known, such as
//! the mean of nothing, is NaN here and `null` in the file.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// Raised when a field changes its meaning or goes away.
pub(crate) const FORMAT: u32 = 1;

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) format: u32,
    /// Program and version.
    pub(crate) program: String,
    /// The scenario's name, such as `kaillera` or `pps`.
    pub(crate) scenario: String,
    /// What was asked for, by option name.
    pub(crate) options: BTreeMap<String, String>,
    /// Seconds since 1970 when counting began.
    pub(crate) began: u64,
    /// Seconds that were counted.
    #[serde(deserialize_with = "number")]
    pub(crate) seconds: f64,
    pub(crate) users: Users,
    /// Absent in scenarios without games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) frames: Option<Frames>,
    pub(crate) traffic: Traffic,
    /// Named distributions in the order they are shown.
    pub(crate) times: Vec<Distribution>,
    /// One sample per second or so.
    pub(crate) series: Vec<Sample>,
    /// Of the process of `--pid`, or a thread of this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) server: Option<Process>,
    /// Limits that were set, and whether they held.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) limits: Vec<Limit>,
    /// Setups that took turns, and what one is to the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) comparisons: Vec<Comparison>,
    /// Things of one scenario alone, such as logins per second.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[serde(deserialize_with = "numbers")]
    pub(crate) extra: BTreeMap<String, f64>,
}

/// Who took part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Users {
    pub(crate) asked: u64,
    /// Never got where the scenario wanted them.
    pub(crate) absent: u64,
    pub(crate) dropped: u64,
}

/// What became of the games' frames.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Frames {
    pub(crate) expected: u64,
    pub(crate) received: u64,
    pub(crate) lost: u64,
    /// Received more than one frame's time after the last of its inputs was due.
    pub(crate) late: u64,
    /// Times a player had to say its last message again.
    pub(crate) stalls: u64,
    /// Players the server said are out of sync.
    pub(crate) desyncs: u64,
    /// Missing message numbers.
    pub(crate) gaps: u64,
    /// Frames that differ between the players of a room.
    pub(crate) unequal: u64,
    /// Datagrams from the server with nothing new in them.
    pub(crate) resends: u64,
}

/// Datagrams (or frames of a stream) and bytes over the whole counted time, seen from the clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Traffic {
    pub(crate) packets_out: u64,
    pub(crate) packets_in: u64,
    pub(crate) bytes_out: u64,
    pub(crate) bytes_in: u64,
}

/// A distribution of times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Distribution {
    /// Such as `added delay`, `round trip`, `own lateness`.
    pub(crate) name: String,
    pub(crate) count: u64,
    #[serde(deserialize_with = "number")]
    pub(crate) min: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) mean: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) p50: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) p90: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) p99: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) p999: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) max: f64,
    /// Pairs of quantile (0 to 1) and time for the plot, rising.
    #[serde(deserialize_with = "pairs")]
    pub(crate) curve: Vec<(f64, f64)>,
}

/// What was seen in one interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// Seconds after counting began, at the interval's end.
    #[serde(deserialize_with = "number")]
    pub(crate) at: f64,
    /// What was measured then, if not all of a run was the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<String>,
    /// Of the server-added delay in this interval; absent when nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) delay: Option<Delay>,
    /// The same of streams, where datagrams have the other one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stream_delay: Option<Delay>,
    #[serde(deserialize_with = "number")]
    pub(crate) packets_out: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) packets_in: f64,
    /// Cores the server used, with `--pid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cpu: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resident: Option<u64>,
}

/// Delay within one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Delay {
    #[serde(deserialize_with = "number")]
    pub(crate) p50: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) p99: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) max: f64,
}

/// What the server's process took over the counted time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Process {
    #[serde(deserialize_with = "number")]
    pub(crate) cpu_seconds: f64,
    /// Voluntary context switches.
    pub(crate) sleeps: u64,
    /// Involuntary ones.
    pub(crate) interruptions: u64,
    /// 0 if it is not known.
    pub(crate) resident: u64,
    pub(crate) resident_peak: u64,
    pub(crate) threads: u64,
}

/// One stated limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Limit {
    /// Such as `max-p99` or `max-lost`.
    pub(crate) name: String,
    #[serde(deserialize_with = "number")]
    pub(crate) limit: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) value: f64,
    pub(crate) held: bool,
}

/// Two setups that took turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Comparison {
    /// What is compared, such as `kaillera`.
    pub(crate) name: String,
    /// The setup that the other one is held against.
    pub(crate) base: String,
    pub(crate) other: String,
    /// How often both were measured.
    pub(crate) rounds: u32,
    pub(crate) figures: Vec<Compared>,
}

/// One figure of two setups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Compared {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    /// The median of the rounds, or their sum if it is a count.
    #[serde(deserialize_with = "number")]
    pub(crate) base: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) other: f64,
    /// The other as a multiple of the base: the median of the rounds' ratios.
    #[serde(deserialize_with = "number")]
    pub(crate) ratio: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) least: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) most: f64,
}

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    /// Grows with the length of a run.
    Count,
    /// Anything else.
    Number,
    Micros,
    Seconds,
    Bytes,
    PerSecond,
    BytesPerSecond,
    /// Of one; shown in per cent.
    Share,
    Cores,
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Option::deserialize(deserializer).map(known)
}

fn numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, f64>, D::Error> {
    let numbers = BTreeMap::<String, Option<f64>>::deserialize(deserializer)?;
    Ok(numbers
        .into_iter()
        .map(|(name, it)| (name, known(it)))
        .collect())
}

fn pairs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(f64, f64)>, D::Error> {
    let pairs = Vec::<(Option<f64>, Option<f64>)>::deserialize(deserializer)?;
    Ok(pairs
        .into_iter()
        .map(|(x, y)| (known(x), known(y)))
        .collect())
}

fn known(number: Option<f64>) -> f64 {
    number.unwrap_or(f64::NAN)
}
