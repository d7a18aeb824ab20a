//! Execution spaces: where kernels run.

mod any_host;
mod choice;
mod host_views;
#[cfg(feature = "rayon")]
mod rayon;
mod serial;
#[cfg(feature = "threads")]
mod threads;
mod to_space;

use core::convert::Infallible;
use core::fmt::Debug;
use core::ops::Range;

use spelt_access::{Element, Idx, KernelArgs, Layout, Right};
use spelt_policies::{MdRangePolicy, RangePolicy, Schedule, TeamPolicy, TeamSize};
use spelt_reducers::Reducer;

use crate::Result;
use crate::patterns::{self, Contribution, Outlet};
use crate::reach::{Reach, ReachedBy, sealed};
use crate::team::Team;
use crate::view::{CopyFrom, View};
use crate::view::{HostAccessible, HostSpace, MemorySpace};

pub use self::any_host::AnyHost;
pub use self::choice::SpaceChoice;
#[cfg(feature = "rayon")]
pub use self::rayon::Rayon;
pub use self::serial::Serial;
#[cfg(feature = "threads")]
pub use self::threads::Threads;

/// Where kernels run: [`Serial`], `Threads`, `Rayon`.
///
/// Generic code takes it as a parameter, `fn solve<S: ExecutionSpace>(space: &S)`; results are the same bits on
/// every space.
///
/// # Safety
/// Sealed: that each unit of a launch runs once is what the safety of kernels rests on.
pub unsafe trait ExecutionSpace:
    Backend
    + Reach<<Self as ExecutionSpace>::Memory>
    + Reach<<Self as ExecutionSpace>::Shared>
    + Debug
    + Send
    + Sync
    + Sized
{
    /// The memory space of the Views that it makes; the host copies to and from it, and it copies within itself.
    type Memory: MemorySpace + CopyFrom<HostSpace> + CopyFrom<<Self as ExecutionSpace>::Memory>;

    /// Memory that its kernels and the host both reach: Kokkos's `SharedSpace`.
    type Shared: HostAccessible;

    /// Whether kernels run on a device rather than on threads of the host.
    ///
    /// It is known when a kernel is compiled: what stands behind `if const { !S::IS_DEVICE }` is not compiled for a device.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::ExecutionSpace;
    /// fn block_len<S: ExecutionSpace>(_space: &S) -> usize {
    ///     if S::IS_DEVICE { 256 } else { 8192 }
    /// }
    /// assert_eq!(block_len(&spelt_core::Serial::new()), 8192);
    /// ```
    const IS_DEVICE: bool = false;

    /// A View of zeros in this space's memory, its pages first touched by the threads that kernels run on.
    ///
    /// # Errors
    /// [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) if the extents do not fit,
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if there is no memory.
    ///
    /// # Complexity
    /// Writes every byte once.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// let space = Serial::new();
    /// let v = space.zeros::<f64, 2>("v", [3, 4])?;
    /// assert_eq!(v.len(), 12);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn zeros<T: Element, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<View<T, R, Self::Memory>> {
        self.zeros_in(Right, label, extents)
    }

    /// [`zeros`](Self::zeros) with another layout.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    fn zeros_in<T: Element, const R: usize, L: Layout>(
        &self,
        layout: L,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<View<T, R, Self::Memory, L>>;

    /// A View of zeros in memory that the host can index as well: for programs that set up on the host what kernels use.
    ///
    /// On host spaces it is as [`zeros`](Self::zeros). Elsewhere such memory is slower to reach for one side or both, and
    /// launches that use it wait until they are over.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros); [`ErrorKind::Policy`](crate::ErrorKind::Policy) if the device shares no memory.
    ///
    /// # Complexity
    /// Writes every byte once.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// let space = Serial::new();
    /// let mut v = space.shared_zeros::<f64, 1>("v", [3])?;
    /// v[1] = 2.0;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn shared_zeros<T: Element, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<View<T, R, Self::Shared>>;

    /// A View whose element at each index is `f(index)`, filled in parallel on this space.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    ///
    /// # Panics
    /// If `f` panics; the memory is freed.
    ///
    /// # Complexity
    /// Work O(len) calls, span O(len / threads); writes every byte once.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// let space = Serial::new();
    /// let v = space.view_from_fn("v", [3, 4], |[i, j]| (10 * i + j) as f64)?;
    /// assert_eq!(v[[2, 3]], 23.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    fn view_from_fn<T: Element, const R: usize>(
        &self,
        label: impl Into<String>,
        extents: [usize; R],
        f: impl Fn([usize; R]) -> T + Sync,
    ) -> Result<View<T, R, Self::Memory>> {
        self.view_from_fn_in(Right, label, extents, f)
    }

    /// [`view_from_fn`](Self::view_from_fn) with another layout.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    fn view_from_fn_in<T: Element, const R: usize, L: Layout>(
        &self,
        layout: L,
        label: impl Into<String>,
        extents: [usize; R],
        f: impl Fn([usize; R]) -> T + Sync,
    ) -> Result<View<T, R, Self::Memory, L>>;

    /// A View in this space's memory whose elements are yet to be written.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    ///
    /// # Safety
    /// Every element is written before anything reads the View and before it leaves the caller's hands.
    #[doc(hidden)]
    unsafe fn uninit_in<T: Element, const R: usize, L: Layout>(
        &self,
        layout: L,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<View<T, R, Self::Memory, L>> {
        self.zeros_in(layout, label, extents)
    }

    /// Waits until all launches on this space are over. Host spaces have none pending: launches return when done.
    ///
    /// # Errors
    /// What went wrong in a pending launch.
    fn fence(&self) -> Result<()> {
        Ok(())
    }

    /// What the space is set up to be, line by line, as people read it.
    fn configuration(&self) -> String;

    /// Prints [`configuration`](Self::configuration) to standard output.
    fn print_configuration(&self) {
        println!("{}", self.configuration());
    }

    /// The number of threads that may run iterations at the same time.
    fn concurrency(&self) -> usize {
        self.threads()
    }

    /// The indices of `range`.
    fn range(&self, range: Range<usize>) -> RangePolicy<&Self> {
        RangePolicy::new(self, range)
    }

    /// The box of indices of `ranges`, of rank 1 to 6.
    fn md_range<const R: usize>(&self, ranges: [Range<usize>; R]) -> MdRangePolicy<&Self, R> {
        MdRangePolicy::new(self, ranges)
    }

    /// A league of `league` teams of `size` threads, or [`AUTO`](crate::AUTO).
    fn team(&self, league: usize, size: impl Into<TeamSize>) -> TeamPolicy<&Self> {
        TeamPolicy::new(self, league, size)
    }
}

