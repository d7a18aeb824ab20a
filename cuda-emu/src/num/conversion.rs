//! Conversions between types.

use super::rounding::{
    bf16_to_f64, f16_to_f64, f64_to_bf16, f64_to_f16, ftz32, ldexp, odd, round_to, to_f32,
};
use crate::ir::{FX_BF16, FX_RELU, FX_RND, FX_SAT, RINT, RM, RN, RP, RZ};
use crate::ptx::Ty;

pub(crate) const TYPES: [Ty; 23] = [
    Ty::B8,
    Ty::B16,
    Ty::B32,
    Ty::B64,
    Ty::B128,
    Ty::U8,
    Ty::U16,
    Ty::U32,
    Ty::U64,
    Ty::S8,
    Ty::S16,
    Ty::S32,
    Ty::S64,
    Ty::F16,
    Ty::BF16,
    Ty::F16x2,
    Ty::BF16x2,
    Ty::F32,
    Ty::F64,
    Ty::U16x2,
    Ty::S16x2,
    Ty::F32x2,
    Ty::Pred,
];

pub(crate) const CX_SAT: u32 = 1 << 16;

pub(crate) const CX_FTZ: u32 = 1 << 17;

pub(crate) const CX_RELU: u32 = 1 << 18;

pub(crate) const CX_TF32: u32 = 1 << 19;

pub(crate) fn cvt_code(dt: Ty, at: Ty, rnd: u32) -> u32 {
    let i = |t: Ty| TYPES.iter().position(|x| *x == t).unwrap() as u32;
    i(dt) | i(at) << 5 | rnd << 10
}

/// One conversion in the general path. The result is of the destination type,
/// sign- or zero-extended to 64 bits (the caller truncates it to the register).
pub(crate) fn cvt(x: u32, a: u64) -> u64 {
    let dt = TYPES[(x & 31) as usize];
    let at = TYPES[((x >> 5) & 31) as usize];
    if !at.float() {
        return from_integer(x, dt, extended(a, at));
    }
    let v = match at {
        Ty::F16 => f16_to_f64(a as u16),
        Ty::BF16 => bf16_to_f64(a as u16),
        Ty::F32 => {
            let f = f32::from_bits(a as u32);
            (if x & CX_FTZ != 0 { ftz32(f) } else { f }) as f64
        }
        _ => f64::from_bits(a),
    };
    if dt.float() || x & CX_TF32 != 0 { to_float(x, dt, v) } else { to_integer(x, dt, at, v) }
}

/// The rounding of a conversion.
fn rounding(x: u32) -> u32 {
    (x >> 10) & 15
}

/// The value of an integer type in its low bits.
fn extended(a: u64, t: Ty) -> i128 {
    let bits = t.size() * 8;
    if t.signed() {
        (((a << (64 - bits)) as i64) >> (64 - bits)) as i128
    } else {
        (if bits == 64 { a } else { a & ((1u64 << bits) - 1) }) as i128
    }
}

