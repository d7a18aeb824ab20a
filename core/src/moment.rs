//! Readings of the processor's clock, for times within a launch.

/// A reading of the processor's clock: cheaper than the standard library's, and only as good as the processor's counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(
    #[cfg(all(target_arch = "x86_64", not(miri)))] u64,
    #[cfg(not(all(target_arch = "x86_64", not(miri))))] std::time::Instant,
);

impl Moment {
    #[inline(always)]
    pub(crate) fn now() -> Self {
        // The standard library's clock takes more than twice as long.
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: every processor of the architecture has the instruction; if the system forbids it, a signal ends the process.
        return Self(unsafe { core::arch::x86_64::_rdtsc() });
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        Self(std::time::Instant::now())
    }

    /// The ticks from `earlier` to this moment; 0 if that is later.
    #[inline(always)]
    pub(crate) fn since(self, earlier: Self) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        return self.0.saturating_sub(earlier.0);
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        u64::try_from(self.0.saturating_duration_since(earlier.0).as_nanos()).unwrap_or(u64::MAX)
    }

    /// The moment so many ticks later.
    #[cfg(test)]
    pub(crate) fn after(self, ticks: u64) -> Self {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        return Self(self.0 + ticks);
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        Self(self.0 + core::time::Duration::from_nanos(ticks))
    }

    /// Ticks since this moment: of the processor's counter, elsewhere nanoseconds.
    ///
    /// The counters of two cores may differ if the system does not synchronise them. A thread that has moved then reads a wrong
    /// time: a launch opens too early or too late, or a share is cut off at the ends of its launch.
    #[inline(always)]
    pub(crate) fn elapsed(self) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        return Self::now().0.wrapping_sub(self.0);
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
