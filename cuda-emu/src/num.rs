//! Numbers: small floating point formats, rounding modes and conversions.

use crate::ir::*;
use crate::ptx::Ty;

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

fn ilogb(x: f64) -> i32 {
    let e = ((x.to_bits() >> 52) & 0x7ff) as i32;
    if e == 0 {
        let m = x.to_bits() & ((1 << 52) - 1);
        return -1074 + (63 - m.leading_zeros() as i32);
    }
    e - 1023
}

fn ldexp(x: f64, n: i32) -> f64 {
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
fn odd(s: f64, e: f64) -> f64 {
    if e == 0.0 || !s.is_finite() || e.is_nan() || s.to_bits() & 1 == 1 {
        return s;
    }
    if (e > 0.0) == (s > 0.0) { f64::from_bits(s.to_bits() + 1) } else { f64::from_bits(s.to_bits() - 1) }
}

fn two_sum_err(a: f64, b: f64, s: f64) -> f64 {
    let bb = s - a;
    (a - (s - bb)) + (b - bb)
}

/// Exact a*b+c rounded to odd, for factors whose product is exact in f64.
fn fma_odd(a: f64, b: f64, c: f64) -> f64 {
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

fn ftz32(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

#[expect(clippy::too_many_arguments, reason = "two numbers, each with what its type says of it")]
fn minmax<T: PartialOrd + Copy>(
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
fn directed(s: f64, e: f64, rnd: u32) -> f64 {
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
/// sign- or zero-extended to 64 bits (the caller cuts it to the register).
pub(crate) fn cvt(x: u32, a: u64) -> u64 {
    let dt = TYPES[(x & 31) as usize];
    let at = TYPES[((x >> 5) & 31) as usize];
    let rnd = (x >> 10) & 15;
    let ftz = x & CX_FTZ != 0;
    let abits = at.size() * 8;
    if !at.float() {
        let wide: i128 = if at.signed() {
            (((a << (64 - abits)) as i64) >> (64 - abits)) as i128
        } else {
            (if abits == 64 { a } else { a & ((1u64 << abits) - 1) }) as i128
        };
        return match dt {
            Ty::F32 => int_to_float(wide, 24, rnd, |v| v as f32 as f64, f32::MAX as f64)
                .map_or(0, |v| (v as f32).to_bits() as u64),
            Ty::F64 => int_to_float(wide, 53, rnd, |v| v as f64, f64::MAX).map_or(0, |v| v.to_bits()),
            Ty::F16 => f64_to_f16(odd_int(wide), rnd & 7) as u64,
            Ty::BF16 => f64_to_bf16(odd_int(wide), rnd & 7) as u64,
            _ => {
                let bits = dt.size() * 8;
                let (lo, hi) = if dt.signed() {
                    (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
                } else {
                    (0, (1i128 << bits) - 1)
                };
                let v = if x & CX_SAT != 0 { wide.clamp(lo, hi) } else { wide };
                let v = v as u64;
                if dt.signed() {
                    (((v << (64 - bits)) as i64) >> (64 - bits)) as u64
                } else if bits == 64 {
                    v
                } else {
                    v & ((1u64 << bits) - 1)
                }
            }
        };
    }
    let mut v = match at {
        Ty::F16 => f16_to_f64(a as u16),
        Ty::BF16 => bf16_to_f64(a as u16),
        Ty::F32 => {
            let f = f32::from_bits(a as u32);
            (if ftz { ftz32(f) } else { f }) as f64
        }
        _ => f64::from_bits(a),
    };
    if !dt.float() && x & CX_TF32 == 0 {
        let bits = dt.size() * 8;
        if v.is_nan() {
            let wide = at == Ty::F64 || bits == 64;
            return if wide { 1u64 << (bits - 1) } else { 0 };
        }
        v = round_int(v, rnd);
        return if dt.signed() {
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
        };
    }
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
            (if ftz { ftz32(f) } else { f }).to_bits() as u64
        }
        _ => v.to_bits(),
    }
}

fn round_int(v: f64, rnd: u32) -> f64 {
    match rnd & 7 {
        RZ => v.trunc(),
        RM => v.floor(),
        RP => v.ceil(),
        _ => v.round_ties_even(),
    }
}

fn odd_int(v: i128) -> f64 {
    let f = v as f64;
    let e = v - f as i128;
    odd(f, e as f64)
}

fn int_to_float(v: i128, _p: u32, rnd: u32, rn: impl Fn(i128) -> f64, max: f64) -> Option<f64> {
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

pub(crate) fn prmt(mode: u32, a: u32, b: u32, c: u32) -> u32 {
    let t = (b as u64) << 32 | a as u64;
    let byte = |i: u32| ((t >> (8 * i)) & 0xff) as u32;
    let s = c & 3;
    let sel: [u32; 4] = match mode {
        1 => [s, s + 1, s + 2, s + 3],                   // f4e
        2 => [s, (s + 7) & 7, (s + 6) & 7, (s + 5) & 7], // b4e
        3 => [s; 4],                                     // rc8
        4 => [s, s.max(1), s.max(2), 3],                 // ecl
        5 => [0, s.min(1), s.min(2), s],                 // ecr
        6 => {
            let h = (c & 1) * 2;
            [h, h + 1, h, h + 1] // rc16
        }
        _ => {
            let mut r = 0;
            for i in 0..4 {
                let n = (c >> (4 * i)) & 15;
                let mut v = byte(n & 7);
                if n & 8 != 0 {
                    v = if v & 0x80 != 0 { 0xff } else { 0 };
                }
                r |= v << (8 * i);
            }
            return r;
        }
    };
    (0..4).fold(0, |r, i| r | byte(sel[i as usize]) << (8 * i))
}

pub(crate) fn bfe(a: u64, pos: u64, len: u64, bits: u32, signed: bool) -> u64 {
    let pos = (pos & 0xff) as u32;
    let len = (len & 0xff) as u32;
    let mask = if bits == 64 { u64::MAX } else { 0xffff_ffff };
    if len == 0 {
        return 0;
    }
    let top = (pos + len - 1).min(bits - 1);
    let sbit = signed && (a >> top) & 1 == 1;
    let field = if pos >= bits { 0 } else { a >> pos };
    let keep = if pos >= bits { 0 } else { len.min(bits - pos) };
    let m = if keep >= 64 { u64::MAX } else { (1u64 << keep) - 1 };
    let mut r = field & m;
    if sbit {
        r |= !m;
    }
    r & mask
}

pub(crate) fn bfi(a: u64, b: u64, pos: u64, len: u64, bits: u32) -> u64 {
    let pos = (pos & 0xff) as u32;
    let len = (len & 0xff) as u32;
    if pos >= bits || len == 0 {
        return b;
    }
    let keep = len.min(bits - pos);
    let m = (if keep >= 64 { u64::MAX } else { (1u64 << keep) - 1 }) << pos;
    (b & !m) | ((a << pos) & m)
}

pub(crate) fn bfind(a: u64, bits: u32, signed: bool, shiftamt: bool) -> u64 {
    let v = if bits == 64 { a } else { a & 0xffff_ffff };
    let v = if signed && (v >> (bits - 1)) & 1 == 1 {
        !v & (if bits == 64 { u64::MAX } else { 0xffff_ffff })
    } else {
        v
    };
    if v == 0 {
        return 0xffff_ffff;
    }
    let p = 63 - v.leading_zeros();
    (if shiftamt { bits - 1 - p } else { p }) as u64
}

pub(crate) fn lop3(lut: u32, a: u64, b: u64, c: u64) -> u64 {
    let mut r = 0u64;
    for i in 0..8u32 {
        if lut >> i & 1 == 1 {
            let x = if i & 4 != 0 { a } else { !a };
            let y = if i & 2 != 0 { b } else { !b };
            let z = if i & 1 != 0 { c } else { !c };
            r |= x & y & z;
        }
    }
    r & 0xffff_ffff
}

pub(crate) fn dp4a(x: u32, a: u64, b: u64, c: u64) -> u64 {
    let mut s = c as u32;
    for i in 0..4 {
        let (p, q) = ((a >> (8 * i)) as u8, (b >> (8 * i)) as u8);
        let p = if x & 1 != 0 { p as i8 as i32 } else { p as i32 };
        let q = if x & 2 != 0 { q as i8 as i32 } else { q as i32 };
        s = s.wrapping_add((p * q) as u32);
    }
    s as u64
}

pub(crate) fn dp2a(x: u32, a: u64, b: u64, c: u64) -> u64 {
    let mut s = c as u32;
    let b = if x & 4 != 0 { b >> 16 } else { b };
    for i in 0..2 {
        let (p, q) = ((a >> (16 * i)) as u16, (b >> (8 * i)) as u8);
        let p = if x & 1 != 0 { p as i16 as i32 } else { p as i32 };
        let q = if x & 2 != 0 { q as i8 as i32 } else { q as i32 };
        s = s.wrapping_add(p.wrapping_mul(q) as u32);
    }
    s as u64
}

pub(crate) fn fns(mask: u32, base: u32, off: i32) -> u32 {
    let base = base & 31;
    if off == 0 {
        return if mask >> base & 1 == 1 { base } else { u32::MAX };
    }
    let (mut pos, mut left) = (base as i32, off.unsigned_abs());
    let step = if off > 0 { 1 } else { -1 };
    while (0..32).contains(&pos) {
        if mask >> pos & 1 == 1 {
            left -= 1;
            if left == 0 {
                return pos as u32;
            }
        }
        pos += step;
    }
    u32::MAX
}
