//! Reduction of an angle modulo pi/2, for every finite angle by the same instructions.
//!
//! Payne and Hanek's idea ("Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983)
//! in floating point: x 2/pi modulo 4 needs only a window of the bits of 2/pi that depends on x's exponent.
//! A row of the table holds the window for eight exponents as six signed numbers of 25 bits (in three of 50)
//! and a tail; x is split so that each product is exact, and so is the sum of products of equal weight. Moderate angles
//! read the first row; thus nothing branches.

use crate::primitive::{fast_two_sum, pick, round, two_product, two_sum, upper_half};

/// The first 1280 bits after the binary point of 2/pi. Source: `tests/reference/coefficients.py`.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// pi/2 in two parts.
const HALF_PI: (f64, f64) = (core::f64::consts::FRAC_PI_2, 6.123233995736766e-17);

/// Row i: 2^(8i) 2/pi modulo 2^54 in four parts, three of them signed and of 50 bits, the last a tail.
static WINDOWS: [[f64; 4]; 128] = windows();

const fn power(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// `count` < 64 bits of 2/pi as an integer, the first of weight 2^-start; before the binary point are zeros.
const fn window(start: i64, count: i64) -> i64 {
    let mut value = 0;
    let mut position = start;
    while position < start + count {
        value *= 2;
        if position > 0 {
            let index = (position - 1) as usize;
            value += ((TWO_OVER_PI[index / 64] >> (63 - index % 64)) & 1) as i64;
        }
        position += 1;
    }
    value
}

const fn windows() -> [[f64; 4]; 128] {
    let mut rows = [[0.0; 4]; 128];
    let mut i = 0;
    while i < 128 {
        let shift = 8 * i as i64;
        rows[i][3] = window(shift + 97, 53) as f64 * power(-149);
        let mut carry = 0;
        let mut part = 3;
        while part > 0 {
            part -= 1;
            let top = 53 - 50 * part as i64;
            let value = window(shift - top, 50) + carry;
            carry = (value >= 1 << 49) as i64;
            rows[i][part] = (value - (carry << 50)) as f64 * power(top - 49);
        }
        i += 1;
    }
    rows
}

/// `x` less the nearest multiple of 4, for |x| < 2^53.
#[inline(always)]
fn modulo_4(x: f64) -> f64 {
    const ROUNDER: f64 = 27021597764222976.0; // 1.5 * 2^54
    x - ((x + ROUNDER) - ROUNDER)
}

/// `x` cut into a multiple of 2^grid and the rest, each of 25 bits if `x` has 50.
#[inline(always)]
fn halves(x: f64, grid: i64) -> (f64, f64) {
    let rounder = 1.5 * power(grid + 52);
    let high = (x + rounder) - rounder;
    (high, x - high)
}

/// The row for `x`, and `x` scaled to below 2^8.
#[inline(always)]
fn row(x: f64) -> (&'static [f64; 4], f64) {
    let eighth = pick(x.abs() < 1.0, 0, ((x.to_bits() >> 52) & 0x7ff).wrapping_sub(1023) >> 3) & 127;
    (&WINDOWS[eighth as usize], x * f64::from_bits(1023_u64.wrapping_sub(eighth << 3) << 52))
}

/// (quadrant, r, r's rest): x = quadrant pi/2 + r with |r| <= pi/4 and a bit, the quadrant in the lowest
/// two bits. NaN for infinities and NaN.
#[inline(always)]
pub(crate) fn reduce(x: f64) -> (u64, f64, f64) {
    let (row, scaled) = row(x);
    let (t0, t1) = halves(row[0], 29);
    let (t2, t3) = halves(row[1], -21);
    let (t4, t5) = halves(row[2], -71);
    let a = upper_half(scaled);
    let b = scaled - a;
    // a t0 is a multiple of 8; the others have weights 2^25 apart.
    let level_1 = modulo_4(b * t0 + a * t1);
    let level_2 = modulo_4(b * t1 + a * t2);
    let level_3 = b * t2 + a * t3;
    let level_4 = b * t3 + a * t4;
    let level_5 = b * t4 + a * t5;
    let level_6 = b * t5 + scaled * row[3];

    let top = level_1 + level_2;
    let (n, quadrant) = round(top + level_3);
    let (high, middle) = two_sum(top - n, level_3);
    let (middle, low) = two_sum(middle, level_4);
    let (high, middle) = two_sum(high, middle);
    let (high, low) = fast_two_sum(high, middle + (low + (level_5 + level_6)));

    let (r, rest) = two_product(high, HALF_PI.0);
    let (r, rest) = fast_two_sum(r, rest + (high * HALF_PI.1 + low * HALF_PI.0));
    let small = x.abs() <= core::f64::consts::FRAC_PI_4;
    (pick(small, 0, quadrant), pick(small, x, r), pick(small, 0.0, rest))
}

/// Row i: the bits of 2/pi that matter to a number of 24 bits in [2^32i, 2^32(i+1)), in four parts, of which
/// three have 29 bits. Bits whose products are multiples of 4 are left out.
const SHORT_WINDOWS: [[f64; 4]; 4] = short_windows();

const fn short_windows() -> [[f64; 4]; 4] {
    let mut rows = [[0.0; 4]; 4];
    let mut i = 0;
    while i < 4 {
        let mut part = 0;
        while part < 4 {
            let start = 32 * i as i64 - 24 + 29 * part as i64;
            let count = if part < 3 { 29 } else { 53 };
            rows[i][part] = window(start, count) as f64 * power(-(start + count - 1));
            part += 1;
        }
        i += 1;
    }
    rows
}

/// The same for an `x` of 24 bits and below 2^128; r to about 2^-52. Rows are few enough to be selected.
#[inline(always)]
pub(crate) fn reduce_short(x: f64) -> (u64, f64) {
    let size = x.abs();
    let part = |part: usize| {
        let low = pick(size < power(32), SHORT_WINDOWS[0][part], SHORT_WINDOWS[1][part]);
        let high = pick(size < power(96), SHORT_WINDOWS[2][part], SHORT_WINDOWS[3][part]);
        x * pick(size < power(64), low, high)
    };
    let (first, second, third) = (modulo_4(part(0)), modulo_4(part(1)), part(2));
    let (n, quadrant) = round(first + second + third);
    // In this order: whenever the sum is small, its first three steps are exact.
    let r = ((((first - n) + second) + third) + part(3)) * HALF_PI.0;
    let small = size <= core::f64::consts::FRAC_PI_4;
    (pick(small, 0, quadrant), pick(small, x, r))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_angle_up_to_pi_4_is_its_own_remainder() {
        let numbers = (0..20_000_u64).map(|i| f64::from_bits(i * 0x0000_d171_61c9_1b4f));
        for x in numbers.filter(|&x| x <= core::f64::consts::FRAC_PI_4).flat_map(|x| [x, -x]) {
            let (quadrant, r, rest) = reduce(x);
            assert_eq!((quadrant, r.to_bits(), rest.to_bits()), (0, x.to_bits(), 0), "{x:e}");
            let short = f64::from(x as f32);
            let (quadrant, r) = reduce_short(short);
            assert_eq!((quadrant, r.to_bits()), (0, short.to_bits()), "{short:e}");
        }
    }
}
