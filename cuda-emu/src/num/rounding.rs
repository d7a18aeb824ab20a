//! Rounding to a type, in each of the modes.

use crate::ir::{RM, RN, RNA, RP, RZ};

/// Rounds to a binary format with `mbits` stored fraction bits and the given
/// exponents of the smallest normal and of the largest number.
pub(crate) fn round_to(x: f64, mbits: i32, emin: i32, emax: i32, rnd: u32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let q = ilogb(x).max(emin) - mbits;
    let s = ldexp(x, -q);
    let r = match rnd & 7 {
        RZ => s.trunc(),
        RM => s.floor(),
        RP => s.ceil(),
        RNA => s.round(),
        _ => s.round_ties_even(),
    };
    let v = ldexp(r, q).copysign(x);
    if v.abs() >= ldexp(1.0, emax) * 2.0 {
        let max = ldexp(2.0 - ldexp(1.0, -mbits), emax);
        let to_inf = match rnd & 7 {
            RZ => false,
            RM => x < 0.0,
            RP => x > 0.0,
            _ => true,
        };
        return if to_inf { f64::INFINITY } else { max }.copysign(x);
    }
    v
}

pub(super) fn ilogb(x: f64) -> i32 {
    let e = ((x.to_bits() >> 52) & 0x7ff) as i32;
    if e == 0 {
        let m = x.to_bits() & ((1 << 52) - 1);
        return -1074 + (63 - m.leading_zeros() as i32);
    }
    e - 1023
}

pub(super) fn ldexp(x: f64, n: i32) -> f64 {
    let p = |n: i32| f64::from_bits(((n + 1023) as u64) << 52);
    if (-1022..=1023).contains(&n) {
        x * p(n)
    } else if n > 0 {
        x * p(1023) * p((n - 1023).min(1023))
    } else {
        x * p(-1022) * p((n + 1022).max(-1022))
    }
}

pub(crate) fn to_f32(x: f64, rnd: u32) -> f32 {
    if rnd & 7 == RN { x as f32 } else { round_to(x, 23, -126, 127, rnd) as f32 }
}

pub(crate) fn f16_to_f64(h: u16) -> f64 {
    let s = if h & 0x8000 != 0 { -1.0 } else { 1.0 };
    let e = ((h >> 10) & 31) as i32;
    let m = (h & 0x3ff) as f64;
    match e {
        0 => s * m * ldexp(1.0, -24),
        31 if m == 0.0 => s * f64::INFINITY,
        31 => f64::NAN,
        _ => s * (1024.0 + m) * ldexp(1.0, e - 25),
    }
}

pub(crate) fn f64_to_f16(x: f64, rnd: u32) -> u16 {
    if x.is_nan() {
        return 0x7fff;
    }
    let v = round_to(x, 10, -14, 15, rnd);
    let s = if v.is_sign_negative() { 0x8000 } else { 0 };
    let a = v.abs();
    if a == 0.0 {
        s
    } else if a.is_infinite() {
        s | 0x7c00
    } else if a < ldexp(1.0, -14) {
        s | ldexp(a, 24) as u16
    } else {
        let e = ilogb(a);
        s | (((e + 15) as u16) << 10) | (ldexp(a, 10 - e) as u16 & 0x3ff)
    }
}

pub(crate) fn bf16_to_f64(h: u16) -> f64 {
    f32::from_bits((h as u32) << 16) as f64
}

pub(crate) fn f64_to_bf16(x: f64, rnd: u32) -> u16 {
    if x.is_nan() {
        return 0x7fff;
    }
    ((round_to(x, 7, -126, 127, rnd) as f32).to_bits() >> 16) as u16
}

/// Makes `s`, the rounded value of an exact result that differs from it by an
/// amount with the sign of `e`, a value rounded to odd: a later rounding to a
/// shorter format is then the rounding of the exact result.
pub(super) fn odd(s: f64, e: f64) -> f64 {
    if e == 0.0 || !s.is_finite() || e.is_nan() || s.to_bits() & 1 == 1 {
        return s;
    }
    if (e > 0.0) == (s > 0.0) { f64::from_bits(s.to_bits() + 1) } else { f64::from_bits(s.to_bits() - 1) }
}

pub(super) fn two_sum_err(a: f64, b: f64, s: f64) -> f64 {
    let bb = s - a;
    (a - (s - bb)) + (b - bb)
}

/// Exact a*b+c rounded to odd, for factors whose product is exact in f64.
pub(super) fn fma_odd(a: f64, b: f64, c: f64) -> f64 {
    let p = a * b;
    let s = p + c;
    if !s.is_finite() {
        return s;
    }
    if s == 0.0 {
        return a.mul_add(b, c);
    }
    odd(s, two_sum_err(p, c, s))
}

pub(super) fn ftz32(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}
