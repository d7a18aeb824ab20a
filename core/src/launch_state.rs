//! The facts of the process that decide whether a launch has more to do than its iterations, in one byte: a launch loads it once.

use core::sync::atomic::{AtomicU8, Ordering};

/// The facts so far.
static STATE: AtomicU8 = AtomicU8::new(0);

/// A fact, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaunchState(u8);

impl LaunchState {
    /// The environment has been read.
    pub(crate) const READ: Self = Self(1);
    /// Accesses that fail are described by the launch that runs.
    pub(crate) const DESCRIBED: Self = Self(2);
    /// Launches open as early as they can.
    pub(crate) const OPENS_AT_ONCE: Self = Self(4);
    /// Launches never open.
    pub(crate) const NEVER_OPENS: Self = Self(8);
    /// A tool listens.
    pub(crate) const HEARD: Self = Self(16);

    /// The facts at this moment.
    #[inline(always)]
    pub(crate) fn now() -> Self {
        Self(STATE.load(Ordering::Relaxed))
    }

    /// Adds a fact, for ever.
    pub(crate) fn add(fact: Self) {
        STATE.fetch_or(fact.0, Ordering::Relaxed);
    }

    /// Whether `fact` is one of them.
    #[inline(always)]
    pub(crate) fn has(self, fact: Self) -> bool {
        self.0 & fact.0 != 0
    }

    /// Whether there is nothing to do before a launch: it may begin on its caller, and nothing is told.
    #[inline(always)]
    pub(crate) fn is_usual(self) -> bool {
        self.0 & !Self::NEVER_OPENS.0 == Self::READ.0 | Self::DESCRIBED.0
    }
}

#[cfg(test)]
mod tests {
    use super::LaunchState;

    #[test]
    fn a_launch_is_usual_where_nothing_is_to_be_done_before_it() {
        let with = |facts: &[LaunchState]| LaunchState(facts.iter().fold(0, |all, fact| all | fact.0));
        let ready = [LaunchState::READ, LaunchState::DESCRIBED];
        assert!(with(&ready).is_usual());
        assert!(with(&[ready[0], ready[1], LaunchState::NEVER_OPENS]).is_usual());
        for other in [LaunchState::OPENS_AT_ONCE, LaunchState::HEARD] {
            assert!(!with(&[ready[0], ready[1], other]).is_usual(), "{other:?}");
        }
        assert!(!with(&ready[..1]).is_usual() && !with(&ready[1..]).is_usual() && !with(&[]).is_usual());
    }
}