/// What a space does for launches.
///
/// # Safety
/// `run_units` calls `body` exactly once for each unit, and returns after all calls have; where `in_order` says
/// so, units are begun in ascending order and a unit may wait for lower ones.
#[doc(hidden)]
pub unsafe trait Backend: sealed::Sealed + Sized {
    /// The name, as it stands in messages.
    fn name(&self) -> &'static str;
    /// The number of threads that may run units at the same time.
    fn threads(&self) -> usize;
    /// Calls `body(unit)` once for each unit in `0..units`.
    fn run_units(&self, units: usize, schedule: Schedule, body: &(dyn Fn(usize) + Sync));
    /// The most threads that a team may have.
    fn max_team_threads(&self) -> usize {
        1
    }
    /// Calls `body(team, rank, gang)` for each rank below `size` of each of `teams` teams, all at the same time, each on
    /// its own thread. False, with nothing called, where that cannot be.
    fn run_teams(
        &self,
        _size: usize,
        _teams: usize,
        _body: &(dyn Fn(usize, usize, &mut dyn crate::team::Meet) + Sync),
    ) -> bool {
        false
    }
    /// Whether [`Dynamic`](Schedule::Dynamic) units are begun in ascending order, each by a thread that does
    /// nothing else until the unit is over.
    fn in_order(&self) -> bool;

    // What launches of this space do: host threads where a space says nothing else. A space that is a device has bodies
    // of its own, so that kernels are compiled for it where it is used, and nowhere else.

