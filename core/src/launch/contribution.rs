//! How an iteration of a reduction contributes to the running value.

use core::marker::PhantomData;

use spelt_access::{Idx, KernelArgs};
use spelt_reducers::{MapReducer, Reducer};

/// The body of a reduction with witnesses of rank `N`.
///
/// The two forms are types rather than closures around closures, so that a device can take them: they hold no references.
pub trait Contribution<const N: usize, A: KernelArgs, R: Reducer>: Sync {
    /// Adds the contribution of the iteration `index` to `value`.
    fn contribute<'k>(&self, reducer: &R, index: Idx<'k, N>, value: &mut R::Value, args: A::Access<'k>);
}

/// A closure that updates the running value.
#[derive(Debug)]
pub(crate) struct Updating<F>(pub(crate) F);

impl<const N: usize, A, R, F> Contribution<N, A, R> for Updating<F>
where
    A: KernelArgs,
    R: Reducer,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, A::Access<'k>) + Sync,
{
    #[inline(always)]
    fn contribute<'k>(&self, _reducer: &R, index: Idx<'k, N>, value: &mut R::Value, args: A::Access<'k>) {
        (self.0)(index, value, args);
    }
}

/// A closure that returns the contribution of its index, for the mapped reducer `M` with locations `L`.
#[derive(Debug)]
pub struct Mapping<F, M, L> {
    pub(crate) map: F,
    mapped: PhantomData<fn() -> (M, L)>,
}

impl<F, M, L> Mapping<F, M, L> {
    #[inline(always)]
    pub(crate) fn new(map: F) -> Self {
        Self { map, mapped: PhantomData }
    }
}

impl<const N: usize, A, F, M, L> Contribution<N, A, M::Reducer> for Mapping<F, M, L>
where
    A: KernelArgs,
    M: MapReducer<L>,
    L: IsLocation<N>,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) -> M::Item + Sync,
{
    #[inline(always)]
    fn contribute<'k>(
        &self,
        reducer: &M::Reducer,
        index: Idx<'k, N>,
        value: &mut <M::Reducer as Reducer>::Value,
        args: A::Access<'k>,
    ) {
        let location = L::of(index.index());
        M::contribute(reducer, value, (self.map)(index, args), location);
    }
}

/// The location that an index of `N` components is: a number in a range, an array in a box.
pub trait IsLocation<const N: usize> {
    /// The location.
    fn of(index: [usize; N]) -> Self;
}

impl IsLocation<1> for usize {
    #[inline(always)]
    fn of([index]: [usize; 1]) -> usize {
        index
    }
}

impl<const N: usize> IsLocation<N> for [usize; N] {
    #[inline(always)]
    fn of(index: [usize; N]) -> Self {
        index
    }
}
