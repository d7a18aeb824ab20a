//! How an iteration of a reduction contributes to the running value.

use spelt_access::{Idx, KernelArgs};
use spelt_reducers::Reducer;

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

/// A closure that returns the contribution of its index.
#[derive(Debug)]
pub(crate) struct Mapping<F>(pub(crate) F);

impl<const N: usize, A, R, F> Contribution<N, A, R> for Mapping<F>
where
    A: KernelArgs,
    R: Reducer,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>) -> R::Value + Sync,
{
    #[inline(always)]
    fn contribute<'k>(&self, reducer: &R, index: Idx<'k, N>, value: &mut R::Value, args: A::Access<'k>) {
        reducer.join(value, &(self.0)(index, args));
    }
}
