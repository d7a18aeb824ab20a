//! The exponential distribution.

use spelt_math::ln;

use crate::draws::Draws;

impl Draws {
    /// A number of the exponential distribution with mean 1. Two words.
    ///
    /// Its bits are the same on every machine. The smallest is 1.1 * 10^-16, the largest 36.7.
    ///
    /// # Examples
    /// ```
    /// let random = spelt_random::Random::new(1);
    /// let mean = (0..1000).map(|i| random.at(i).exponential()).sum::<f64>() / 1000.0;
    /// assert!((mean - 1.0).abs() < 0.1);
    /// ```
    #[inline(always)]
    pub fn exponential(&mut self) -> f64 {
        -ln(self.open_f64())
    }
}
