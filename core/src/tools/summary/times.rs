//! The times of calls.

/// Calls that took this long. Unit: ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) calls: u64,
    pub(super) total_ns: u64,
    pub(super) min_ns: u64,
    pub(super) max_ns: u64,
}

impl Times {
    pub(super) fn add(&mut self, elapsed_ns: u64) {
        self.min_ns = if self.calls == 0 { elapsed_ns } else { self.min_ns.min(elapsed_ns) };
        self.max_ns = self.max_ns.max(elapsed_ns);
        self.calls += 1;
        self.total_ns = self.total_ns.saturating_add(elapsed_ns);
    }

    /// The mean of a call. Unit: ns.
    pub(super) fn mean_ns(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.total_ns as f64 / self.calls as f64 }
    }

    /// The rate at which the calls together moved `bytes`. Unit: GB/s. `None` if there were none, or the calls took no time.
    pub(super) fn gigabytes_per_second(&self, bytes: u64) -> Option<f64> {
        (bytes > 0 && self.total_ns > 0).then(|| bytes as f64 / self.total_ns as f64)
    }
}
