//! The normal distribution.

#![allow(clippy::excessive_precision, reason = "the coefficients have the digits that the paper prints")]

use core::hint::select_unpredictable;

use spelt_math::ln;

use crate::draws::Draws;

impl Draws {
    /// A number of the normal distribution with mean 0 and standard deviation 1. Two words.
    ///
    /// Its bits are the same on every machine: the quantile of a uniform number, by rational functions. The extremes
    /// are -8.21 and 8.21. Relative error of the quantile below 10^-15.
    ///
    /// Source: Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics 37 (1988),
    /// doi 10.2307/2347330.
    ///
    /// # Complexity
    /// A logarithm and three pairs of polynomials of degree 7, without branches: loops vectorise.
    ///
    /// # Examples
    /// ```
    /// let random = spelt_random::Random::new(1);
    /// let squares = (0..1000).map(|i| random.at(i).normal().powi(2)).sum::<f64>();
    /// assert!((squares / 1000.0 - 1.0).abs() < 0.2);
    /// ```
    #[inline(always)]
    pub fn normal(&mut self) -> f64 {
        normal_quantile(self.open_f64())
    }
}

/// The quantile of the normal distribution at a probability between 0 and 1, both exclusive.
#[inline(always)]
fn normal_quantile(probability: f64) -> f64 {
    let q = probability - 0.5;
    let central = {
        let r = 0.180_625 - q * q;
        q * ratio(r, &CENTRE)
    };
    let tail = select_unpredictable(q < 0.0, probability, 1.0 - probability);
    let r = (-ln(tail)).sqrt();
    let near = ratio(r - 1.6, &NEAR);
    let far = ratio(r - 5.0, &FAR);
    let outer = select_unpredictable(r <= 5.0, near, far);
    let outer = select_unpredictable(q < 0.0, -outer, outer);
    select_unpredictable(q.abs() <= 0.425, central, outer)
}

/// The coefficients of a numerator and of a denominator, from the constant ones on.
type Ratio = [[f64; 8]; 2];

#[inline(always)]
fn ratio(x: f64, coefficients: &Ratio) -> f64 {
    let [numerator, denominator] = coefficients.map(|polynomial| {
        let mut value = polynomial[7];
        for power in (0..7).rev() {
            value = value * x + polynomial[power];
        }
        value
    });
    numerator / denominator
}

const CENTRE: Ratio = [
    [
        3.387_132_872_796_366_608,
        133.141_667_891_784_377_45,
        1_971.590_950_306_551_442_7,
        13_731.693_765_509_461_125,
        45_921.953_931_549_871_457,
        67_265.770_927_008_700_853,
        33_430.575_583_588_128_105,
        2_509.080_928_730_122_672_7,
    ],
    [
        1.0,
        42.313_330_701_600_911_252,
        687.187_007_492_057_908_3,
        5_394.196_021_424_751_107_7,
        21_213.794_301_586_595_867,
        39_307.895_800_092_710_61,
        28_729.085_735_721_942_674,
        5_226.495_278_852_854_561,
    ],
];

const NEAR: Ratio = [
    [
        1.423_437_110_749_683_577_34,
        4.630_337_846_156_545_295_9,
        5.769_497_221_460_691_405_5,
        3.647_848_324_763_204_605_04,
        1.270_458_252_452_368_382_58,
        2.417_807_251_774_506_117_7e-1,
        2.272_384_498_926_918_458_33e-2,
        7.745_450_142_783_414_076_4e-4,
    ],
    [
        1.0,
        2.053_191_626_637_758_821_87,
        1.676_384_830_183_803_849_4,
        6.897_673_349_851_000_045_5e-1,
        1.481_039_764_274_800_745_9e-1,
        1.519_866_656_361_645_719_66e-2,
        5.475_938_084_995_344_946e-4,
        1.050_750_071_644_416_843_24e-9,
    ],
];

const FAR: Ratio = [
    [
        6.657_904_643_501_103_777_2,
        5.463_784_911_164_114_369_9,
        1.784_826_539_917_291_335_8,
        2.965_605_718_285_048_912_3e-1,
        2.653_218_952_657_612_309_3e-2,
        1.242_660_947_388_078_438_6e-3,
        2.711_555_568_743_487_578_15e-5,
        2.010_334_399_292_288_132_65e-7,
    ],
    [
        1.0,
        5.998_322_065_558_879_376_9e-1,
        1.369_298_809_227_358_053_1e-1,
        1.487_536_129_085_061_485_25e-2,
        7.868_691_311_456_132_591e-4,
        1.846_318_317_510_054_681_8e-5,
        1.421_511_758_316_445_888_7e-7,
        2.044_263_103_389_939_785_64e-15,
    ],
];

#[cfg(test)]
mod tests {
    use spelt_math::erfc;

    use super::*;

    /// The probability of a smaller number.
    fn distribution(x: f64) -> f64 {
        0.5 * erfc(-x * core::f64::consts::FRAC_1_SQRT_2)
    }

    #[test]
    fn quantiles_are_where_the_distribution_has_their_probability() {
        assert_eq!(normal_quantile(0.5), 0.0);
        // From tables.
        for (probability, quantile) in [
            (0.75, 0.674_489_750_196_081_7),
            (0.975, 1.959_963_984_540_054),
            (0.999, 3.090_232_306_167_813_5),
            (1e-10, -6.361_340_902_404_056),
        ] {
            assert!((normal_quantile(probability) / quantile - 1.0).abs() < 1e-14, "{probability}");
        }
        for number in 1..2000 {
            let probability = f64::from(number) / 2000.0;
            let found = distribution(normal_quantile(probability));
            assert!((found - probability).abs() < 4e-16 + 1e-15 * probability, "{probability} {found}");
        }
        for exponent in 4..54 {
            let probability = 0.5_f64.powi(exponent);
            let (low, high) = (normal_quantile(probability), normal_quantile(1.0 - probability));
            let found = distribution(low);
            assert!((found / probability - 1.0).abs() < 1e-13, "{exponent} {low} {found}");
            // The upper tail is as far from 1 as 53 bits can say.
            assert!((low + high).abs() < 1e-15 * 10.0 / probability.min(0.1), "{exponent}");
        }
    }

    #[test]
    fn quantiles_ascend_across_the_borders_of_the_pieces() {
        let far = (-25.0_f64).exp();
        for (border, distance) in [(0.075, 1e-11), (0.925, 1e-11), (far, 1e-8 * far), (1.0 - far, 2e-16)] {
            let mut before = f64::NEG_INFINITY;
            for step in -1000..1000 {
                let quantile = normal_quantile(border + f64::from(step) * distance);
                assert!(quantile >= before, "{border} {step}");
                before = quantile;
            }
        }
    }
}
