//! The phases of a program, and facts about it.

use core::marker::PhantomData;

use super::begun::{BegunRegion, enter_region};
use super::choice::is_heard;
use super::installed::tell_once;

/// A region of the program, until it is dropped: see [`region`].
#[must_use = "the region ends where this is dropped"]
pub struct Region {
    _begun: Option<BegunRegion>,
    /// It ends on the thread on which it began.
    _of_this_thread: PhantomData<*const ()>,
}

impl core::fmt::Debug for Region {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Region").finish_non_exhaustive()
    }
}

/// Begins a region, which ends where the result is dropped: Kokkos's `pushRegion` and `popRegion`, and `ScopedRegion`.
///
/// Tools that listen are told of its begin and its end, also where it ends by a panic. Regions of one thread are nested.
///
/// # Complexity
/// One load and a branch where no tool is installed.
///
/// # Examples
/// ```
/// use spelt_core::tools::region;
/// {
///     let _region = region("assemble");
///     // launches
/// }
/// let _solve = region(format!("solve, level {}", 2));
/// ```
///
/// It ends on its thread:
/// ```compile_fail,E0277
/// let region = spelt_core::tools::region("assemble");
/// std::thread::spawn(move || drop(region));
/// ```
pub fn region(name: impl Into<String>) -> Region {
    let is_heard = is_heard();
    Region { _begun: is_heard.then(|| enter_region(name.into())), _of_this_thread: PhantomData }
}

/// Marks a point in time: Kokkos's `markEvent`.
///
/// # Complexity
/// One load and a branch where no tool is installed.
///
/// # Examples
/// ```
/// spelt_core::tools::mark("the mesh is read");
/// ```
pub fn mark(name: &str) {
    if is_heard() {
        tell_once(|tool| tool.mark(name));
    }
}

/// Tells tools a fact about this run, such as its input: Kokkos's `declareMetadata`.
///
/// # Complexity
/// One load and a branch where no tool is installed.
///
/// # Examples
/// ```
/// spelt_core::tools::metadata("mesh", "coarse.npy");
/// ```
pub fn metadata(key: &str, value: &str) {
    if is_heard() {
        tell_once(|tool| tool.metadata(key, value));
    }
}
