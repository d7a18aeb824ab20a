//! The steps all functions are made of: selects, exact sums and products, powers of two, polynomials.
//!
//! `mul_add` is avoided on purpose: without a target feature it is a library call on x86-64. The exact
//! product is Dekker's (1971), the exact sums are Knuth's and Dekker's; see Muller et al., *Handbook of
//! Floating-Point Arithmetic*, 2nd ed., chapter 4.

/// 1/ln 2.
pub(crate) const LOG2_E: f64 = core::f64::consts::LOG2_E;
/// ln 2 in two parts; the first has 42 bits, so that its products with exponents are exact.
pub(crate) const LN2_HI: f64 = 0.6931471805598903;
pub(crate) const LN2_LO: f64 = 5.497923018708371e-14;

/// 1.5 * 2^52: adding it leaves the nearest integer in the low bits of the sum.
const ROUNDER: f64 = 6755399441055744.0;
/// 1.5 * 2^23, the same for `f32`.
const ROUNDER_F32: f32 = 12582912.0;
/// [`ROUNDER`] with two exponent biases, of the factors of [`scale_by_bits`].
const SCALE_ROUNDER: f64 = ROUNDER + 2046.0;
/// The same for `f32`.
const SCALE_ROUNDER_F32: f32 = ROUNDER_F32 + 254.0;

/// `a` where `condition` holds, otherwise `b`; both are always evaluated.
///
/// An `if` would do, but LLVM then moves the operations of one side behind a branch, and loops stay scalar.
#[inline(always)]
pub(crate) fn pick<T>(condition: bool, a: T, b: T) -> T {
    core::hint::select_unpredictable(condition, a, b)
}

/// `a` if the lowest bit of `bits` is set, otherwise `b`; by masks, as SSE2 lacks 64-bit comparisons.
#[inline(always)]
pub(crate) fn pick_odd(bits: u64, a: f64, b: f64) -> f64 {
    let mask = 0u64.wrapping_sub(bits & 1);
    f64::from_bits((a.to_bits() & mask) | (b.to_bits() & !mask))
}

/// `x` within `[low, high]`; NaN stays NaN.
#[inline(always)]
pub(crate) fn clamp<T: PartialOrd + Copy>(x: T, low: T, high: T) -> T {
    let x = pick(x > high, high, x);
    pick(x < low, low, x)
}

/// The correctly rounded square root.
#[inline(always)]
pub(crate) fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

/// The integer nearest to `x` (ties to even), for |x| < 2^51, and the same in two's complement in the low
/// bits; the higher bits are those of the rounder, whose low 12 bits are zero.
#[inline(always)]
pub(crate) fn round(x: f64) -> (f64, u64) {
    let shifted = x + ROUNDER;
    (shifted - ROUNDER, shifted.to_bits())
}

/// 2^n for an integral `n` in [-1022, 1023].
#[inline(always)]
pub(crate) fn power_of_two(n: f64) -> f64 {
    f64::from_bits((n + ROUNDER).to_bits().wrapping_add(1023) << 52)
}

/// `x * 2^n` for an integral `n` in [-2044, 2046], for `x` of about 1; rounds only below the normal range.
#[inline(always)]
pub(crate) fn scale(x: f64, n: f64) -> f64 {
    scale_by_bits(x, (n + SCALE_ROUNDER).to_bits())
}

/// The integer `n` nearest to `x` (ties to even), for |x| < 2^51 - 2046, and the bits by which [`scale_by_bits`] multiplies by 2^n.
#[inline(always)]
pub(crate) fn round_to_scale(x: f64) -> (f64, u64) {
    let shifted = x + SCALE_ROUNDER;
    (shifted - SCALE_ROUNDER, shifted.to_bits())
}

/// `x * 2^n`, as [`scale`].
///
/// By two factors, as 2^n may be out of range where the result is not. The low bits are n + 2046: each half is the exponent of a factor, with
/// its bias.
#[inline(always)]
pub(crate) fn scale_by_bits(x: f64, bits: u64) -> f64 {
    let half = bits >> 1;
    x * f64::from_bits(half << 52) * f64::from_bits((bits - half) << 52)
}

/// [`round_to_scale`] of an `f32`, for |x| < 2^22 - 254.
#[inline(always)]
pub(crate) fn round_to_scale_f32(x: f32) -> (f32, u32) {
    let shifted = x + SCALE_ROUNDER_F32;
    (shifted - SCALE_ROUNDER_F32, shifted.to_bits())
}

/// [`scale_by_bits`] of an `f32`, for an `n` in [-252, 254].
#[inline(always)]
pub(crate) fn scale_by_bits_f32(x: f32, bits: u32) -> f32 {
    let half = bits >> 1;
    x * f32::from_bits(half << 23) * f32::from_bits((bits - half) << 23)
}

/// The small non-negative integer `n` as a number; 64-bit conversions are slow or missing in SIMD.
#[inline(always)]
pub(crate) fn from_small(n: u64) -> f64 {
    const TWO_52: f64 = 4503599627370496.0;
    f64::from_bits(n | TWO_52.to_bits()) - TWO_52
}

/// `x` with the last 27 of its 53 bits cleared; the rest has 27 bits.
#[inline(always)]
pub(crate) fn upper_half(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xffff_ffff_f800_0000)
}

/// `a + b` and its rounding error.
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// `a + b` and its rounding error, for |a| >= |b| or a = 0.
#[inline(always)]
pub(crate) fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `a * b` and its rounding error, the latter to within 2^-106 of the product.
#[inline(always)]
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let (a_high, b_high) = (upper_half(a), upper_half(b));
    let (a_low, b_low) = (a - a_high, b - b_high);
    (product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

/// The quotient of two unevaluated sums whose second parts are below an ulp or so of the first.
#[inline(always)]
pub(crate) fn divide(numerator: (f64, f64), denominator: (f64, f64)) -> (f64, f64) {
    let inverse = 1.0 / denominator.0;
    let quotient = numerator.0 * inverse;
    let (product, error) = two_product(quotient, denominator.0);
    let rest = ((numerator.0 - product) - error) + (numerator.1 - quotient * denominator.1);
    (quotient, rest * inverse)
}

/// The polynomial with these coefficients, constant first, at `x` (Horner).
#[inline(always)]
pub(crate) fn polynomial<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let mut value = coefficients[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        value = value * x + coefficients[i];
    }
    value
}
