//! `parallel_reduce`.

use spelt_access::{Element, Idx, KernelArgs, Layout};
use spelt_policies::{MdRangePolicy, RangePolicy, TeamPolicy};
use spelt_reducers::{MapReducer, Reducer};

use crate::Result;
use crate::launch::{
    ExecutionSpace, Kind, Mapping, OnSpace, Outlet, Returning, Site, Storing, Updating, launch_borrowed,
    launch_into, with_room,
};
use crate::reach::{Reach, ReachedBy};
use crate::team::Team;
use crate::view::{MemorySpace, View};

/// Reduces over every index of `policy`: the closure updates a running value, the reducer joins the values.
///
/// Values join in the canonical order (see [`canonical`](crate::canonical)): the bits of the result are the same on every space,
/// thread count, schedule, chunk, tile and run. An empty policy gives `finish(init())`.
///
/// # Errors
/// As [`parallel_for`](crate::parallel_for()).
///
/// # Panics
/// If an iteration or a join panics: all threads stop, then the panic resumes on the calling thread.
///
/// # Complexity
/// Work O(n) calls and O(n / 64) joins, span O(n / threads + log n). Buffers for partial results are
/// kept for later launches: none is allocated after the first. Running values above 512 bytes are allocated, one for each 64
/// iterations.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_reduce, reducers::Sum};
/// let space = Serial::new();
/// let x = View::from_fn("x", [1000], |[i]| i as f64)?;
/// let y = View::from_fn("y", [1000], |_| 0.5)?;
/// let dot = parallel_reduce("dot", space.range(0..1000), (&x, &y),
///     |i, sum, (x, y)| *sum += x[i] * y[i], Sum::<f64>::new())?;
/// assert_eq!(dot, 249_750.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline]
pub fn parallel_reduce<P, A, F, R>(
    label: &str,
    policy: P,
    args: A,
    closure: F,
    reducer: R,
) -> Result<R::Output>
where
    R: Reducer,
    P: ReducePolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
{
    policy.reduce(label, args, closure, reducer, Returning)
}

/// [`parallel_reduce`] with the result written into the rank-0 View `result` instead of returned.
///
/// The View's old value is ignored. On an asynchronous space the call does not wait for the result.
///
/// # Errors
/// As [`parallel_reduce`].
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_reduce_into, reducers::Sum};
/// let space = Serial::new();
/// let mut total = View::<usize, 0>::zeros("total", [])?;
/// parallel_reduce_into("sum", space.range(0..5), (), |i, sum, ()| *sum += i.get(), Sum::<usize>::new(), &mut total)?;
/// assert_eq!(total[[]], 10);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline]
pub fn parallel_reduce_into<P, A, F, R, M, L>(
    label: &str,
    policy: P,
    args: A,
    closure: F,
    reducer: R,
    result: &mut View<R::Output, 0, M, L>,
) -> Result<()>
where
    R: Reducer,
    R::Output: Element,
    P: ReducePolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
    P::Space: Reach<M>,
    M: MemorySpace,
    L: Layout,
{
    policy.reduce(label, args, closure, reducer, Storing::new(result))
}

/// [`parallel_reduce`] in its mapped form: the closure returns the contribution of its index.
///
/// With [`MinLoc::at_index()`](spelt_reducers::AtIndex), [`MaxLoc`](spelt_reducers::MaxLoc) or
/// [`MinMaxLoc`](spelt_reducers::MinMaxLoc) it returns the value alone, and the location is the index. The closure may then run
/// several times for an index, and must change nothing.
///
/// # Errors
/// As [`parallel_reduce`].
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_map_reduce, reducers::{MinLoc, Sum}};
/// let space = Serial::new();
/// let x = View::from_fn("x", [1000], |[i]| i as f64)?;
/// let squares = parallel_map_reduce("squares", space.range(0..1000), &x, |i, x| x[i] * x[i], Sum::<f64>::new())?;
/// assert_eq!(squares, 332_833_500.0);
/// let nearest = parallel_map_reduce("nearest", space.range(0..1000), &x, |i, x| (x[i] - 7.2).abs(), MinLoc::at_index())?;
/// assert_eq!(nearest.loc, 7);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline]
pub fn parallel_map_reduce<P, A, F, R>(
    label: &str,
    policy: P,
    args: A,
    map: F,
    reducer: R,
) -> Result<<P::Reducer as Reducer>::Output>
where
    P: MapReducePolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
{
    policy.map_reduce(label, args, map, reducer, Returning)
}

