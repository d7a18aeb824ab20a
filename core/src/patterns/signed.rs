//! The patterns over indices that may be negative: loops over a box that begins at zero, whose closures get the signed index.

use core::marker::PhantomData;

use spelt_access::{Idx, KernelArgs, SignedIdx};
use spelt_policies::{MdRangePolicy, RangePolicy, SignedPolicy};
use spelt_reducers::{MapReducer, Reducer};

use super::{ForPolicy, MapReducePolicy, ReducePolicy, ScanPolicy};
use crate::Result;
use crate::launch::{
    Contribution, ExecutionSpace, Indices, Kind, Launches, Outlet, Site, launch, launch_into,
};
use crate::reach::ReachedBy;

/// The witness of `index` plus `begin`.
///
/// # Safety
/// The launch is over a [`SignedPolicy`] that begins at `begin`; `index` is the iteration's witness, and no accessor is indexed by it.
#[inline(always)]
pub(crate) unsafe fn signed<'k, const R: usize>(index: Idx<'k, R>, begin: [isize; R]) -> SignedIdx<'k, R> {
    let (index, mut sum) = (index.index(), begin);
    let mut dimension = 0;
    while dimension < R {
        sum[dimension] = sum[dimension].wrapping_add_unsigned(index[dimension]);
        dimension += 1;
    }
    // SAFETY: adding the same number maps distinct indices to distinct ones, and the launch has checked that the arguments with an origin
    // cover the box between the signed corners; no accessor is indexed by `index`.
    unsafe { SignedIdx::new(sum) }
}

impl<P, A, F, const R: usize> ForPolicy<A, F> for SignedPolicy<P, R>
where
    P: Indices<R>,
    A: KernelArgs,
    F: for<'k> Fn(SignedIdx<'k, R>, A::Access<'k>) + Sync,
{
    #[inline]
    fn launch(self, site: impl Site, args: A, closure: F) -> Result<()>
    where
        A: ReachedBy<P::Space>,
    {
        let begin = self.begin();
        launch(site, self, args, Kind::For, |prepared| {
            <P::Space as Launches>::run_for(prepared.zero_based(), move |i, args| {
                // SAFETY: the launch is over the policy that begins there, and the closure gets this witness only.
                closure(unsafe { signed(i, begin) }, args);
            })
        })
    }
}

impl<P, A, F, R, const N: usize> ReducePolicy<A, F, R> for SignedPolicy<P, N>
where
    P: Indices<N>,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Send,
    F: for<'k> Fn(SignedIdx<'k, N>, &mut R::Value, A::Access<'k>) + Sync,
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
        A: ReachedBy<P::Space>,
    {
        let begin = self.begin();
        launch_into(site, self, args, Kind::Reduce, outlet, |prepared, outlet| {
            <P::Space as Launches>::run_reduce(
                prepared.zero_based(),
                // SAFETY: the launch is over the policy that begins there.
                unsafe { SignedUpdating::new(closure, begin) },
                reducer,
                outlet,
            )
        })
    }
}

impl<P, A, F, R, const N: usize> ScanPolicy<A, F, R> for SignedPolicy<P, N>
where
    P: Indices<N>,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(SignedIdx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
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
        A: ReachedBy<P::Space>,
    {
        let begin = self.begin();
        launch_into(site, self, args, Kind::scan_by::<R>(), outlet, |prepared, outlet| {
            <P::Space as Launches>::run_scan(
                prepared.zero_based(),
                move |i, value: &mut R::Value, last, args| {
                    // SAFETY: the launch is over the policy that begins there, and the closure gets this witness only.
                    closure(unsafe { signed(i, begin) }, value, last, args);
                },
                reducer,
                outlet,
            )
        })
    }
}

/// A closure that updates the running value at a signed index.
pub(crate) struct SignedUpdating<F, const N: usize> {
    closure: F,
    begin: [isize; N],
}

