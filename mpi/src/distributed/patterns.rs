//! The patterns over the policies of all ranks.

use core::convert::Infallible;
use core::ops::Range;

use spelt_core::reducers::{MapReducer, Reducer};
use spelt_core::{
    ErrorKind, ExecutionSpace, ForPolicy, Idx, KernelArgs, MapReducePolicy, MdRangePolicy, OnSpace, Outlet,
    Part, Portable, RangePolicy, Reach, ReachedBy, ReducePolicy, Result, ScanPart, ScanPartPolicy,
    ScanPolicy, Site, Team, TeamPolicy, parallel_for,
};

use super::again::Again;
use super::checks::{Which, check};
use super::launch::{Inner, run_inner};
use super::policy::{Distributed, Rows};
use crate::Pass;
use crate::share::{Share, border_from};

/// The iterations of a launch as ranks make them.
struct Iterations<T> {
    /// The first one of each rank, and their number.
    cuts: Vec<usize>,
    /// The rows of this rank.
    own: Range<usize>,
    /// The first iteration of this rank.
    first: usize,
    /// The number on which all ranks must agree.
    hash: usize,
    /// Iterations of this rank that have run while rows of other ranks came.
    begun: Option<T>,
}

/// Checks a launch, and fetches the rows that it reads. Meanwhile `extend` appends iterations that need none, given by their numbers in a local
/// policy, to a part.
fn prepare<P, A, R, T>(
    label: &str,
    launch: &Distributed<'_, P>,
    args: &mut A,
    reducer: &R,
    extend: impl Fn(&mut T, P, Range<usize>, Again<'_, A>) -> Result<()>,
) -> Result<Iterations<T>>
where
    P: Rows + OnSpace,
    A: KernelArgs,
    R: Clone,
    T: Share<R>,
{
    let checked = check(label, launch, Which::All, args)?;
    let row_len = launch.policy.row_len().ok_or_else(|| {
        let message = format!("`{label}`: the policy has more iterations than a `usize` can count: split it");
        spelt_core::Error::new(ErrorKind::Overflow, message)
    })?;
    let all = launch.policy.rows();
    let number = |row: usize| (row.clamp(all.start, all.end) - all.start) * row_len;
    let n = number(all.end);
    let mut begun = None;
    checked.fetch(label, launch, args, |rows, ongoing, args| {
        let (zero, end) = (number(rows.start), number(rows.end));
        let begin = border_from::<R, T>(zero, n);
        if begin >= end {
            return Ok(());
        }
        let part = begun.insert(T::starting_at(n, begin, reducer.clone())?);
        // Whole tiles, which need not wait for the lanes of another piece.
        let tiles = 0..(end - begin).div_ceil(T::TILE);
        run_inner(launch.ranks, ongoing, Inner::of_part::<P::Space>(), tiles, |tiles| {
            let numbers = begin + tiles.start * T::TILE
                ..end.min(begin.saturating_add(tiles.end.saturating_mul(T::TILE)));
            extend(
                part,
                launch.policy.of_rows(rows.clone()),
                numbers.start - zero..numbers.end - zero,
                Again(args),
            )
        })
    })?;
    let mut cuts: Vec<usize> = checked.partition.cuts().iter().map(|cut| number(*cut)).collect();
    // Rows beyond the Views have no rank, and the check has found that there are none.
    (cuts[0], *cuts.last_mut().expect("two cuts and more")) = (0, n);
    let own = checked.own_rows(launch);
    Ok(Iterations { cuts, first: number(own.start), own, hash: checked.hash, begun })
}

/// Reduces over all ranks: `extend` appends the iterations of a local policy, given by their numbers in it.
fn reduce<P, A, R>(
    label: &str,
    launch: &Distributed<'_, P>,
    mut args: A,
    reducer: R,
    extend: impl Fn(&mut Part<R>, P, Range<usize>, Again<'_, A>) -> Result<()>,
) -> Result<R::Output>
where
    P: Rows + OnSpace,
    A: KernelArgs,
    R: Reducer + Clone,
    R::Value: Portable,
{
    let Iterations { cuts, own, first, hash, begun } = prepare(label, launch, &mut args, &reducer, &extend)?;
    launch.ranks.reduce_shares(label, &cuts, hash, reducer, begun, |part, iterations| {
        let numbers = iterations.start - first..iterations.end - first;
        extend(part, launch.policy.of_rows(own.clone()), numbers, Again(&mut args))
    })
}

/// Scans over all ranks: `extend` appends the iterations of a local policy, given by their numbers in it, in one pass or the other.
fn scan<P, A, R>(
    label: &str,
    launch: &Distributed<'_, P>,
    mut args: A,
    reducer: R,
    extend: impl Fn(&mut ScanPart<R>, Pass, P, Range<usize>, Again<'_, A>) -> Result<()>,
) -> Result<R::Output>
where
    P: Rows + OnSpace,
    A: KernelArgs,
    R: Reducer + Clone,
    R::Value: Portable,
{
    let totals = |part: &mut ScanPart<R>, policy: P, numbers: Range<usize>, args: Again<'_, A>| {
        extend(part, Pass::Totals, policy, numbers, args)
    };
    let Iterations { cuts, own, first, hash, begun } = prepare(label, launch, &mut args, &reducer, totals)?;
    launch.ranks.scan_shares(label, &cuts, hash, reducer, begun, |part, pass, iterations| {
        let numbers = iterations.start - first..iterations.end - first;
        extend(part, pass, launch.policy.of_rows(own.clone()), numbers, Again(&mut args))
    })
}

/// Appends the iterations of a local policy to a part, in one pass or the other.
fn append<P, A, F, R>(
    label: &str,
    part: &mut ScanPart<R>,
    pass: Pass,
    policy: P,
    iterations: Range<usize>,
    args: A,
    closure: F,
) -> Result<()>
where
    P: ScanPartPolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
    R: Reducer,
{
    match pass {
        Pass::Totals => part.add_totals_of_iterations(label, policy, iterations, args, closure),
        Pass::Values => part.scan_iterations(label, policy, iterations, args, closure),
    }
}

macro_rules! patterns {
    ($([$($rank:tt)*] $policy:ty, $N:tt, $location:ty;)*) => {$(
        impl<'s, S, A, F, $($rank)*> ForPolicy<A, F> for Distributed<'_, $policy>
        where
            S: ExecutionSpace + Reach<A::Memory>,
            A: KernelArgs,
            F: for<'k> Fn(Idx<'k, $N>, A::Access<'k>) + Sync + Copy,
        {
            fn launch(self, site: impl Site, mut args: A, closure: F) -> Result<()>
            where
                A: ReachedBy<S>,
            {
                let label = site.label();
                let checked = check(label, &self, Which::All, &mut args)?;
                checked.run(label, &self, &mut args, |rows, args| {
                    parallel_for(label, self.policy.of_rows(rows), args, closure)
                })
            }
        }

        impl<'s, S, A, F, R, $($rank)*> ReducePolicy<A, F, R> for Distributed<'_, $policy>
        where
            S: ExecutionSpace + Reach<A::Memory>,
            A: KernelArgs,
            R: Reducer + Sync + Clone,
            R::Value: Send + Portable,
            F: for<'k> Fn(Idx<'k, $N>, &mut R::Value, A::Access<'k>) + Sync + Copy,
        {
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
                let label = site.label();
                let output = reduce(label, &self, args, reducer, |part, policy, iterations, args| {
                    part.reduce_iterations(label, policy, iterations, args, closure)
                })?;
                outlet.put(output)
            }
        }

        impl<'s, S, A, F, R, $($rank)*> ScanPolicy<A, F, R> for Distributed<'_, $policy>
        where
            S: ExecutionSpace + Reach<A::Memory>,
            A: KernelArgs,
            R: Reducer + Sync + Clone,
            R::Value: Clone + Send + Portable,
            F: for<'k> Fn(Idx<'k, $N>, &mut R::Value, bool, A::Access<'k>) + Sync + Copy,
        {
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
                let label = site.label();
                let total = scan(label, &self, args, reducer, |part, pass, policy, numbers, args| {
                    append(label, part, pass, policy, numbers, args, closure)
                })?;
                outlet.put(total)
            }
        }

        impl<'s, S, A, F, R, $($rank)*> MapReducePolicy<A, F, R> for Distributed<'_, $policy>
        where
            S: ExecutionSpace + Reach<A::Memory>,
            A: KernelArgs,
            R: MapReducer<$location>,
            R::Reducer: Sync + Clone,
            <R::Reducer as Reducer>::Value: Send + Portable,
            F: for<'k> Fn(Idx<'k, $N>, A::Access<'k>) -> R::Item + Sync + Copy,
        {
            type Reducer = R::Reducer;

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
                let reducer = reducer.reducer();
                let output = reduce(label, &self, args, reducer.clone(), |part, policy, iterations, args| {
                    let joins = reducer.clone();
                    part.reduce_iterations(label, policy, iterations, args, move |i, value, args| {
                        let location = <$location as Location<$N>>::of(i.index());
                        R::contribute(&joins, value, map(i, args), location);
                    })
                })?;
                outlet.put(output)
            }
        }
    )*};
}
impl<S, A, F, K> ForPolicy<A, F> for Distributed<'_, TeamPolicy<&S, K>>
where
    S: ExecutionSpace + Reach<A::Memory>,
    A: KernelArgs,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, A::Access<'k>) + Sync + Copy,
    K: Copy + Sync,
{
    fn launch(self, site: impl Site, mut args: A, closure: F) -> Result<()>
    where
        A: ReachedBy<S>,
    {
        let label = site.label();
        let checked = check(label, &self, Which::All, &mut args)?;
        checked.run(label, &self, &mut args, |rows, args| {
            parallel_for(label, self.policy.of_rows(rows), args, closure)
        })
    }
}

