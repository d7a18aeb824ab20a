//! A progress bar for long work.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time before anything is shown: most work takes less.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows the progress on a terminal, once the work has taken a second; dropping it erases the bar.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    shown: bool,
}

impl Progress {
    /// Progress of the work called `what`, in `steps` steps.
    pub(crate) fn new(what: &'static str, steps: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %, {eta} left");
        let bar = bar.with_message(what).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, start: Instant::now(), shown: false }
    }

    /// Counts steps that are done.
    pub(crate) fn advance(&mut self, steps: usize) {
        if !self.shown && self.start.elapsed() > PATIENCE {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(steps as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
