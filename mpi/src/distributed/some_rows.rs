//! `SomeRows`.

use core::cell::RefCell;
use core::convert::Infallible;
use core::fmt;
use core::ops::Range;
use std::rc::Rc;

use spelt_core::{
    ExecutionSpace, ForPolicy, Idx, KernelArgs, MdRangePolicy, OnSpace, RangePolicy, Reach, ReachedBy,
    Result, Site, Team, TeamPolicy, parallel_for,
};

use super::again::Again;
use super::checks::{Which, check};
use super::halo_exchange::UnderWay;
use super::launch::{Inner, run_inner, run_rim};
use super::policy::{Distributed, Rows};
use crate::wire::Kind;

/// The indices of a policy in the rows that need no row of another rank, or in the others: for `parallel_for` beside an exchange.
///
/// [`HaloExchange::inner`](crate::HaloExchange::inner) and [`HaloExchange::rim`](crate::HaloExchange::rim) make it. Which rows these are
/// depends on the ranks, so reductions and scans, whose bits would too, are over whole policies.
///
/// # Examples
/// A function that launches a kernel over either part:
/// ```
/// use spelt_core::{ExecutionSpace, HostSpace, RangePolicy, Result, parallel_for};
/// use spelt_mpi::{DistributedView, SomeRows};
/// fn fill<S: ExecutionSpace<Memory = HostSpace>>(
///     rows: SomeRows<'_, RangePolicy<&S>>,
///     y: &mut DistributedView<f64, 1>,
/// ) -> Result<()> {
///     parallel_for("fill", rows, y, |i, mut y| y[i] = 1.0)
/// }
/// ```
#[derive(Clone)]
#[must_use]
pub struct SomeRows<'c, P> {
    launch: Distributed<'c, P>,
    which: Which,
    /// The messages after which launches over the inner rows look.
    under_way: Option<Rc<RefCell<Option<UnderWay<'c>>>>>,
}

impl<'c, P> SomeRows<'c, P> {
    pub(crate) fn inner(
        launch: Distributed<'c, P>,
        reach: [usize; 2],
        under_way: Rc<RefCell<Option<UnderWay<'c>>>>,
    ) -> Self {
        Self { launch, which: Which::Inner(reach), under_way: Some(under_way) }
    }

    pub(crate) fn rim(launch: Distributed<'c, P>, reach: [usize; 2]) -> Self {
        Self { launch, which: Which::Rim(reach), under_way: None }
    }

    /// Runs `run` over this rank's rows of the kind, by intervals.
    fn run<A>(
        &self,
        label: &str,
        args: &mut A,
        run: impl Fn(Range<usize>, Again<'_, A>) -> Result<()>,
    ) -> Result<()>
    where
        P: Rows + OnSpace,
        A: KernelArgs,
    {
        let (launch, ranks) = (&self.launch, self.launch.ranks);
        let checked = check(label, launch, self.which, args)?;
        let own = checked.own_rows(launch);
        ranks.collective(Kind::Launch, checked.hash, label, |_| match self.which {
            Which::All => run(own, Again(args)),
            Which::Inner(reach) => {
                let inner = checked.inner(launch, &own, reach);
                let mut under_way = self.under_way.as_ref().map(|under_way| under_way.borrow_mut());
                match under_way.as_mut().and_then(|under_way| under_way.as_mut()) {
                    Some(UnderWay { messages, .. }) => {
                        let how = Inner::of_for::<P::Space>();
                        run_inner(ranks, messages, how, inner, |rows| run(rows, Again(args)))
                    }
                    None => run(inner, Again(args)),
                }
            }
            Which::Rim(reach) => {
                let inner = checked.inner(launch, &own, reach);
                run_rim(&own, &inner, |rows| run(rows, Again(args)))
            }
        })
    }
}

impl<P: OnSpace> OnSpace for SomeRows<'_, P> {
    type Space = P::Space;
}

macro_rules! policies {
    ($([$($generics:tt)*] $policy:ty, ($($closure:tt)*);)*) => {$(
        impl<'s, S, A, F, $($generics)*> ForPolicy<A, F> for SomeRows<'_, $policy>
        where
            S: ExecutionSpace + Reach<A::Memory>,
            A: KernelArgs,
            F: for<'k> Fn($($closure)*, A::Access<'k>) + Sync + Copy,
        {
            fn launch(self, site: impl Site, mut args: A, closure: F) -> Result<()>
            where
                A: ReachedBy<S>,
            {
                let label = site.label();
                self.run(label, &mut args, |rows, args| {
                    parallel_for(label, self.launch.policy.of_rows(rows), args, closure)
                })
            }
        }
    )*};
}
policies! {
    [] RangePolicy<&'s S>, (Idx<'k, 1>);
    [const N: usize] MdRangePolicy<&'s S, N>, (Idx<'k, N>);
    [K: Copy + Sync] TeamPolicy<&'s S, K>, (&mut Team<'k, Infallible, K>);
}

impl<P: fmt::Debug> fmt::Debug for SomeRows<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SomeRows")
            .field("policy", &self.launch)
            .field("which", &self.which)
            .finish_non_exhaustive()
    }
}
