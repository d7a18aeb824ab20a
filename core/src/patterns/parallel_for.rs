//! `parallel_for`.

use core::convert::Infallible;

use spelt_access::{Idx, KernelArgs};
use spelt_policies::{MdRangePolicy, RangePolicy, TeamPolicy};

#[cfg(doc)]
use crate::ErrorKind;
use crate::Result;
use crate::launch::{ExecutionSpace, Kind, OnSpace, Returning, Site, launch, launch_borrowed, with_room};
use crate::reach::ReachedBy;
use crate::team::Team;

/// Calls `closure` for every index of `policy`, in parallel.
///
/// The closure gets a witness of the index and an accessor for each argument; a View that it indexes by the
/// witness must cover the policy. The thread that runs an index is unspecified; no two iterations can write the same
/// element.
///
/// Pass scalars as arguments, or capture them with `move`: a closure that captures a reference to one must reload it after each
/// store, and such loops do not vectorise.
///
/// # Errors
/// [`ErrorKind::Extents`] if a View does not cover the policy, [`ErrorKind::Overflow`] if the iterations cannot
/// be counted, [`ErrorKind::Policy`] if the space does not support the policy, [`ErrorKind::OutOfMemory`] if there is no memory
/// for the replicas of a scattered View. In these cases nothing has run. [`ErrorKind::OutOfMemory`] also if there is no memory
/// for the scratch of a team; other teams may have run then.
///
/// # Panics
/// If an iteration panics: no further iterations start, all threads stop, then the panic resumes on the calling thread.
///
/// # Complexity
/// Work O(n) calls, span O(n / threads); no allocation.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let x = View::from_fn("x", [4], |[i]| i as f64)?;
/// let mut y = View::from_fn("y", [4], |_| 1.0)?;
/// parallel_for("axpy", space.range(0..4), (2.0_f64, &x, &mut y), |i, (a, x, mut y)| y[i] += a * x[i])?;
/// assert_eq!(y.as_slice(), Some(&[1.0, 3.0, 5.0, 7.0][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline]
pub fn parallel_for<P, A, F>(label: &str, policy: P, args: A, closure: F) -> Result<()>
where
    P: ForPolicy<A, F>,
    A: KernelArgs + ReachedBy<P::Space>,
{
    policy.launch(label, args, closure)
}

/// A policy that `parallel_for` runs `F` over, with the arguments `A`.
///
/// The implementations determine the closure's parameters: `|i, args|` with a witness for ranges, `|team, args|` for teams.
#[diagnostic::on_unimplemented(
    message = "`parallel_for` cannot run this closure over `{Self}`",
    note = "over a range or md_range the closure is `|i, (x, mut y)| ..`, over teams `|team, (x, mut y)| ..`; it must \
            be `Sync` and take the accessors of exactly the arguments given"
)]
pub trait ForPolicy<A, F>: OnSpace {
    /// Runs it.
    #[doc(hidden)]
    fn launch(self, site: impl Site, args: A, closure: F) -> Result<()>
    where
        A: ReachedBy<Self::Space>;
}

impl<S, A, F> ForPolicy<A, F> for RangePolicy<&S>
where
    S: ExecutionSpace,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, 1>, A::Access<'k>) + Sync,
{
    #[inline]
    fn launch(self, site: impl Site, args: A, closure: F) -> Result<()>
    where
        A: ReachedBy<S>,
    {
        launch(
            site,
            self,
            args,
            Kind::For,
            #[inline(always)]
            |prepared| S::run_for(prepared, closure),
        )
    }
}

impl<S, A, F, const R: usize> ForPolicy<A, F> for MdRangePolicy<&S, R>
where
    S: ExecutionSpace,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, R>, A::Access<'k>) + Sync,
{
    #[inline]
    fn launch(self, site: impl Site, args: A, closure: F) -> Result<()>
    where
        A: ReachedBy<S>,
    {
        launch(
            site,
            self,
            args,
            Kind::For,
            #[inline(always)]
            |prepared| S::run_for(prepared, closure),
        )
    }
}

impl<S, A, F, K> ForPolicy<A, F> for TeamPolicy<&S, K>
where
    S: ExecutionSpace,
    A: KernelArgs,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, A::Access<'k>) + Sync,
    K: Sync,
{
    #[inline]
    fn launch(self, site: impl Site, mut args: A, closure: F) -> Result<()>
    where
        A: ReachedBy<S>,
    {
        with_room(site.label(), || {
            launch_borrowed(
                site,
                &self,
                &mut args,
                Kind::For,
                Returning,
                #[inline(always)]
                |prepared, _| S::run_for_teams(prepared, closure),
            )
        })
    }
}

#[cfg(all(test, not(spelt_loom)))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::parallel_for;
    use crate::{ExecutionSpace, Iterate, Serial, View};

    #[test]
    fn a_tile_of_zero_is_as_long_as_the_box() {
        let next = AtomicUsize::new(0);
        let mut order = View::<usize, 2>::zeros("order", [4, 3]).unwrap();
        let space = Serial::new();
        let policy = space.md_range([0..4, 0..3]).tile([2, 0]);
        parallel_for("visit", policy, &mut order, |i, mut order| order[i] = next.fetch_add(1, Relaxed))
            .unwrap();
        assert!(order.iter().copied().eq(0..12), "{order}");
    }

    #[test]
    fn tiles_as_large_as_numbers_go_stay_in_the_box() {
        let space = Serial::new();
        for iterate in [Iterate::Left, Iterate::Right] {
            let mut visits = View::<u32, 2>::zeros("visits", [5, 7]).unwrap();
            let policy = space.md_range([2..5, 1..6]).tile([usize::MAX, 2]).iterate(iterate);
            parallel_for("visit", policy, &mut visits, |i, mut visits| visits[i] += 1).unwrap();
            let expected =
                View::from_fn("", [5, 7], |[i, j]| u32::from(i >= 2 && (1..6).contains(&j))).unwrap();
            assert_eq!(visits, expected);
        }
    }
}
