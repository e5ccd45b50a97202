//! When an input is due, and how far the game has got.

use indicatif::{ProgressBar, ProgressStyle};
use std::{
    thread,
    time::{Duration, Instant},
};

/// Inputs of a second, of the connection type with the most.
pub(crate) const PER_SECOND: u32 = 60;

/// A line that is drawn anew less often than this.
const LINE: &str = "{bar:30} {pos} of {len} inputs, {eta} left";

/// Inputs at equal intervals, or as fast as the server answers.
#[derive(Debug)]
pub(crate) struct Pace {
    began: Instant,
    /// How many times as fast as a real game; `None` waits for nothing.
    speed: Option<f64>,
    line: ProgressBar,
}

impl Pace {
    /// The first of so many inputs is due at once.
    pub(crate) fn new(inputs: u32, speed: Option<f64>) -> Self {
        // One that cannot be drawn is drawn plainly.
        let style =
            ProgressStyle::with_template(LINE).unwrap_or_else(|_| ProgressStyle::default_bar());
        let line = match speed {
            Some(_) => ProgressBar::new(inputs.into()).with_style(style),
            None => ProgressBar::hidden(),
        };
        Self {
            began: Instant::now(),
            speed,
            line,
        }
    }

    /// Waits until an input is due. One that is late is due at once, and so are those behind it
    /// until the game is where it should be.
    pub(crate) fn wait(&self, input: u32) {
        let Some(speed) = self.speed else {
            return;
        };
        let at = Duration::from_secs_f64(f64::from(input) / f64::from(PER_SECOND) / speed);
        let early = at.saturating_sub(self.began.elapsed());
        if !early.is_zero() {
            thread::sleep(early);
        }
        self.line.set_position(input.into());
    }
}

impl Drop for Pace {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
