//! Arithmetic of each type of floats.

use super::rounding::{
    bf16_to_f64, f16_to_f64, f64_to_bf16, f64_to_f16, fma_odd, ftz32, ldexp, odd, to_f32, two_sum_err,
};
use crate::ir::{FK, FX_BF16, FX_FTZ, FX_NAN, FX_RELU, FX_RND, FX_SAT, FX_X2, FX_XORSIGN, RM, RN, RP, RZ};

#[expect(clippy::too_many_arguments, reason = "two numbers, each with what its type says of it")]
pub(super) fn minmax<T: PartialOrd + Copy>(
    max: bool,
    a: T,
    b: T,
    an: bool,
    bn: bool,
    asign: bool,
    nan: Option<T>,
    allnan: T,
) -> T {
    if an || bn {
        return match nan {
            Some(n) => n,
            None if an && bn => allnan,
            None => {
                if an {
                    b
                } else {
                    a
                }
            }
        };
    }
    if a == b {
        // -0 is less than +0
        return if asign == max { b } else { a };
    }
    if (a < b) != max { a } else { b }
}

pub(crate) fn min32(a: f32, b: f32, max: bool, nan: bool) -> f32 {
    let n = f32::from_bits(0x7fff_ffff);
    minmax(max, a, b, a.is_nan(), b.is_nan(), a.is_sign_negative(), nan.then_some(n), n)
}

pub(crate) fn min64(a: f64, b: f64, max: bool, nan: bool) -> f64 {
    let n = f64::from_bits(0x7fff_ffff_ffff_ffff);
    minmax(max, a, b, a.is_nan(), b.is_nan(), a.is_sign_negative(), nan.then_some(n), n)
}

/// One f32 operation in the general path.
pub(crate) fn op32(x: u32, a: u32, b: u32, c: u32) -> u32 {
    let k = FK::from(x);
    let ftz = x & FX_FTZ != 0;
    let rnd = (x >> FX_RND) & 7;
    let (mut fa, mut fb, mut fc) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
    match k {
        FK::Neg if !ftz => return a ^ 0x8000_0000,
        FK::Abs if !ftz => return a & 0x7fff_ffff,
        // copysign d, a, b: the sign of a and the magnitude of b
        FK::Copysign => return (b & 0x7fff_ffff) | (a & 0x8000_0000),
        _ => {}
    }
    if ftz {
        (fa, fb, fc) = (ftz32(fa), ftz32(fb), ftz32(fc));
    }
    let (da, db, dc) = (fa as f64, fb as f64, fc as f64);
    let mut r = match k {
        FK::Add if rnd == RN => fa + fb,
        FK::Sub if rnd == RN => fa - fb,
        FK::Mul if rnd == RN => fa * fb,
        FK::Fma if rnd == RN => fa.mul_add(fb, fc),
        FK::Div if rnd == RN => fa / fb,
        FK::Sqrt if rnd == RN => fa.sqrt(),
        FK::Rcp if rnd == RN => 1.0 / fa,
        FK::Add | FK::Sub => {
            let db = if k == FK::Sub { -db } else { db };
            let s = da + db;
            let opposite = da.is_sign_negative() != db.is_sign_negative();
            if s == 0.0 && (da != 0.0 || db != 0.0 || opposite) {
                if rnd == RM { -0.0 } else { 0.0 }
            } else if s.is_nan() {
                f32::NAN
            } else {
                to_f32(odd(s, two_sum_err(da, db, s)), rnd)
            }
        }
        FK::Mul => to_f32(da * db, rnd),
        FK::Fma => {
            let s = fma_odd(da, db, dc);
            if s == 0.0 && dc != 0.0 && rnd == RM { -0.0 } else { to_f32(s, rnd) }
        }
        FK::Div => {
            let q = da / db;
            if q.is_finite() && q != 0.0 && db.is_finite() {
                let e = (-q).mul_add(db, da);
                to_f32(odd(q, if db < 0.0 { -e } else { e }), rnd)
            } else {
                q as f32
            }
        }
        FK::Rcp => {
            let q = 1.0 / da;
            if q.is_finite() && q != 0.0 {
                let e = (-q).mul_add(da, 1.0);
                to_f32(odd(q, if da < 0.0 { -e } else { e }), rnd)
            } else {
                q as f32
            }
        }
        FK::Sqrt => {
            let q = da.sqrt();
            if q.is_finite() && q != 0.0 { to_f32(odd(q, (-q).mul_add(q, da)), rnd) } else { q as f32 }
        }
        FK::Rsqrt => (1.0 / da.sqrt()) as f32,
        FK::Ex2 => da.exp2() as f32,
        FK::Lg2 => da.log2() as f32,
        FK::Sin => da.sin() as f32,
        FK::Cos => da.cos() as f32,
        FK::Tanh => da.tanh() as f32,
        FK::Min | FK::Max | FK::Min3 | FK::Max3 => {
            let nan = x & FX_NAN != 0;
            let max = matches!(k, FK::Max | FK::Max3);
            if x & FX_XORSIGN != 0 {
                let s = (fa.to_bits() ^ fb.to_bits()) & 0x8000_0000;
                let m = min32(fa.abs(), fb.abs(), max, nan);
                if m.is_nan() { m } else { f32::from_bits((m.to_bits() & 0x7fff_ffff) | s) }
            } else {
                let m = min32(fa, fb, max, nan);
                if matches!(k, FK::Min3 | FK::Max3) { min32(m, fc, max, nan) } else { m }
            }
        }
        FK::Neg => -fa,
        FK::Abs => fa.abs(),
        FK::Copysign => 0.0,
    };
    if ftz {
        r = ftz32(r);
    }
    if x & FX_SAT != 0 {
        r = if r.is_nan() || r <= 0.0 { 0.0 } else { r.min(1.0) };
    }
    if r.is_nan() { 0x7fff_ffff } else { r.to_bits() }
}

