//! `Elementwise`: one reducer for each element of an array.

use crate::Reducer;

/// Reduces each element of an array with the same reducer.
///
/// The running value is `[R::Value; N]`, and element `i` of the result is the reduction by `R` of the elements `i` of all
/// contributions. For a length known at run time only, see [`Columns`](crate::Columns).
///
/// # Complexity
///
/// `N` joins a join.
///
/// # Source
///
/// Kokkos: array reductions.
///
/// # Examples
///
/// ```
/// use spelt_reducers::{Elementwise, Max, Reducer};
///
/// let tops = Elementwise::<Max<u32>, 2>::new(Max::new());
/// let mut value = tops.init();
/// value[1] = 7;
/// tops.join(&mut value, &[3, 5]);
/// assert_eq!(tops.finish(value), [3, 7]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Elementwise<R, const N: usize>(R);

impl<R: Reducer, const N: usize> Elementwise<R, N> {
    /// Makes the reducer from that of one element.
    #[inline(always)]
    #[must_use]
    pub const fn new(reducer: R) -> Self {
        Self(reducer)
    }
}

impl<R: Reducer, const N: usize> Reducer for Elementwise<R, N> {
    type Value = [R::Value; N];
    type Output = [R::Output; N];

    const COMMUTATIVE: bool = R::COMMUTATIVE;
    const EXACT: bool = R::EXACT;
    const REORDERABLE: bool = R::REORDERABLE;

    #[inline(always)]
    fn init(&self) -> [R::Value; N] {
        core::array::from_fn(|_| self.0.init())
    }

    #[inline(always)]
    fn join(&self, into: &mut [R::Value; N], from: &[R::Value; N]) {
        for (into, from) in into.iter_mut().zip(from) {
            self.0.join(into, from);
        }
    }

    #[inline(always)]
    fn join_contributed(&self, into: &mut [R::Value; N], from: &[R::Value; N]) {
        for (into, from) in into.iter_mut().zip(from) {
            self.0.join_contributed(into, from);
        }
    }

    #[inline(always)]
    fn finish(&self, value: [R::Value; N]) -> [R::Output; N] {
        value.map(|element| self.0.finish(element))
    }

    #[inline(always)]
    fn neutral(&self) -> Option<[R::Value; N]> {
        self.0.neutral()?;
        Some(core::array::from_fn(|_| self.0.neutral().unwrap_or_else(|| self.0.init())))
    }

    #[inline(always)]
    fn is_neutral(&self, value: &[R::Value; N]) -> bool {
        value.iter().all(|element| self.0.is_neutral(element))
    }
}