/// A policy that `parallel_reduce` runs `F` over, with the arguments `A` and the reducer `R`.
#[diagnostic::on_unimplemented(
    message = "`parallel_reduce` cannot run this closure over `{Self}`",
    note = "over a range or md_range the closure is `|i, value, (x, y)| ..`, over teams `|team, (x, y)| ..` with \
            `team.contribute(value)`; it and the reducer must be `Sync`, the reducer's value `Send`"
)]
pub trait ReducePolicy<A, F, R: Reducer>: OnSpace {
    /// Runs it.
    #[doc(hidden)]
    fn reduce<O: Outlet<R>>(
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

/// A policy that `parallel_map_reduce` runs `F` over, with the arguments `A` and the reducer `R`, possibly at its indices.
pub trait MapReducePolicy<A, F, R>: OnSpace {
    /// The reducer that joins running values.
    type Reducer: Reducer;

    /// Runs it.
    #[doc(hidden)]
    fn map_reduce<O: Outlet<Self::Reducer>>(
        self,
        label: &str,
        args: A,
        map: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<Self::Space>;
}

impl<S, A, F, R> ReducePolicy<A, F, R> for RangePolicy<&S>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(Idx<'k, 1>, &mut R::Value, A::Access<'k>) + Sync,
{
    #[inline]
    fn reduce<O: Outlet<R>>(
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
            Kind::Reduce,
            outlet,
            #[inline(always)]
            |prepared, outlet| S::run_reduce(prepared, Updating(closure), reducer, outlet),
        )
    }
}

impl<S, A, F, R> MapReducePolicy<A, F, R> for RangePolicy<&S>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: MapReducer<usize>,
    R::Reducer: Sync,
    <R::Reducer as Reducer>::Value: Send,
    F: for<'k> Fn(Idx<'k, 1>, A::Access<'k>) -> R::Item + Sync,
{
    type Reducer = R::Reducer;

    #[inline]
    fn map_reduce<O: Outlet<R::Reducer>>(
        self,
        label: &str,
        args: A,
        map: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<S>,
    {
        launch_into(
            label,
            self,
            args,
            Kind::Reduce,
            outlet,
            #[inline(always)]
            |prepared, outlet| {
                S::run_map_reduce(prepared, Mapping::<_, R, usize>::new(map), reducer.reducer(), outlet)
            },
        )
    }
}

impl<S, A, F, R, const N: usize> ReducePolicy<A, F, R> for MdRangePolicy<&S, N>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, A::Access<'k>) + Sync,
{
    #[inline]
    fn reduce<O: Outlet<R>>(
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
            Kind::Reduce,
            outlet,
            #[inline(always)]
            |prepared, outlet| S::run_reduce(prepared, Updating(closure), reducer, outlet),
        )
    }
}

impl<S, A, F, R, const N: usize> MapReducePolicy<A, F, R> for MdRangePolicy<&S, N>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: MapReducer<[usize; N]>,
    R::Reducer: Sync,
    <R::Reducer as Reducer>::Value: Send,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) -> R::Item + Sync,
{
    type Reducer = R::Reducer;

    #[inline]
    fn map_reduce<O: Outlet<R::Reducer>>(
        self,
        label: &str,
        args: A,
        map: F,
        reducer: R,
        outlet: O,
    ) -> Result<O::Returned>
    where
        A: ReachedBy<S>,
    {
        launch_into(
            label,
            self,
            args,
            Kind::Reduce,
            outlet,
            #[inline(always)]
            |prepared, outlet| {
                S::run_map_reduce(prepared, Mapping::<_, R, [usize; N]>::new(map), reducer.reducer(), outlet)
            },
        )
    }
}

impl<S, A, F, R, K> ReducePolicy<A, F, R> for TeamPolicy<&S, K>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
    K: Sync,
{
    #[inline]
    fn reduce<O: Outlet<R>>(
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
                Kind::Reduce,
                outlet,
                #[inline(always)]
                |prepared, outlet| S::run_reduce_teams(prepared, closure, reducer, outlet),
            )
        })
    }
}