/// Moves the rounded result `s` of finite inputs by one step where the exact
/// result (s plus something with the sign of `e`) rounds elsewhere.
pub(super) fn directed(s: f64, e: f64, rnd: u32) -> f64 {
    if s.is_nan() {
        return s;
    }
    if s.is_infinite() {
        let keep = match rnd {
            RZ => false,
            RM => s < 0.0,
            RP => s > 0.0,
            _ => true,
        };
        return if keep { s } else { f64::MAX.copysign(s) };
    }
    match rnd {
        RZ if e != 0.0 && (e > 0.0) != (s > 0.0) && s != 0.0 => f64::from_bits(s.to_bits() - 1),
        RM if e < 0.0 => s.next_down(),
        RP if e > 0.0 => s.next_up(),
        _ => s,
    }
}

/// One f64 operation in the general path.
pub(crate) fn op64(x: u32, a: u64, b: u64, c: u64) -> u64 {
    let k = FK::from(x);
    let rnd = (x >> FX_RND) & 7;
    let (fa, fb, fc) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
    let fin = |v: &[f64]| rnd != RN && v.iter().all(|x| x.is_finite());
    let r = match k {
        FK::Neg => return a ^ (1 << 63),
        FK::Abs => return a & !(1 << 63),
        FK::Copysign => return (b & !(1 << 63)) | (a & (1 << 63)),
        FK::Add | FK::Sub => {
            let fb = if k == FK::Sub { -fb } else { fb };
            let s = fa + fb;
            if !fin(&[fa, fb]) {
                s
            } else if s == 0.0 && rnd == RM && !(fa.is_sign_positive() && fa == 0.0 && fb.is_sign_positive())
            {
                -0.0
            } else {
                directed(s, two_sum_err(fa, fb, s), rnd)
            }
        }
        FK::Mul => {
            let s = fa * fb;
            if fin(&[fa, fb]) { directed(s, fa.mul_add(fb, -s), rnd) } else { s }
        }
        FK::Fma => {
            let s = fa.mul_add(fb, fc);
            if fin(&[fa, fb, fc]) {
                let p = fa * fb;
                let e = fa.mul_add(fb, -p);
                let t = p + fc;
                directed(s, (t - s) + (two_sum_err(p, fc, t) + e), rnd)
            } else {
                s
            }
        }
        FK::Div | FK::Rcp => {
            let (n, d) = if k == FK::Rcp { (1.0, fa) } else { (fa, fb) };
            let s = n / d;
            if fin(&[n, d]) && d != 0.0 {
                let e = (-s).mul_add(d, n);
                directed(s, if d < 0.0 { -e } else { e }, rnd)
            } else {
                s
            }
        }
        FK::Sqrt => {
            let s = fa.sqrt();
            if fin(&[fa]) && fa > 0.0 { directed(s, (-s).mul_add(s, fa), rnd) } else { s }
        }
        FK::Rsqrt => 1.0 / fa.sqrt(),
        FK::Ex2 => fa.exp2(),
        FK::Lg2 => fa.log2(),
        FK::Sin => fa.sin(),
        FK::Cos => fa.cos(),
        FK::Tanh => fa.tanh(),
        FK::Min | FK::Max => min64(fa, fb, k == FK::Max, x & FX_NAN != 0),
        FK::Min3 | FK::Max3 => {
            let m = k == FK::Max3;
            min64(min64(fa, fb, m, x & FX_NAN != 0), fc, m, x & FX_NAN != 0)
        }
    };
    r.to_bits()
}

