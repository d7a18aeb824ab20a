//! Sums of exponentials that neither overflow nor underflow.

use core::marker::PhantomData;

use super::no_data::no_data;
use crate::Real;
use spelt_core::reducers::Reducer;

/// The joined maximum, and the factor of each side: e^(old - new), of which one is 1.
///
/// Equal maxima have the factor 1 by definition, since the difference of infinities is NaN. A NaN among `new` gives NaN factors.
#[inline(always)]
fn rescale<T: Real>(kept: T, new: T) -> (T, T, T) {
    let raise = new > kept;
    let factor = spelt_math::exp(T::ZERO - (kept - new).magnitude());
    let factor = if kept == new { T::ONE } else { factor };
    if raise { (new, factor, T::ONE) } else { (kept, T::ONE, factor) }
}

/// Adds up e^`f` over all contributions; the result is the logarithm of the sum.
///
/// The running value is the pair (m, r) of the largest exponent so far and the residual sum of e^(f - m); the result is
/// m + ln r. So nothing overflows, and terms that underflow are below the last bit. A term of negative infinity adds nothing, an infinite one
/// makes the sum infinite, NaN makes it NaN. The empty sum is 0, whose logarithm is negative infinity.
///
/// Exponential and logarithm are [`spelt_math`]'s, so results have the same bits everywhere.
///
/// # Complexity
/// One exponential per contribution and per join, without branches; one logarithm at the end.
///
/// # Source
/// M. Milakov and N. Gimelshein, *Online normalizer calculation for softmax*, 2018; KeOps: `Max_SumShiftExp`, which gives NaN if
/// the first terms are negative infinity, or two are infinite.
///
/// # Examples
/// ```
/// use spelt_algorithms::LogSumExp;
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_reduce};
/// let space = Serial::new();
/// let x = View::from_vec("x", [2], vec![1000.0_f64, 1000.0])?;
/// let all = parallel_reduce("all", space.range(0..2), &x, |i, sum, x| sum.update(x[i]), LogSumExp::<f64>::new())?;
/// assert_eq!(all, 1000.0 + 2.0_f64.ln());
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct LogSumExp<T>(PhantomData<fn() -> T>);

/// The running value of [`LogSumExp`]: the sum is e^`max` `residual`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct LogSumExpValue<T> {
    /// The largest exponent so far.
    pub max: T,
    /// The sum of e^(f - `max`) over the exponents f so far, each times its weight.
    pub residual: T,
}

impl<T: Real> LogSumExpValue<T> {
    /// Adds e^`exponent`.
    #[inline(always)]
    pub fn update(&mut self, exponent: T) {
        let (max, kept, new) = rescale(self.max, exponent);
        self.max = max;
        self.residual = self.residual * kept + new;
    }

    /// Adds `weight` e^`exponent`.
    ///
    /// Weights may be negative; if the sum is negative, its logarithm is NaN. A term of weight 0 is ignored for every
    /// exponent, so a larger exponent without weight does not drown the others.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::LogSumExp;
    /// use spelt_core::reducers::Reducer;
    /// let sum = LogSumExp::<f64>::new();
    /// let mut value = sum.init();
    /// value.update_weighted(0.0, 3.0);
    /// value.update_weighted(5000.0, 0.0);
    /// assert_eq!(sum.finish(value), 3.0_f64.ln());
    /// ```
    #[inline(always)]
    pub fn update_weighted(&mut self, exponent: T, weight: T) {
        let exponent = if weight == T::ZERO { T::LOWEST } else { exponent };
        let (max, kept, new) = rescale(self.max, exponent);
        self.max = max;
        self.residual = self.residual * kept + weight * new;
    }
}

impl<T: Real> Reducer for LogSumExp<T> {
    type Value = LogSumExpValue<T>;
    type Output = T;

    #[inline(always)]
    fn init(&self) -> Self::Value {
        LogSumExpValue { max: T::LOWEST, residual: T::ZERO }
    }

    #[inline(always)]
    fn join(&self, into: &mut Self::Value, from: &Self::Value) {
        let (max, kept, new) = rescale(into.max, from.max);
        into.max = max;
        into.residual = into.residual * kept + from.residual * new;
    }

    #[inline(always)]
    fn finish(&self, value: Self::Value) -> T {
        value.max + spelt_math::ln(value.residual)
    }
}

/// The mean of vectors of `D` components, each weighted by e^`f` of its exponent f.
///
/// Attention and kernel regression compute it: sum of e^f g over sum of e^f, without overflow. The rules for infinite
/// exponents are those of [`LogSumExp`]; if no term has weight, the mean is NaN.
///
/// # Complexity
/// One exponential and O(`D`) products per contribution and per join.
///
/// # Source
/// KeOps: `SumSoftMaxWeight`.
///
/// # Examples
/// ```
/// use spelt_algorithms::SoftmaxMean;
/// use spelt_core::reducers::Reducer;
/// let mean = SoftmaxMean::<f64, 1>::new();
/// let mut value = mean.init();
/// value.update(800.0, [2.0]);
/// value.update(800.0, [4.0]);
/// assert_eq!(mean.finish(value), [3.0]);
/// ```
pub struct SoftmaxMean<T, const D: usize>(PhantomData<fn() -> T>);

/// The running value of [`SoftmaxMean`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct SoftmaxMeanValue<T, const D: usize> {
    /// The largest exponent so far.
    pub max: T,
    /// The sum of e^(f - `max`) over the exponents f so far.
    pub residual: T,
    /// The sum of e^(f - `max`) g.
    pub sum: [T; D],
}

impl<T: Real, const D: usize> SoftmaxMeanValue<T, D> {
    /// Adds `vector` with the weight e^`exponent`.
    #[inline(always)]
    pub fn update(&mut self, exponent: T, vector: [T; D]) {
        let (max, kept, new) = rescale(self.max, exponent);
        // A term without weight adds nothing, where zero times an infinite component would be NaN.
        let empty = exponent == T::LOWEST;
        self.max = max;
        self.residual = self.residual * kept + if empty { T::ZERO } else { new };
        for (sum, component) in self.sum.iter_mut().zip(vector) {
            *sum = *sum * kept + if empty { T::ZERO } else { component * new };
        }
    }
}

impl<T: Real, const D: usize> Reducer for SoftmaxMean<T, D> {
    type Value = SoftmaxMeanValue<T, D>;
    type Output = [T; D];

    #[inline(always)]
    fn init(&self) -> Self::Value {
        SoftmaxMeanValue { max: T::LOWEST, residual: T::ZERO, sum: [T::ZERO; D] }
    }

    #[inline(always)]
    fn join(&self, into: &mut Self::Value, from: &Self::Value) {
        let (max, kept, new) = rescale(into.max, from.max);
        into.max = max;
        into.residual = into.residual * kept + from.residual * new;
        for d in 0..D {
            into.sum[d] = into.sum[d] * kept + from.sum[d] * new;
        }
    }

    #[inline(always)]
    fn finish(&self, value: Self::Value) -> [T; D] {
        value.sum.map(|sum| sum / value.residual)
    }
}

no_data!(LogSumExp[T][T]);
no_data!(SoftmaxMean [T, const D: usize] [T, D]);
