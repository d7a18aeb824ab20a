//! Reduction of an angle modulo pi/2, for every finite angle by the same instructions.
//!
//! Payne and Hanek's idea ("Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983)
//! in floating point: x 2/pi modulo 4 needs only a window of the bits of 2/pi that depends on x's exponent.
//! A row of the table holds the window for eight exponents as six signed numbers of 25 bits and a tail;
//! x is split so that each product is exact, and so is the sum of products of equal weight. Moderate angles
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

/// Row i: 2^(8i) 2/pi modulo 2^54 in seven parts, then 2^(-8i).
static WINDOWS: [[f64; 8]; 128] = windows();

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

const fn windows() -> [[f64; 8]; 128] {
    let mut rows = [[0.0; 8]; 128];
    let mut i = 0;
    while i < 128 {
        let shift = 8 * i as i64;
        rows[i][6] = window(shift + 97, 53) as f64 * power(-149);
        let mut carry = 0;
        let mut part = 6;
        while part > 0 {
            part -= 1;
            let top = 53 - 25 * part as i64;
            let value = window(shift - top, 25) + carry;
            carry = (value >= 1 << 24) as i64;
            rows[i][part] = (value - (carry << 25)) as f64 * power(top - 24);
        }
        rows[i][7] = power(-shift);
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

/// The row for `x`, and `x` scaled to below 2^8.
#[inline(always)]
fn row(x: f64) -> (&'static [f64; 8], f64) {
    let biased = (x.to_bits() >> 52) & 0x7ff;
    let index = pick(x.abs() < 1.0, 0, biased.wrapping_sub(1023) >> 3);
    let row = &WINDOWS[(index & 127) as usize];
    (row, x * row[7])
}

/// (quadrant, r, r's rest): x = quadrant pi/2 + r with |r| <= pi/4 and a bit, the quadrant in the lowest
/// two bits. NaN for infinities and NaN.
#[inline(always)]
pub(crate) fn reduce(x: f64) -> (u64, f64, f64) {
    let (t, scaled) = row(x);
    let a = upper_half(scaled);
    let b = scaled - a;
    // a t[0] is a multiple of 8; the others have weights 2^25 apart.
    let level_1 = modulo_4(b * t[0] + a * t[1]);
    let level_2 = modulo_4(b * t[1] + a * t[2]);
    let level_3 = b * t[2] + a * t[3];
    let level_4 = b * t[3] + a * t[4];
    let level_5 = b * t[4] + a * t[5];
    let level_6 = b * t[5] + scaled * t[6];

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

/// The same for an `x` of 24 bits; r to 2^-37 or better.
#[inline(always)]
pub(crate) fn reduce_short(x: f64) -> (u64, f64) {
    let (t, scaled) = row(x);
    let top = modulo_4(scaled * t[1]) + modulo_4(scaled * t[2]);
    let rest = scaled * t[3] + scaled * t[4];
    let (n, quadrant) = round(top + rest);
    let small = x.abs() <= core::f64::consts::FRAC_PI_4;
    (pick(small, 0, quadrant), pick(small, x, ((top - n) + rest) * HALF_PI.0))
}
