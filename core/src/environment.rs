//! The environment's settings that hold for all launches.

use core::sync::atomic::{AtomicU8, Ordering};

use crate::{Result, isa, tools, variable};

/// The environment's setting of [`Opens`].
const OPENING: &str = "SPELT_OPENING";

/// When a launch of few iterations, which begins on the calling thread, opens to the other threads of its space.
///
/// Time decides, except in tests and measurements: the results have the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Opens {
    /// When it has lasted long enough.
    ByTime = 1,
    /// As early as it can.
    AtOnce = 2,
    /// Never.
    Never = 3,
}

/// The setting of `SPELT_OPENING`, 0 before the environment has been read.
static OPENS: AtomicU8 = AtomicU8::new(0);

/// Reads the environment, if that has not been done. Called where a space is made, and at each launch, because `Serial::new` and
/// `Rayon::new` cannot fail.
///
/// # Errors
/// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if a variable has a value that it does not know.
#[doc(hidden)]
#[inline]
pub fn check() -> Result<()> {
    if OPENS.load(Ordering::Relaxed) == 0 { read() } else { Ok(()) }
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
    OPENS.store(opens as u8, Ordering::Relaxed);
    Ok(())
}

/// The setting of `SPELT_OPENING`.
#[inline]
pub(crate) fn opens() -> Opens {
    match OPENS.load(Ordering::Relaxed) {
        2 => Opens::AtOnce,
        3 => Opens::Never,
        _ => Opens::ByTime,
    }
}
