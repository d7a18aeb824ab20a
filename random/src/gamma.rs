//! The gamma distribution.

use spelt_math::{ln, pow};

use crate::draws::Draws;

impl Draws {
    /// A number of the gamma distribution with this shape and scale 1; infinity for an infinite shape. Four words, rarely more, and
    /// for shapes below 1 two more.
    ///
    /// Its bits are the same on every machine.
    ///
    /// # Panics
    /// If the shape is not larger than 0.
    ///
    /// Source: Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000), doi 10.1145/358407.358414.
    ///
    /// # Complexity
    /// At most 1.06 turns on average, of a normal number and mostly no logarithm.
    ///
    /// # Examples
    /// ```
    /// let random = spelt_random::Random::new(1);
    /// let mean = (0..1000).map(|i| random.at(i).gamma(3.0)).sum::<f64>() / 1000.0;
    /// assert!((mean - 3.0).abs() < 0.3);
    /// ```
    #[inline]
    pub fn gamma(&mut self, shape: f64) -> f64 {
        assert!(shape > 0.0, "random numbers of a gamma distribution need a shape larger than 0");
        let (shape, factor) =
            if shape < 1.0 { (shape + 1.0, pow(self.open_f64(), 1.0 / shape)) } else { (shape, 1.0) };
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let root = 1.0 + c * x;
            let v = root * root * root;
            let u = self.open_f64();
            let square = x * x;
            // For an infinite shape the right-hand side is NaN, and the loop must end.
            let rejected = v <= 0.0
                || (u >= 1.0 - 0.0331 * square * square && ln(u) >= 0.5 * square + d * (1.0 - v + ln(v)));
            if !rejected {
                return d * v * factor;
            }
        }
    }
}
