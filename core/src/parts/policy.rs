//! The policies whose iterations a part appends.

use core::convert::Infallible;
use core::ops::Range;

use spelt_access::{Idx, KernelArgs, SignedIdx};
use spelt_policies::{MdRangePolicy, RangePolicy, SignedPolicy, TeamPolicy};
use spelt_reducers::Reducer;

use super::{Part, ScanPart};
use crate::Result;
use crate::launch::{
    ExecutionSpace, Indices, Kind, Launches, Mapping, OnSpace, ScanPass, Updating, launch, with_room,
};
use crate::patterns::{SignedMapping, SignedUpdating, signed};
use crate::reach::ReachedBy;
use crate::team::Team;

/// A policy over which a [`Part`] with the reducer `R` runs `F`, with the arguments `A`: for generic code that takes policies.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Part, PartPolicy, Result, Serial, reducers::Sum};
/// fn append<P: PartPolicy<(), F, Sum<f64>>, F>(part: &mut Part<Sum<f64>>, policy: P, closure: F) -> Result<()>
/// where
///     (): spelt_core::ReachedBy<P::Space>,
/// {
///     part.reduce("append", policy, (), closure)
/// }
/// let mut part = Part::new(10, Sum::new());
/// append(&mut part, Serial::new().range(0..10), |i: spelt_core::Idx<'_, 1>, sum: &mut f64, ()| *sum += i.get() as f64)?;
/// assert_eq!(part.finish()?, 45.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a `Part` cannot run this closure over `{Self}`",
    note = "the closure is `|i, value, (x, y)| ..` over a range or md_range, signed or not, or `|team, (x, y)| ..` over a league; it and \
            the reducer must be `Sync`, the reducer's value `Send`"
)]
pub trait PartPolicy<A, F, R: Reducer>: OnSpace {
    /// Extends the part.
    #[doc(hidden)]
    fn reduce_part(
        self,
        label: &str,
        iterations: Option<Range<usize>>,
        args: A,
        closure: F,
        part: &mut Part<R>,
    ) -> Result<()>
    where
        A: ReachedBy<Self::Space>;
}

/// A policy over which a [`Part`] with the reducer `R` runs `F`, which returns contributions, with the arguments `A`.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, MapPartPolicy, Part, Result, Serial, reducers::Sum};
/// fn append<P: MapPartPolicy<(), F, Sum<f64>>, F>(part: &mut Part<Sum<f64>>, policy: P, map: F) -> Result<()>
/// where
///     (): spelt_core::ReachedBy<P::Space>,
/// {
///     part.map_reduce("append", policy, (), map)
/// }
/// let mut part = Part::new(10, Sum::new());
/// append(&mut part, Serial::new().range(0..10), |i: spelt_core::Idx<'_, 1>, ()| i.get() as f64)?;
/// assert_eq!(part.finish()?, 45.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a `Part` cannot run this closure over `{Self}`",
    note = "the closure is `|i, (x, y)| ..` over a range or md_range, signed or not, and returns a value of the reducer; it and the \
            reducer must be `Sync`, the reducer's value `Send`"
)]
pub trait MapPartPolicy<A, F, R: Reducer>: OnSpace {
    /// Extends the part.
    #[doc(hidden)]
    fn map_reduce_part(
        self,
        label: &str,
        iterations: Option<Range<usize>>,
        args: A,
        map: F,
        part: &mut Part<R>,
    ) -> Result<()>
    where
        A: ReachedBy<Self::Space>;
}

/// A policy over which a [`ScanPart`] with the reducer `R` runs `F`, with the arguments `A`.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Result, ScanPart, ScanPartPolicy, Serial, reducers::Sum};
/// fn append<P: ScanPartPolicy<(), F, Sum<f64>>, F>(part: &mut ScanPart<Sum<f64>>, policy: P, closure: F) -> Result<()>
/// where
///     (): spelt_core::ReachedBy<P::Space>,
/// {
///     part.scan("append", policy, (), closure)
/// }
/// let mut part = ScanPart::new(10, Sum::new());
/// append(&mut part, Serial::new().range(0..10), |i: spelt_core::Idx<'_, 1>, sum: &mut f64, _, ()| *sum += i.get() as f64)?;
/// assert_eq!(part.finish()?, 45.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a `ScanPart` cannot run this closure over `{Self}`",
    note = "the closure is `|i, value, last, (x, mut y)| ..` over a range or md_range, signed or not, or \
            `|team, value, last, (x, mut y)| ..` over a league; it and the reducer must be `Sync`, the reducer's value `Clone + Send`"
)]
pub trait ScanPartPolicy<A, F, R: Reducer>: OnSpace {
    /// Extends the part.
    #[doc(hidden)]
    fn scan_part(
        self,
        label: &str,
        iterations: Option<Range<usize>>,
        pass: ScanPass,
        args: A,
        closure: F,
        part: &mut ScanPart<R>,
    ) -> Result<()>
    where
        A: ReachedBy<Self::Space>;
}