fn from_integer(x: u32, dt: Ty, v: i128) -> u64 {
    let rnd = rounding(x);
    match dt {
        Ty::F32 => int_to_float(v, 24, rnd, |v| v as f32 as f64, f32::MAX as f64)
            .map_or(0, |v| (v as f32).to_bits() as u64),
        Ty::F64 => int_to_float(v, 53, rnd, |v| v as f64, f64::MAX).map_or(0, |v| v.to_bits()),
        Ty::F16 => f64_to_f16(odd_int(v), rnd & 7) as u64,
        Ty::BF16 => f64_to_bf16(odd_int(v), rnd & 7) as u64,
        _ => {
            let bits = dt.size() * 8;
            let (lo, hi) = if dt.signed() {
                (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
            } else {
                (0, (1i128 << bits) - 1)
            };
            let v = if x & CX_SAT != 0 { v.clamp(lo, hi) } else { v };
            extended(v as u64, dt) as u64
        }
    }
}

fn to_integer(x: u32, dt: Ty, at: Ty, v: f64) -> u64 {
    let bits = dt.size() * 8;
    if v.is_nan() {
        let wide = at == Ty::F64 || bits == 64;
        return if wide { 1u64 << (bits - 1) } else { 0 };
    }
    let v = round_int(v, rounding(x));
    if dt.signed() {
        let (lo, hi) = (-ldexp(1.0, bits as i32 - 1), ldexp(1.0, bits as i32 - 1));
        if v <= lo {
            (-(1i128 << (bits - 1))) as u64
        } else if v >= hi {
            ((1i128 << (bits - 1)) - 1) as u64
        } else {
            v as i64 as u64
        }
    } else {
        let hi = ldexp(1.0, bits as i32);
        if v <= 0.0 {
            0
        } else if v >= hi {
            ((1u128 << bits) - 1) as u64
        } else {
            v as u64
        }
    }
}

fn to_float(x: u32, dt: Ty, mut v: f64) -> u64 {
    let rnd = rounding(x);
    if rnd & RINT != 0 {
        v = round_int(v, rnd);
    }
    if x & CX_SAT != 0 {
        v = if v.is_nan() || v <= 0.0 { 0.0 } else { v.min(1.0) };
    }
    if x & CX_RELU != 0 && v <= 0.0 {
        v = 0.0;
    }
    if x & CX_TF32 != 0 {
        if v.is_nan() {
            return 0x7fff_ffff;
        }
        return (round_to(v, 10, -126, 127, rnd) as f32).to_bits() as u64;
    }
    match dt {
        Ty::F16 => f64_to_f16(v, rnd & 7) as u64,
        Ty::BF16 => f64_to_bf16(v, rnd & 7) as u64,
        Ty::F32 => {
            if v.is_nan() {
                return 0x7fff_ffff;
            }
            let f = to_f32(v, rnd & 7);
            (if x & CX_FTZ != 0 { ftz32(f) } else { f }).to_bits() as u64
        }
        _ => v.to_bits(),
    }
}

pub(super) fn round_int(v: f64, rnd: u32) -> f64 {
    match rnd & 7 {
        RZ => v.trunc(),
        RM => v.floor(),
        RP => v.ceil(),
        _ => v.round_ties_even(),
    }
}

pub(super) fn odd_int(v: i128) -> f64 {
    let f = v as f64;
    let e = v - f as i128;
    odd(f, e as f64)
}

pub(super) fn int_to_float(v: i128, _p: u32, rnd: u32, rn: impl Fn(i128) -> f64, max: f64) -> Option<f64> {
    let f = rn(v);
    if rnd & 7 == RN || f.is_infinite() {
        return Some(f.clamp(-max, max));
    }
    let e = v - f as i128;
    let single = max < f64::MAX;
    let step = |up: bool| {
        if single {
            let g = f as f32;
            (if up { g.next_up() } else { g.next_down() }) as f64
        } else if up {
            f.next_up()
        } else {
            f.next_down()
        }
    };
    Some(match rnd & 7 {
        RZ if e != 0 && (e > 0) != (v > 0) => step(v < 0),
        RM if e < 0 => step(false),
        RP if e > 0 => step(true),
        _ => f,
    })
}

/// Two f32 values to a packed pair of halves: `a` goes to the high half.
pub(crate) fn cvt_pack(x: u32, a: u64, b: u64) -> u64 {
    let one = |v: u64| {
        let mut f = f32::from_bits(v as u32) as f64;
        if x & FX_RELU != 0 && f <= 0.0 {
            f = 0.0;
        }
        let rnd = (x >> FX_RND) & 7;
        if x & FX_SAT != 0 && f.is_finite() {
            let m = if x & FX_BF16 != 0 { 3.3895313892515355e38 } else { 65504.0 };
            f = f.clamp(-m, m);
        }
        (if x & FX_BF16 != 0 { f64_to_bf16(f, rnd) } else { f64_to_f16(f, rnd) }) as u64
    };
    one(a) << 16 | one(b)
}
