//! Waits for other ranks: their pauses, their reports and their end.

use std::time::{Duration, Instant};

use spelt_core::{Error, ErrorKind, Result};

use crate::communicator::Communicator;

/// Tests of a wait before it lets other threads run. Unit: tests.
const SPINS: u32 = 200;

/// The times of long waits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    /// When it is an error.
    pub(crate) timeout: Option<Duration>,
    /// When it is reported; then after twice the time, and so on.
    pub(crate) report: Option<Duration>,
}

/// One wait.
#[derive(Debug)]
pub(crate) struct Wait<'c> {
    ranks: &'c Communicator,
    tests: u32,
    since: Option<Instant>,
    report: Option<Duration>,
}

impl<'c> Wait<'c> {
    pub(crate) fn new(ranks: &'c Communicator) -> Self {
        Self { ranks, tests: 0, since: None, report: ranks.limits.report }
    }

    /// Pauses before the next test. `what` says who waits for whom.
    ///
    /// # Errors
    /// If the wait has taken longer than the time-out.
    pub(crate) fn pause(&mut self, what: impl FnOnce() -> String) -> Result<()> {
        self.tests = self.tests.saturating_add(1);
        if self.tests < SPINS {
            core::hint::spin_loop();
            return Ok(());
        }
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        if self.ranks.limits.timeout.is_some_and(|timeout| waited > timeout) {
            let message = format!("{} since {:.1} s (SPELT_MPI_TIMEOUT)", what(), waited.as_secs_f64());
            return Err(Error::new(ErrorKind::Communication, message));
        }
        if let Some(report) = self.report
            && waited > report
        {
            self.report = report.checked_mul(2);
            let message = format!(
                "spelt: {} since {:.1} s: if ranks wait for each other, their calls differ (SPELT_MPI_REPORT)",
                what(),
                waited.as_secs_f64()
            );
            self.ranks.transport.report(&message);
        }
        self.ranks.transport.idle(waited);
        Ok(())
    }
}