macro_rules! part_policies {
    ($([$($rank:tt)*] $policy:ty, $N:tt;)*) => {$(
        impl<S, A, F, R, $($rank)*> PartPolicy<A, F, R> for $policy
        where
            S: ExecutionSpace,
            A: KernelArgs,
            R: Reducer + Sync,
            R::Value: Send,
            F: for<'k> Fn(Idx<'k, $N>, &mut R::Value, A::Access<'k>) + Sync,
        {
            #[inline]
            fn reduce_part(
                self,
                label: &str,
                iterations: Option<Range<usize>>,
                args: A,
                closure: F,
                part: &mut Part<R>,
            ) -> Result<()>
            where
                A: ReachedBy<S>,
            {
                launch(label, self, args, Kind::ReducePart, |prepared| {
                    part.extend(label, prepared.count, iterations, |iterations, reducer, state| {
                        S::run_reduce_part(prepared, iterations, Updating(closure), reducer, state)
                    })
                })
            }
        }

        impl<S, A, F, R, $($rank)*> MapPartPolicy<A, F, R> for $policy
        where
            S: ExecutionSpace,
            A: KernelArgs,
            R: Reducer + Sync,
            R::Value: Send,
            F: for<'k> Fn(Idx<'k, $N>, A::Access<'k>) -> R::Value + Sync,
        {
            #[inline]
            fn map_reduce_part(
                self,
                label: &str,
                iterations: Option<Range<usize>>,
                args: A,
                map: F,
                part: &mut Part<R>,
            ) -> Result<()>
            where
                A: ReachedBy<S>,
            {
                launch(label, self, args, Kind::ReducePart, |prepared| {
                    part.extend(label, prepared.count, iterations, |iterations, reducer, state| {
                        let body = Mapping::<_, R, [usize; $N]>::new(map);
                        S::run_reduce_part(prepared, iterations, body, reducer, state)
                    })
                })
            }
        }

        impl<S, A, F, R, $($rank)*> ScanPartPolicy<A, F, R> for $policy
        where
            S: ExecutionSpace,
            A: KernelArgs,
            R: Reducer + Sync,
            R::Value: Clone + Send,
            F: for<'k> Fn(Idx<'k, $N>, &mut R::Value, bool, A::Access<'k>) + Sync,
        {
            #[inline]
            fn scan_part(
                self,
                label: &str,
                iterations: Option<Range<usize>>,
                pass: ScanPass,
                args: A,
                closure: F,
                part: &mut ScanPart<R>,
            ) -> Result<()>
            where
                A: ReachedBy<S>,
            {
                launch(label, self, args, Kind::ScanPart, |prepared| {
                    part.extend(label, prepared.count, iterations, pass, |iterations, reducer, state| {
                        S::run_scan_part(prepared, iterations, pass, closure, reducer, state)
                    })
                })
            }
        }
    )*};
}
part_policies! {
    [] RangePolicy<&S>, 1;
    [const N: usize] MdRangePolicy<&S, N>, N;
}

/// Some of the teams of a policy, by their numbers in it. They keep their league ranks.
fn some_teams<S, K>(policy: TeamPolicy<S, K>, numbers: Range<usize>) -> TeamPolicy<S, K> {
    let first = policy.ranks().start;
    policy.of_ranks(first + numbers.start..first + numbers.end)
}

/// The iterations of a league are its teams.
impl<S, A, F, R, K> PartPolicy<A, F, R> for TeamPolicy<&S, K>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(&mut Team<'k, R::Value, K>, A::Access<'k>) + Sync,
    K: Sync,
{
    fn reduce_part(
        self,
        label: &str,
        iterations: Option<Range<usize>>,
        args: A,
        closure: F,
        part: &mut Part<R>,
    ) -> Result<()>
    where
        A: ReachedBy<S>,
    {
        // Without memory for scratch the launch unwinds through the part, which is lost.
        with_room(label, || {
            part.extend(label, self.ranks().len(), iterations, |iterations, reducer, state| {
                launch(label, &some_teams(self, iterations), args, Kind::ReducePart, |prepared| {
                    S::run_reduce_teams_part(prepared, closure, reducer, state)
                })
            })
        })
    }
}

