//! The place in the program where a launch is.

use spelt_access::KernelArgs;

use super::domain::{Corners, Domain};
use crate::Result;

/// The place in the program where a launch is: its label, and how its arguments are checked.
///
/// A label is one. A node of a graph is another, which compares the launch with that of an earlier replay.
///
/// # Safety
/// Sealed. `check` returns `Ok` only where `check_covered` of `Domain` does.
pub unsafe trait Site: Copy + sealed::Sealed {
    /// The label.
    fn label(&self) -> &str;

    /// Checks that the arguments of a launch over `policy`, whose corners are these, cover its indices.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`](crate::ErrorKind::Extents) if one of them does not, or is another one than before.
    #[doc(hidden)]
    fn check<I: Domain<N>, A: KernelArgs, const N: usize>(
        self,
        policy: &I,
        args: &A,
        corners: &Corners<N>,
    ) -> Result<()>;
}

impl sealed::Sealed for &str {}

// SAFETY: it is `check_covered`.
unsafe impl Site for &str {
    #[inline(always)]
    fn label(&self) -> &str {
        self
    }

    #[inline(always)]
    fn check<I: Domain<N>, A: KernelArgs, const N: usize>(
        self,
        policy: &I,
        args: &A,
        corners: &Corners<N>,
    ) -> Result<()> {
        policy.check_covered(self, args, corners)
    }
}

/// Seals [`Site`]: only core's own sites may leave out a check.
pub(crate) mod sealed {
    pub trait Sealed {}
}