impl<S, A, F, R, K> ReducePolicy<A, F, R> for Distributed<'_, TeamPolicy<&S, K>>
where
    S: ExecutionSpace + Reach<A::Memory>,
    A: KernelArgs,
    R: Reducer + Sync + Clone,
    R::Value: Send + Portable,
    F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync + Copy,
    K: Copy + Sync,
{
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
        let label = site.label();
        let output = reduce(label, &self, args, reducer, |part, policy, iterations, args| {
            part.reduce_iterations(label, policy, iterations, args, closure)
        })?;
        outlet.put(output)
    }
}

impl<S, A, F, R, K> ScanPolicy<A, F, R> for Distributed<'_, TeamPolicy<&S, K>>
where
    S: ExecutionSpace + Reach<A::Memory>,
    A: KernelArgs,
    R: Reducer + Sync + Clone,
    R::Value: Clone + Send + Portable,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync + Copy,
    K: Copy + Sync,
{
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
        let label = site.label();
        let total = scan(label, &self, args, reducer, |part, pass, policy, numbers, args| {
            append(label, part, pass, policy, numbers, args, closure)
        })?;
        outlet.put(total)
    }
}

patterns! {
    [] RangePolicy<&'s S>, 1, usize;
    [const N: usize] MdRangePolicy<&'s S, N>, N, [usize; N];
}

/// The location that an index is: a number in a range, an array in a box.
trait Location<const N: usize> {
    fn of(index: [usize; N]) -> Self;
}
impl Location<1> for usize {
    #[inline(always)]
    fn of([index]: [usize; 1]) -> usize {
        index
    }
}
impl<const N: usize> Location<N> for [usize; N] {
    #[inline(always)]
    fn of(index: [usize; N]) -> Self {
        index
    }
}
