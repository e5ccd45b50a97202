//! The line that shows how a run goes, if somebody is there to see it.

use crate::{record::Delay, run::Step, watch::Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// One line on standard error; none where that is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    step: Option<Step>,
}

impl Progress {
    pub(crate) fn new(quiet: bool, step: Option<Step>) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            // Hides itself where nobody can see it.
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(1), target);
        if let Ok(style) = ProgressStyle::with_template("{prefix:>10} [{bar:9}] {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, step }
    }

    pub(crate) fn arriving(&self, arrived: u64, of: u64) {
        self.show("coming", arrived, of, || format!("{arrived} of {of}"));
    }

    pub(crate) fn settling(&self) {
        self.show("settling", 1, 1, String::new);
    }

    pub(crate) fn counting(&self, passed: Duration, of: Duration, sides: &[Watch]) {
        let (passed, of) = (passed.as_millis() as u64, of.as_millis() as u64);
        self.show("measuring", passed, of, || {
            let left = of.saturating_sub(passed).div_ceil(1000);
            let sides = sides.iter().filter_map(told);
            let parts: Vec<_> = [format!("{left} s left")]
                .into_iter()
                .chain(sides)
                .collect();
            parts.join(", ")
        });
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self, phase: &'static str, done: u64, of: u64, line: impl FnOnce() -> String) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar.set_prefix(phase);
        self.bar.set_length(of.max(1));
        let step = self.step.map_or_else(String::new, |it| {
            format!("run {} of {}, {}: ", it.number, it.of, it.name)
        });
        self.bar.set_message(step + &line());
        self.bar.set_position(done);
    }
}

/// What one side sees, in a few words.
fn told(watch: &Watch) -> Option<String> {
    let sample = watch.last()?;
    let mut line = format!("{:.0}/s in", sample.packets_in);
    if let Some(Delay { p50, p99, .. }) = sample.delay {
        line += &format!(", delay p50 {p50:.0} us, p99 {p99:.0} us");
    }
    Some(line + &format!(", {} lost", watch.missing))
}