    /// `parallel_for` over a range.
    #[inline]
    fn for_range<A, F>(policy: RangePolicy<&Self>, label: &str, args: A, functor: F) -> Result<()>
    where
        Self: ExecutionSpace,
        A: KernelArgs + ReachedBy<Self>,
        F: for<'k> Fn(Idx<'k, 1>, A::Access<'k>) + Sync,
    {
        patterns::parallel_for::for_range(policy, label, args, functor)
    }
    /// `parallel_for` over a box.
    #[inline]
    fn for_box<A, F, const R: usize>(
        policy: MdRangePolicy<&Self, R>,
        label: &str,
        args: A,
        functor: F,
    ) -> Result<()>
    where
        Self: ExecutionSpace,
        A: KernelArgs + ReachedBy<Self>,
        F: for<'k> Fn(Idx<'k, R>, A::Access<'k>) + Sync,
    {
        patterns::parallel_for::for_box(policy, label, args, functor)
    }
    /// `parallel_for` over a league.
    #[inline]
    fn for_team<A, F, K>(policy: TeamPolicy<&Self, K>, label: &str, args: A, functor: F) -> Result<()>
    where
        Self: ExecutionSpace,
        A: KernelArgs + ReachedBy<Self>,
        F: for<'k> Fn(&mut Team<'k, Infallible, K>, A::Access<'k>) + Sync,
        K: Sync,
    {
        patterns::over_teams::for_team(policy, label, args, functor)
    }
    /// `parallel_reduce` over a range.
    #[inline]
    fn reduce_range<A, R, G, O>(
        policy: RangePolicy<&Self>,
        label: &str,
        args: A,
        body: G,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        Self: ExecutionSpace,
        A: KernelArgs + ReachedBy<Self>,
        R: Reducer + Sync,
        R::Value: Send,
        G: Contribution<1, A, R>,
        O: Outlet<R>,
    {
        patterns::parallel_reduce::reduce_range(policy, label, args, body, reducer, outlet)
    }
    /// `parallel_reduce` over a box.
    #[inline]
    fn reduce_box<A, R, G, O, const N: usize>(
        policy: MdRangePolicy<&Self, N>,
        label: &str,
        args: A,
        body: G,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        Self: ExecutionSpace,
        A: KernelArgs + ReachedBy<Self>,
        R: Reducer + Sync,
        R::Value: Send,
        G: Contribution<N, A, R>,
        O: Outlet<R>,
    {
        patterns::parallel_reduce::reduce_box(policy, label, args, body, reducer, outlet)
    }
    /// `parallel_reduce` over a league.
    #[inline]
    fn reduce_team<A, F, R, K, O>(
        policy: TeamPolicy<&Self, K>,
        label: &str,
        args: A,
        functor: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        Self: ExecutionSpace,
        A: KernelArgs + ReachedBy<Self>,
        R: Reducer + Sync,
        R::Value: Send,
        F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
        K: Sync,
        O: Outlet<R>,
    {
        patterns::over_teams::reduce_team(policy, label, args, functor, reducer, outlet)
    }
    /// `parallel_scan` over a range.
    #[inline]
    fn scan_range<A, F, R, O>(
        policy: RangePolicy<&Self>,
        label: &str,
        args: A,
        functor: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        Self: ExecutionSpace,
        A: KernelArgs + ReachedBy<Self>,
        R: Reducer + Sync,
        R::Value: Clone + Send,
        F: for<'k> Fn(Idx<'k, 1>, &mut R::Value, bool, A::Access<'k>) + Sync,
        O: Outlet<R>,
    {
        patterns::parallel_scan::scan_range(policy, label, args, functor, reducer, outlet)
    }
    /// `parallel_scan` over a box.
    #[inline]
    fn scan_box<A, F, R, O, const N: usize>(
        policy: MdRangePolicy<&Self, N>,
        label: &str,
        args: A,
        functor: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        Self: ExecutionSpace,
        A: KernelArgs + ReachedBy<Self>,
        R: Reducer + Sync,
        R::Value: Clone + Send,
        F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
        O: Outlet<R>,
    {
        patterns::parallel_scan::scan_box(policy, label, args, functor, reducer, outlet)
    }
    /// `parallel_scan` over a league.
    #[inline]
    fn scan_team<A, F, R, K, O>(
        policy: TeamPolicy<&Self, K>,
        label: &str,
        args: A,
        functor: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        Self: ExecutionSpace,
        A: KernelArgs + ReachedBy<Self>,
        R: Reducer + Sync,
        R::Value: Clone + Send,
        F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
        K: Sync,
        O: Outlet<R>,
    {
        patterns::over_teams::scan_team(policy, label, args, functor, reducer, outlet)
    }
}

// SAFETY: host threads read and write host memory.
unsafe impl Reach<HostSpace> for Serial {}
// SAFETY: as above.
unsafe impl Reach<HostSpace> for AnyHost {}
#[cfg(feature = "threads")]
// SAFETY: as above.
unsafe impl Reach<HostSpace> for Threads {}
#[cfg(feature = "rayon")]
// SAFETY: as above.
unsafe impl Reach<HostSpace> for Rayon {}