/// One f16 or bf16 operation.
pub(crate) fn op_half1(x: u32, a: u16, b: u16, c: u16) -> u16 {
    let bf = x & FX_BF16 != 0;
    let k = FK::from(x);
    match k {
        FK::Neg => return a ^ 0x8000,
        FK::Abs => return a & 0x7fff,
        _ => {}
    }
    let dec = |h: u16| if bf { bf16_to_f64(h) } else { f16_to_f64(h) };
    let rnd = (x >> FX_RND) & 7;
    let enc = |v: f64| if bf { f64_to_bf16(v, rnd) } else { f64_to_f16(v, rnd) };
    let tiny = if bf { ldexp(1.0, -126) } else { ldexp(1.0, -14) };
    let fl = |v: f64| if x & FX_FTZ != 0 && v != 0.0 && v.abs() < tiny { 0f64.copysign(v) } else { v };
    let (fa, fb, fc) = (fl(dec(a)), fl(dec(b)), fl(dec(c)));
    let mut r = match k {
        FK::Add => fma_odd(fa, 1.0, fb),
        FK::Sub => fma_odd(fa, 1.0, -fb),
        FK::Mul => fa * fb,
        FK::Fma => fma_odd(fa, fb, fc),
        FK::Div => fa / fb,
        FK::Min | FK::Max => {
            let nan = x & FX_NAN != 0;
            if x & FX_XORSIGN != 0 {
                let s = fa.is_sign_negative() != fb.is_sign_negative();
                let m = min64(fa.abs(), fb.abs(), k == FK::Max, nan);
                if m.is_nan() || !s { m } else { -m }
            } else {
                min64(fa, fb, k == FK::Max, nan)
            }
        }
        FK::Sqrt => fa.sqrt(),
        FK::Rsqrt => 1.0 / fa.sqrt(),
        FK::Rcp => 1.0 / fa,
        FK::Ex2 => fa.exp2(),
        FK::Lg2 => fa.log2(),
        FK::Sin => fa.sin(),
        FK::Cos => fa.cos(),
        FK::Tanh => fa.tanh(),
        _ => f64::NAN,
    };
    if x & FX_SAT != 0 {
        r = if r.is_nan() || r <= 0.0 { 0.0 } else { r.min(1.0) };
    }
    if x & FX_RELU != 0 && r < 0.0 {
        r = 0.0;
    }
    if x & FX_FTZ != 0 {
        let h = enc(r);
        return if dec(h).abs() < tiny { h & 0x8000 } else { h };
    }
    enc(r)
}

pub(crate) fn op_half(x: u32, a: u64, b: u64, c: u64) -> u64 {
    if x & FX_X2 != 0 {
        let lo = op_half1(x, a as u16, b as u16, c as u16);
        let hi = op_half1(x, (a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
        lo as u64 | (hi as u64) << 16
    } else {
        op_half1(x, a as u16, b as u16, c as u16) as u64
    }
}
