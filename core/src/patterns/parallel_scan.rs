//! `parallel_scan`.

use spelt_access::{Element, Idx, KernelArgs, Layout};
use spelt_order::cursor::{Boxed, Line};
use spelt_policies::{MdRangePolicy, RangePolicy};
use spelt_reducers::Reducer;

use super::OnSpace;
use super::outlet::{Outlet, Returning, Storing};
use super::parallel_for::counted;
use super::scan_launch::scan;
use crate::launch::{Names, check_covered, prepare};
use crate::reach::{Reach, ReachedBy};
use crate::spaces::ExecutionSpace;
use crate::view::MemorySpace;
use crate::view::View;
use crate::{Error, ErrorKind, Result};

/// Scans every index of `policy` in order: a running value passes through all iterations; returns the total.
///
/// The closure gets the value of all indices before its own, adds its own contribution to it, and may write when
/// `last` is true: before adding, what it writes is the exclusive prefix, after adding, the inclusive one. It is
/// called once or several times per index, the last time with `last == true`, and must contribute alike each time.
/// The bits of all prefixes and of the total are the same on every space, thread count and run (see
/// [`canonical`](crate::canonical)). An empty policy gives `finish(init())` and calls nothing.
///
/// # Errors
/// As [`parallel_for`](crate::parallel_for()); [`ErrorKind::Policy`] for an argument that keeps a copy for each block
/// of iterations.
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
pub fn parallel_scan<P, A, F, R>(label: &str, policy: P, args: A, functor: F, reducer: R) -> Result<R::Output>
where
    R: Reducer,
    P: ScanPolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
{
    policy.scan(label, args, functor, reducer, Returning)
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
    functor: F,
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
    policy.scan(label, args, functor, reducer, Storing::new(total))
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
        label: &str,
        args: A,
        functor: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<Self::Space>;
}

/// The error of an argument that a scan cannot take.
pub(crate) fn no_blocks<A: KernelArgs>(label: &str, args: &A) -> Result<()> {
    if args.blocks().is_none() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Policy,
        "a scan takes no `.scatter()` argument: use `.atomic()`, or a second kernel",
    )
    .in_kernel(label))
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
        label: &str,
        args: A,
        functor: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<S>,
    {
        S::scan_range(self, label, args, functor, reducer, outlet)
    }
}

/// `parallel_scan` over a range, on host threads.
pub(crate) fn scan_range<S, A, F, R, O>(
    policy: RangePolicy<&S>,
    label: &str,
    mut args: A,
    functor: F,
    reducer: R,
    outlet: O,
) -> Result<O::Returned>
where
    S: ExecutionSpace,
    A: KernelArgs + ReachedBy<S>,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(Idx<'k, 1>, &mut R::Value, bool, A::Access<'k>) + Sync,
    O: Outlet<R>,
{
    let range = policy.range();
    check_covered(label, &args, &[range.start], &[range.end])?;
    no_blocks(label, &args)?;
    prepare(label, &mut args)?;
    // SAFETY: `args` lives, and is only described, until the launch is over.
    let (raw, held) = unsafe { args.lower() };
    let names = Names::new(label, &args);
    let functor = &functor;
    let start = range.start;
    let output = scan(
        *policy.space(),
        policy.len(),
        &names,
        &reducer,
        move |offset| Line { index: start + offset },
        move |place: Line, distance, value: &mut R::Value, last| {
            // SAFETY: each chunk runs once, and within it each index once at a time and in order; coverage is
            // checked.
            unsafe { functor(Idx::new([place.index + distance]), value, last, A::access(&raw, 0)) }
        },
    )
    .map_err(|lack| lack.in_kernel(label))?;
    A::finish(held);
    // SAFETY: the launch was on the host, and `parallel_scan_into` takes Views that its space reaches.
    Ok(unsafe { outlet.take(output) })
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
        label: &str,
        args: A,
        functor: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<S>,
    {
        S::scan_box(self, label, args, functor, reducer, outlet)
    }
}

/// `parallel_scan` over a box, on host threads.
pub(crate) fn scan_box<S, A, F, R, O, const N: usize>(
    policy: MdRangePolicy<&S, N>,
    label: &str,
    mut args: A,
    functor: F,
    reducer: R,
    outlet: O,
) -> Result<O::Returned>
where
    S: ExecutionSpace,
    A: KernelArgs + ReachedBy<S>,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
    O: Outlet<R>,
{
    let count = counted(label, &policy)?;
    let lower = policy.ranges().map(|range| range.start);
    let upper = policy.ranges().map(|range| range.end);
    check_covered(label, &args, &lower, &upper)?;
    no_blocks(label, &args)?;
    prepare(label, &mut args)?;
    // SAFETY: `args` lives, and is only described, until the launch is over.
    let (raw, held) = unsafe { args.lower() };
    let names = Names::new(label, &args);
    let functor = &functor;
    let output = scan(
        *policy.space(),
        count,
        &names,
        &reducer,
        move |offset| Boxed::new(lower, upper, offset),
        move |place: Boxed<N>, distance, value: &mut R::Value, last| {
            let mut index = place.index;
            index[N - 1] += distance;
            // SAFETY: as above.
            unsafe { functor(Idx::new(index), value, last, A::access(&raw, 0)) }
        },
    )
    .map_err(|lack| lack.in_kernel(label))?;
    A::finish(held);
    // SAFETY: the launch was on the host, and `parallel_scan_into` takes Views that its space reaches.
    Ok(unsafe { outlet.take(output) })
}