impl<F, const N: usize> SignedUpdating<F, N> {
    /// # Safety
    /// The launch is over a [`SignedPolicy`] that begins at `begin`.
    #[inline(always)]
    pub(crate) unsafe fn new(closure: F, begin: [isize; N]) -> Self {
        Self { closure, begin }
    }
}

impl<const N: usize, A, R, F> Contribution<N, A, R> for SignedUpdating<F, N>
where
    A: KernelArgs,
    R: Reducer,
    F: for<'k> Fn(SignedIdx<'k, N>, &mut R::Value, A::Access<'k>) + Sync,
{
    #[inline(always)]
    fn contribute<'k>(&self, _reducer: &R, index: Idx<'k, N>, value: &mut R::Value, args: A::Access<'k>) {
        // SAFETY: the launch is over the policy that begins there, as `new` asks, and the closure gets this witness only.
        (self.closure)(unsafe { signed(index, self.begin) }, value, args);
    }
}

/// A closure that returns the contribution of its signed index, for the mapped reducer `M` with locations `L`.
pub(crate) struct SignedMapping<F, M, L, const N: usize> {
    map: F,
    begin: [isize; N],
    mapped: PhantomData<fn() -> (M, L)>,
}

impl<F, M, L, const N: usize> SignedMapping<F, M, L, N> {
    /// # Safety
    /// The launch is over a [`SignedPolicy`] that begins at `begin`.
    #[inline(always)]
    pub(crate) unsafe fn new(map: F, begin: [isize; N]) -> Self {
        Self { map, begin, mapped: PhantomData }
    }
}

impl<const N: usize, A, F, M, L> Contribution<N, A, M::Reducer> for SignedMapping<F, M, L, N>
where
    A: KernelArgs,
    M: MapReducer<L>,
    L: SignedLocation<N>,
    F: for<'k> Fn(SignedIdx<'k, N>, A::Access<'k>) -> M::Item + Sync,
{
    #[inline(always)]
    fn contribute<'k>(
        &self,
        reducer: &M::Reducer,
        index: Idx<'k, N>,
        value: &mut <M::Reducer as Reducer>::Value,
        args: A::Access<'k>,
    ) {
        // SAFETY: the launch is over the policy that begins there, as `new` asks, and the closure gets this witness only.
        let index = unsafe { signed(index, self.begin) };
        M::contribute(reducer, value, (self.map)(index, args), L::of(index.index()));
    }
}

/// The location that a signed index of `N` components is: a number in a range, an array in a box.
pub(crate) trait SignedLocation<const N: usize> {
    fn of(index: [isize; N]) -> Self;
}

impl SignedLocation<1> for isize {
    #[inline(always)]
    fn of([index]: [isize; 1]) -> isize {
        index
    }
}

impl<const N: usize> SignedLocation<N> for [isize; N] {
    #[inline(always)]
    fn of(index: [isize; N]) -> Self {
        index
    }
}

macro_rules! map_reduce {
    ($([$($generics:tt)*] $policy:ty, $rank:tt, $location:ty;)*) => {$(
        impl<S, A, F, R, $($generics)*> MapReducePolicy<A, F, R> for SignedPolicy<$policy, $rank>
        where
            S: ExecutionSpace,
            A: KernelArgs,
            R: MapReducer<$location>,
            R::Reducer: Sync,
            <R::Reducer as Reducer>::Value: Send,
            F: for<'k> Fn(SignedIdx<'k, $rank>, A::Access<'k>) -> R::Item + Sync,
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
                let begin = self.begin();
                launch_into(label, self, args, Kind::Reduce, outlet, |prepared, outlet| {
                    // SAFETY: the launch is over the policy that begins there.
                    let map = unsafe { SignedMapping::<_, R, $location, $rank>::new(map, begin) };
                    S::run_reduce(prepared.zero_based(), map, reducer.reducer(), outlet)
                })
            }
        }
    )*};
}
map_reduce! {
    [] RangePolicy<&S>, 1, isize;
    [const N: usize] MdRangePolicy<&S, N>, N, [isize; N];
}
