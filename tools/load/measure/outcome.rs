//! What became of a run, and how it is put on record.

use super::{Limits, Tally};
use crate::record::{FORMAT, Frames, Process, Record, Sample};
use std::{collections::BTreeMap, io};

/// What became of a run.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) tally: Tally,
    /// Seconds since 1970 when counting began.
    pub(crate) began: u64,
    /// How long was counted.
    pub(crate) seconds: f64,
    pub(crate) series: Vec<Sample>,
    pub(crate) server: Option<Process>,
    /// Whether somebody ended it before its time.
    pub(crate) cut_short: bool,
}

/// What is known of a run beside what was counted.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) scenario: &'static str,
    /// The name of what it measures.
    pub(crate) delay: &'static str,
    pub(crate) answers: Answers,
    /// What was asked for, by option.
    pub(crate) options: BTreeMap<String, String>,
    pub(crate) limits: Limits,
}

/// What is due in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// Frames of games.
    Frames,
    /// Users that are still there.
    Users,
    /// Something else, by its name in the plural.
    Named(&'static str),
}

impl Outcome {
    /// Several as if they were one, without their series.
    ///
    /// # Errors
    ///
    /// As for [`Tally::new`].
    pub(crate) fn pooled<'a>(all: impl Iterator<Item = &'a Self>) -> io::Result<Self> {
        let mut pooled = Self {
            tally: Tally::new()?,
            began: u64::MAX,
            seconds: 0.0,
            series: Vec::new(),
            server: None,
            cut_short: false,
        };
        for one in all {
            pooled.tally.add(&one.tally);
            // The same clients come again.
            pooled.tally.users.asked = one.tally.users.asked;
            pooled.began = pooled.began.min(one.began);
            pooled.seconds += one.seconds;
            pooled.cut_short |= one.cut_short;
            if let Some(server) = &one.server {
                pooled.server.get_or_insert_default().add(server);
            }
        }
        Ok(pooled)
    }

    /// Puts it on record.
    pub(crate) fn record(&self, about: &About) -> Record {
        let tally = &self.tally;
        let times = [
            (about.delay, &tally.delay),
            ("to all", &tally.to_all),
            ("round trip", &tally.round_trip),
            ("own lateness", &tally.own_lag),
        ];
        let times = times.map(|(name, times)| times.distribution(name));
        Record {
            format: FORMAT,
            program: concat!("samara-load ", env!("CARGO_PKG_VERSION")).to_owned(),
            scenario: about.scenario.to_owned(),
            options: about.options.clone(),
            began: self.began,
            seconds: self.seconds,
            users: tally.users.clone(),
            frames: (about.answers == Answers::Frames).then(|| Frames {
                expected: tally.expected,
                received: tally.received,
                lost: tally.lost(),
                ..tally.frames.clone()
            }),
            traffic: tally.traffic.clone(),
            times: times.into_iter().flatten().collect(),
            series: self.series.clone(),
            server: self.server.clone(),
            limits: about.limits.check(tally),
            comparisons: Vec::new(),
            extra: self.extra(about.answers),
        }
    }

    fn extra(&self, answers: Answers) -> BTreeMap<String, f64> {
        let tally = &self.tally;
        let seconds = self.seconds.max(f64::MIN_POSITIVE);
        let mut extra = BTreeMap::new();
        let mut note = |name: String, value: f64| extra.insert(name, value);
        if let Answers::Named(answers) = answers {
            note(format!("{answers} due"), tally.expected as f64);
            note(format!("{answers} done"), tally.received as f64);
            note(format!("{answers} lost"), tally.lost() as f64);
            note(
                format!("{answers} per second"),
                tally.received as f64 / seconds,
            );
        }
        if answers != Answers::Frames && tally.frames.gaps > 0 {
            note("missing messages".to_owned(), tally.frames.gaps as f64);
        }
        if tally.inputs > 0 {
            let percent = 100.0 * tally.cached as f64 / tally.inputs as f64;
            note("cached inputs, percent".to_owned(), percent);
        }
        if tally.noise > 0 {
            note(
                "noise packets per second".to_owned(),
                tally.noise as f64 / seconds,
            );
            note(
                "noise makers sent away".to_owned(),
                tally.noise_ended as f64,
            );
        }
        extra
    }
}

impl Process {
    /// Goes on with what the same process took later.
    fn add(&mut self, later: &Self) {
        self.cpu_seconds += later.cpu_seconds;
        self.sleeps += later.sleeps;
        self.interruptions += later.interruptions;
        self.resident = later.resident;
        self.resident_peak = self.resident_peak.max(later.resident_peak);
        self.threads = later.threads;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn outcome() -> Outcome {
        let mut tally = Tally::new().unwrap();
        tally.expected = 10;
        tally.received = 9;
        tally.inputs = 4;
        tally.cached = 3;
        tally.frames.stalls = 2;
        tally.note(Duration::from_micros(50));
        Outcome {
            tally,
            began: 7,
            seconds: 2.0,
            series: vec![Sample::default()],
            server: None,
            cut_short: false,
        }
    }

    fn about(answers: Answers) -> About {
        About {
            scenario: "kaillera",
            delay: "added delay",
            answers,
            options: BTreeMap::from([("users".to_owned(), "4".to_owned())]),
            limits: Limits::default(),
        }
    }

    #[test]
    fn games_have_frames() {
        let record = outcome().record(&about(Answers::Frames));
        let frames = record.frames.unwrap();
        assert_eq!((frames.expected, frames.received, frames.lost), (10, 9, 1));
        assert_eq!(frames.stalls, 2);
        let names: Vec<_> = record.times.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["added delay"], "nothing else was timed");
        assert_eq!(record.extra["cached inputs, percent"], 75.0);
        assert_eq!((record.began, record.series.len()), (7, 1));
    }

    #[test]
    fn others_name_their_answers() {
        let record = outcome().record(&about(Answers::Named("logins")));
        assert_eq!(record.frames, None);
        assert_eq!(record.extra["logins due"], 10.0);
        assert_eq!(record.extra["logins lost"], 1.0);
        assert_eq!(record.extra["logins per second"], 4.5);
    }

    #[test]
    fn what_is_pooled_adds_up() {
        let mut one = outcome();
        one.tally.users.asked = 4;
        one.server = Some(Process {
            cpu_seconds: 0.5,
            resident_peak: 7,
            ..Process::default()
        });
        let pooled = Outcome::pooled([&one, &one].into_iter()).unwrap();
        assert_eq!((pooled.tally.expected, pooled.tally.lost()), (20, 2));
        assert_eq!((pooled.tally.users.asked, pooled.seconds), (4, 4.0));
        let server = pooled.server.unwrap();
        assert_eq!((server.cpu_seconds, server.resident_peak), (1.0, 7));
    }

    #[test]
    fn a_record_survives_its_file() {
        let record = outcome().record(&about(Answers::Users));
        let json = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&json).unwrap(), record);
    }
}