/// The iterations of a league are its teams.
impl<S, A, F, R, K> ScanPartPolicy<A, F, R> for TeamPolicy<&S, K>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(&mut Team<'k, Infallible, K>, &mut R::Value, bool, A::Access<'k>) + Sync,
    K: Sync,
{
    fn scan_part(
        self,
        label: &str,
        iterations: Option<Range<usize>>,
        pass: ScanPass,
        args: A,
        closure: F,
        part: &mut ScanPart<R>,
    ) -> Result<()>
    where
        A: ReachedBy<S>,
    {
        // As in a reduction.
        with_room(label, || {
            part.extend(label, self.ranks().len(), iterations, pass, |iterations, reducer, state| {
                launch(label, &some_teams(self, iterations), args, Kind::ScanPart, |prepared| {
                    S::run_scan_teams_part(prepared, pass, closure, reducer, state)
                })
            })
        })
    }
}

impl<P, A, F, R, const N: usize> PartPolicy<A, F, R> for SignedPolicy<P, N>
where
    P: Indices<N>,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(SignedIdx<'k, N>, &mut R::Value, A::Access<'k>) + Sync,
{
    #[inline]
    fn reduce_part(
        self,
        label: &str,
        iterations: Option<Range<usize>>,
        args: A,
        closure: F,
        part: &mut Part<R>,
    ) -> Result<()>
    where
        A: ReachedBy<P::Space>,
    {
        let begin = self.begin();
        launch(label, self, args, Kind::ReducePart, |prepared| {
            part.extend(label, prepared.count, iterations, |iterations, reducer, state| {
                // SAFETY: the launch is over the policy that begins there.
                let body = unsafe { SignedUpdating::new(closure, begin) };
                <P::Space as Launches>::run_reduce_part(
                    prepared.zero_based(),
                    iterations,
                    body,
                    reducer,
                    state,
                )
            })
        })
    }
}

impl<P, A, F, R, const N: usize> MapPartPolicy<A, F, R> for SignedPolicy<P, N>
where
    P: Indices<N>,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(SignedIdx<'k, N>, A::Access<'k>) -> R::Value + Sync,
{
    #[inline]
    fn map_reduce_part(
        self,
        label: &str,
        iterations: Option<Range<usize>>,
        args: A,
        map: F,
        part: &mut Part<R>,
    ) -> Result<()>
    where
        A: ReachedBy<P::Space>,
    {
        let begin = self.begin();
        launch(label, self, args, Kind::ReducePart, |prepared| {
            part.extend(label, prepared.count, iterations, |iterations, reducer, state| {
                // SAFETY: the launch is over the policy that begins there.
                let body = unsafe { SignedMapping::<_, R, [isize; N], N>::new(map, begin) };
                <P::Space as Launches>::run_reduce_part(
                    prepared.zero_based(),
                    iterations,
                    body,
                    reducer,
                    state,
                )
            })
        })
    }
}

impl<P, A, F, R, const N: usize> ScanPartPolicy<A, F, R> for SignedPolicy<P, N>
where
    P: Indices<N>,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(SignedIdx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    #[inline]
    fn scan_part(
        self,
        label: &str,
        iterations: Option<Range<usize>>,
        pass: ScanPass,
        args: A,
        closure: F,
        part: &mut ScanPart<R>,
    ) -> Result<()>
    where
        A: ReachedBy<P::Space>,
    {
        let begin = self.begin();
        launch(label, self, args, Kind::ScanPart, |prepared| {
            part.extend(label, prepared.count, iterations, pass, |iterations, reducer, state| {
                <P::Space as Launches>::run_scan_part(
                    prepared.zero_based(),
                    iterations,
                    pass,
                    move |i, value: &mut R::Value, last, args| {
                        // SAFETY: the launch is over the policy that begins there, and the closure gets this witness only.
                        closure(unsafe { signed(i, begin) }, value, last, args);
                    },
                    reducer,
                    state,
                )
            })
        })
    }
}
