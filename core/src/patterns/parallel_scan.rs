//! `parallel_scan`.

use core::convert::Infallible;

use spelt_access::{Element, Idx, KernelArgs, Layout};
use spelt_policies::{MdRangePolicy, RangePolicy, TeamPolicy};
use spelt_reducers::Reducer;

#[cfg(doc)]
use crate::ErrorKind;
use crate::Result;
use crate::launch::{
    ExecutionSpace, Kind, OnSpace, Outlet, Returning, Site, Storing, launch_borrowed, launch_into, with_room,
};
use crate::reach::{Reach, ReachedBy};
use crate::team::Team;
use crate::view::{MemorySpace, View};

/// Scans every index of `policy` in order: a running value passes through all iterations; returns the total.
///
/// The closure gets the joined value of all indices before its own and adds its own contribution to it. It may write when `last`
/// is true: before the addition, the value is the exclusive prefix; after it, the inclusive one. The closure is called one or
/// more times per index, the last time with `last == true`, and must make the same contribution each time. The bits of all
/// prefixes and of the total are the same on every space, thread count and run (see [`canonical`](crate::canonical)). Prefixes of
/// floats are rounded independently: one of non-negative numbers may be a unit in the last place below the one before it. An empty
/// policy gives `finish(init())` and calls nothing.
///
/// # Errors
/// As [`parallel_for`](crate::parallel_for()); [`ErrorKind::Policy`] for an argument that keeps a replica for each part
/// of the launch.
///
/// # Panics
/// If an iteration or a join panics: all threads stop, then the panic resumes on the calling thread.
///
/// # Complexity
/// Work O(n) calls, at most 3 n, span O(n / threads + log n); each input is read from memory once. Buffers
/// are kept for later launches: none is allocated after the first.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_scan, reducers::Sum};
/// let space = Serial::new();
/// let x = View::from_fn("x", [4], |[i]| i as i64 + 1)?;
/// let mut y = View::<i64, 1>::zeros("y", [4])?;
/// let total = parallel_scan("prefix", space.range(0..4), (&x, &mut y),
///     |i, sum, last, (x, mut y)| { *sum += x[i]; if last { y[i] = *sum } }, Sum::<i64>::new())?;
/// assert_eq!(y.as_slice(), Some(&[1, 3, 6, 10][..]));
/// assert_eq!(total, 10);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline]
pub fn parallel_scan<P, A, F, R>(label: &str, policy: P, args: A, closure: F, reducer: R) -> Result<R::Output>
where
    R: Reducer,
    P: ScanPolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
{
    policy.scan(label, args, closure, reducer, Returning)
}

/// [`parallel_scan`] with the total written into the rank-0 View `total` instead of returned.
///
/// # Errors
/// As [`parallel_scan`].
#[inline]
pub fn parallel_scan_into<P, A, F, R, M, L>(
    label: &str,
    policy: P,
    args: A,
    closure: F,
    reducer: R,
    total: &mut View<R::Output, 0, M, L>,
) -> Result<()>
where
    R: Reducer,
    R::Output: Element,
    P: ScanPolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
    P::Space: Reach<M>,
    M: MemorySpace,
    L: Layout,
{
    policy.scan(label, args, closure, reducer, Storing::new(total))
}

/// A policy that `parallel_scan` runs `F` over, with the arguments `A` and the reducer `R`.
#[diagnostic::on_unimplemented(
    message = "`parallel_scan` cannot run this closure over `{Self}`",
    note = "the closure is `|i, value, last, (x, mut y)| ..` over a range or md_range; it and the reducer must be `Sync`, \
            the reducer's value `Clone + Send`"
)]
pub trait ScanPolicy<A, F, R: Reducer>: OnSpace {
    /// Runs it.
    #[doc(hidden)]
    fn scan<O: Outlet<R>>(
        self,
        site: impl Site,
        args: A,
        closure: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<Self::Space>;
}

impl<S, A, F, R> ScanPolicy<A, F, R> for RangePolicy<&S>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(Idx<'k, 1>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    #[inline]
    fn scan<O: Outlet<R>>(
        self,
        site: impl Site,
        args: A,
        closure: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<S>,
    {
        launch_into(
            site,
            self,
            args,
            Kind::scan_by::<R>(),
            outlet,
            #[inline(always)]
            |prepared, outlet| S::run_scan(prepared, closure, reducer, outlet),
        )
    }
}

impl<S, A, F, R, const N: usize> ScanPolicy<A, F, R> for MdRangePolicy<&S, N>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    #[inline]
    fn scan<O: Outlet<R>>(
        self,
        site: impl Site,
        args: A,
        closure: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<S>,
    {
        launch_into(
            site,
            self,
            args,
            Kind::scan_by::<R>(),
            outlet,
            #[inline(always)]
            |prepared, outlet| S::run_scan(prepared, closure, reducer, outlet),
        )
    }
}

impl<S, A, F, R, K> ScanPolicy<A, F, R> for TeamPolicy<&S, K>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
    K: Sync,
{
    #[inline]
    fn scan<O: Outlet<R>>(
        self,
        site: impl Site,
        mut args: A,
        closure: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<S>,
    {
        with_room(site.label(), || {
            launch_borrowed(
                site,
                &self,
                &mut args,
                Kind::scan_by::<R>(),
                outlet,
                #[inline(always)]
                |prepared, outlet| S::run_scan_teams(prepared, closure, reducer, outlet),
            )
        })
    }
}
