//! Mean and variance in one pass.

use spelt_core::Element;
use spelt_core::reducers::Reducer;

use crate::Real;

/// Number, mean, and sum of squared deviations from the mean, which [`Welford`] accumulates.
///
/// # Examples
/// ```
/// use spelt_algorithms::Moments;
/// let mut moments = Moments::<f64>::default();
/// [2.0, 4.0, 9.0].into_iter().for_each(|x| moments.update(x));
/// assert_eq!((moments.count(), moments.mean()), (3, 5.0));
/// assert_eq!((moments.variance(0), moments.variance(1)), (26.0 / 3.0, 13.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(crate = "spelt_core")]
pub struct Moments<F> {
    count: u64,
    mean: F,
    squares: F,
}

impl<F: Real> Default for Moments<F> {
    fn default() -> Self {
        Self { count: 0, mean: F::ZERO, squares: F::ZERO }
    }
}

impl<F: Real> Moments<F> {
    /// Moments whose parts were computed elsewhere.
    #[inline(always)]
    pub(crate) fn of(count: u64, mean: F, squares: F) -> Self {
        Self { count, mean, squares }
    }

    /// Contributes a number.
    #[inline(always)]
    pub fn update(&mut self, x: F) {
        self.count += 1;
        let from_old = x - self.mean;
        self.mean = self.mean + from_old / F::from_count(self.count);
        self.squares = self.squares + from_old * (x - self.mean);
    }

    /// Joins the moments of other numbers.
    #[inline(always)]
    pub fn join(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (mine, theirs) = (F::from_count(self.count), F::from_count(other.count));
        self.count += other.count;
        let share = theirs / F::from_count(self.count);
        let apart = other.mean - self.mean;
        self.mean = self.mean + apart * share;
        self.squares = self.squares + other.squares + apart * apart * (mine * share);
    }

    /// The number of contributions.
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; NaN without contributions.
    #[inline(always)]
    #[must_use]
    pub fn mean(&self) -> F {
        if self.count == 0 { F::NAN } else { self.mean }
    }

    /// Their variance: the sum of squared deviations over their number minus `correction`; NaN if that is not above 0.
    ///
    /// A correction of 0 gives the variance of the numbers themselves, 1 (Bessel's) an unbiased estimate for the population of
    /// which they are a sample.
    #[inline(always)]
    #[must_use]
    pub fn variance(&self, correction: u64) -> F {
        if self.count > correction { self.squares / F::from_count(self.count - correction) } else { F::NAN }
    }
}

/// Reduces to [`Moments`]: mean and variance in one pass, without the cancellation of a sum of squares.
///
/// A kernel contributes with [`Moments::update`]. The identity has no numbers. A NaN or an infinity makes mean and variance
/// NaN or infinite.
///
/// # Source
/// Welford, *Note on a method for calculating corrected sums of squares and products*, Technometrics 4 (1962); the join from
/// Chan, Golub and LeVeque, *Updating formulae and a pairwise algorithm for computing sample variances* (1979).
///
/// # Examples
/// ```
/// use spelt_algorithms::Welford;
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_reduce};
/// let x = View::from_fn("x", [1001], |[i]| 1e9 + i as f64)?;
/// let found = parallel_reduce("moments", Serial::new().range(0..1001), &x, |i, moments, x| moments.update(x[i]),
///     Welford::<f64>::new())?;
/// assert_eq!((found.mean(), found.variance(0)), (1e9 + 500.0, 83_500.0));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Welford<F>(core::marker::PhantomData<F>);

impl<F> Welford<F> {
    /// The reducer.
    #[inline(always)]
    #[must_use]
    pub const fn new() -> Self {
        Self(core::marker::PhantomData)
    }
}

impl<F: Real> Reducer for Welford<F> {
    type Value = Moments<F>;
    type Output = Moments<F>;
    const HALF_WORDS: u32 = if size_of::<F>() == 4 { 0b10 } else { 0 };

    #[inline(always)]
    fn init(&self) -> Moments<F> {
        Moments::default()
    }
    #[inline(always)]
    fn join(&self, into: &mut Moments<F>, from: &Moments<F>) {
        into.join(from);
    }
    #[inline(always)]
    fn finish(&self, value: Moments<F>) -> Moments<F> {
        value
    }
    #[inline(always)]
    fn neutral(&self) -> Option<Moments<F>> {
        Some(self.init())
    }
    #[inline(always)]
    fn is_neutral(&self, value: &Moments<F>) -> bool {
        value.count == 0
    }
}
