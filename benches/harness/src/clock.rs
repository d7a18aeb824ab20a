//! The two ways to time a call.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

/// The clock of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The time that passes.
    Elapsed,
    /// The time that the calling thread had a processor: for contenders of one thread on a machine that others use too.
    Processor,
}

/// A point in time on one of the clocks.
#[derive(Clone, Copy, Debug)]
pub enum Start {
    /// On the wall.
    Elapsed(Instant),
    /// Of the thread.
    Processor(ThreadTime),
}

impl Clock {
    /// This moment.
    #[inline]
    #[must_use]
    pub fn now(self) -> Start {
        match self {
            Self::Elapsed => Start::Elapsed(Instant::now()),
            Self::Processor => Start::Processor(ThreadTime::now()),
        }
    }
}

impl Start {
    /// The time since.
    #[inline]
    #[must_use]
    pub fn elapsed(self) -> Duration {
        match self {
            Self::Elapsed(start) => start.elapsed(),
            Self::Processor(start) => start.elapsed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_sleeps_takes_no_processor_time() {
        let starts = [Clock::Elapsed, Clock::Processor].map(Clock::now);
        std::thread::sleep(Duration::from_millis(50));
        let [elapsed, processor] = starts.map(Start::elapsed);
        assert!(
            elapsed >= Duration::from_millis(50) && processor < elapsed / 2,
            "{elapsed:?}, {processor:?}"
        );
    }
}
