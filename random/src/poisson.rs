//! The Poisson distribution.

use spelt_math::{exp, ln, ln_1p};

use crate::draws::Draws;

/// Smaller means are searched from 0 on, larger ones rejected.
const FEW: f64 = 10.0;

/// The largest mean: integers of `f64` are exact up to there.
const MAX_MEAN: f64 = 9.0e15;

const HALF_LN_2_PI: f64 = 0.918_938_533_204_672_8;

impl Draws {
    /// A number of the Poisson distribution with this mean: two words for means below 10, otherwise four, rarely more.
    ///
    /// Its bits are the same on every machine.
    ///
    /// # Panics
    /// If the mean is negative, NaN, or above 9 * 10^15.
    ///
    /// Source: below 10 the distribution function from 0 on; from 10 on Hörmann, "The transformed rejection method for generating Poisson
    /// random variables", Insurance: Mathematics and Economics 12 (1993), doi 10.1016/0167-6687(93)90997-4, algorithm PTRS.
    ///
    /// # Complexity
    /// Below 10 as many steps as the number; from 10 on at most 1.34 turns on average.
    ///
    /// # Examples
    /// ```
    /// let random = spelt_random::Random::new(1);
    /// let mean = (0..1000).map(|i| random.at(i).poisson(4.0)).sum::<u64>() as f64 / 1000.0;
    /// assert!((mean - 4.0).abs() < 0.3);
    /// ```
    #[inline]
    pub fn poisson(&mut self, mean: f64) -> u64 {
        assert!(
            (0.0..=MAX_MEAN).contains(&mean),
            "random numbers of a Poisson distribution need a mean from 0 to 9e15"
        );
        if mean < FEW { self.few(mean) } else { self.many(mean) }
    }

    /// The first number whose distribution function is above a uniform number.
    fn few(&mut self, mean: f64) -> u64 {
        let u = self.f64();
        let (mut number, mut probability) = (0_u32, exp(-mean));
        let mut sum = probability;
        while u >= sum {
            number += 1;
            probability *= mean / f64::from(number);
            let next = sum + probability;
            // Rounded sums may stay below the largest uniform numbers.
            if next == sum {
                break;
            }
            sum = next;
        }
        u64::from(number)
    }

    /// Algorithm PTRS.
    fn many(&mut self, mean: f64) -> u64 {
        let b = 0.931 + 2.53 * mean.sqrt();
        let a = -0.059 + 0.024_83 * b;
        let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
        let v_r = 0.9277 - 3.6224 / (b - 2.0);
        loop {
            let u = self.open_f64() - 0.5;
            let v = self.open_f64();
            let us = 0.5 - u.abs();
            let k = ((2.0 * a / us + b) * u + mean + 0.43).floor();
            if us >= 0.07 && v <= v_r {
                return k as u64;
            }
            if k < 0.0 || (us < 0.013 && v > us) {
                continue;
            }
            if ln(v * inverse_alpha / (a / (us * us) + b)) <= ln_probability(k, mean) {
                return k as u64;
            }
        }
    }
}

/// The logarithm of the probability of the integer `k`.
///
/// From 10 on by Stirling's series (Abramowitz and Stegun, 6.1.41; the first term left out is below 10^-12), with the difference of
/// large numbers expanded at the mean: so its absolute error stays small for large means.
fn ln_probability(k: f64, mean: f64) -> f64 {
    if k < 10.0 {
        let (mut factorial, mut factor) = (1.0, 1.0);
        while factor < k {
            factor += 1.0;
            factorial *= factor;
        }
        return k * ln(mean) - mean - ln(factorial);
    }
    let inverse = 1.0 / k;
    let square = inverse * inverse;
    let series =
        inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0))));
    let distance = (k - mean) / mean;
    -mean * ((1.0 + distance) * ln_1p(distance) - distance) - 0.5 * ln(k) - HALF_LN_2_PI - series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_definition() {
        for mean in [10.0, 12.5, 100.0, 1e4, 1e8, 1e12] {
            let width = 12.0 * f64::sqrt(mean);
            let (first, last) = ((mean - width).max(0.0).floor(), (mean + width).ceil());
            // Each is the one before times mean / k, and a few of them, far apart, are compared so.
            let step = ((last - first) / 1000.0).ceil();
            let mut k = first;
            while k < last {
                let ratio = ln_probability(k + 1.0, mean) - ln_probability(k, mean);
                assert!((ratio - ln(mean / (k + 1.0))).abs() < 1e-9 + 1e-20 * mean, "{mean} {k} {ratio}");
                k += step;
            }
            if mean < 1e5 {
                let sum: f64 = (first as u64..last as u64).map(|k| exp(ln_probability(k as f64, mean))).sum();
                assert!((sum - 1.0).abs() < 1e-10, "{mean} {sum}");
            }
        }
        assert_eq!(ln_probability(0.0, 10.0), -10.0);
    }
}
