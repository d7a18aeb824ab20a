//! The environment's settings that hold for all launches.

use crate::launch_state::LaunchState;
use crate::{Result, isa, tools, variable};

/// The environment's setting of [`Opens`].
const OPENING: &str = "SPELT_OPENING";

/// When a launch of few iterations, which begins on the calling thread, opens to the other threads of its space.
///
/// Time decides, except in tests and measurements: the results have the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// When it has lasted long enough.
    ByTime,
    /// As early as it can.
    AtOnce,
    /// Never.
    Never,
}

/// Reads the environment, if that has not been done. Called where a space is made, and at each launch, because `Serial::new` and
/// `Rayon::new` cannot fail.
///
/// # Errors
/// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if a variable has a value that it does not know.
#[doc(hidden)]
#[inline]
pub fn check() -> Result<()> {
    if LaunchState::now().has(LaunchState::READ) { Ok(()) } else { read() }
}

#[cold]
fn read() -> Result<()> {
    const CHOICES: [(&str, Opens); 3] =
        [("by-time", Opens::ByTime), ("at-once", Opens::AtOnce), ("never", Opens::Never)];
    isa::check()?;
    tools::check()?;
    let opens = match variable::read(OPENING)? {
        None => Opens::ByTime,
        Some(name) => variable::choose(OPENING, &name, &CHOICES)?,
    };
    match opens {
        Opens::ByTime => {}
        Opens::AtOnce => LaunchState::add(LaunchState::OPENS_AT_ONCE),
        Opens::Never => LaunchState::add(LaunchState::NEVER_OPENS),
    }
    LaunchState::add(LaunchState::READ);
    Ok(())
}

/// The setting of `SPELT_OPENING`.
#[inline]
pub(crate) fn opens() -> Opens {
    let state = LaunchState::now();
    if state.has(LaunchState::OPENS_AT_ONCE) {
        Opens::AtOnce
    } else if state.has(LaunchState::NEVER_OPENS) {
        Opens::Never
    } else {
        Opens::ByTime
    }
}
