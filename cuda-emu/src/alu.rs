//! Arithmetic on rows: one operation for all lanes of a warp at once.

use crate::ir::*;
use crate::num;

/// One register of a warp: a slot for each lane.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(crate) struct Row(pub [u64; 32]);

pub(crate) const ZERO_ROW: Row = Row([0; 32]);

pub(crate) struct Args {
    pub d: *mut Row,
    pub a: *const Row,
    pub b: *const Row,
    pub c: *const Row,
    pub mask: u32,
    pub x: u32,
    pub cc: *mut Row,
}

#[inline(always)]
unsafe fn put(d: *mut Row, r: &[u64; 32], mask: u32) {
    // SAFETY: the caller says that `d` is a row that nothing else borrows.
    unsafe {
        if mask == u32::MAX {
            (*d).0 = *r;
        } else {
            let d = &mut (*d).0;
            for l in 0..32 {
                let keep = ((mask >> l) & 1) as u64;
                let m = keep.wrapping_neg();
                d[l] = (r[l] & m) | (d[l] & !m);
            }
        }
    }
}

// All lanes are computed, also those that are off: the functions given to these
// must not trap or have other effects.
#[inline(always)]
unsafe fn un(p: &Args, f: impl Fn(u64) -> u64) {
    // SAFETY: the caller says that the pointers of `p` are to rows; the sources are copied before the result is written.
    unsafe {
        let a = (*p.a).0;
        let mut r = [0u64; 32];
        for l in 0..32 {
            r[l] = f(a[l]);
        }
        put(p.d, &r, p.mask);
    }
}
#[inline(always)]
unsafe fn bi(p: &Args, f: impl Fn(u64, u64) -> u64) {
    // SAFETY: as in `un`.
    unsafe {
        let (a, b) = ((*p.a).0, (*p.b).0);
        let mut r = [0u64; 32];
        for l in 0..32 {
            r[l] = f(a[l], b[l]);
        }
        put(p.d, &r, p.mask);
    }
}
#[inline(always)]
unsafe fn tri(p: &Args, f: impl Fn(u64, u64, u64) -> u64) {
    // SAFETY: as in `un`.
    unsafe {
        let (a, b, c) = ((*p.a).0, (*p.b).0, (*p.c).0);
        let mut r = [0u64; 32];
        for l in 0..32 {
            r[l] = f(a[l], b[l], c[l]);
        }
        put(p.d, &r, p.mask);
    }
}
/// Only the lanes that are on, for costly functions.
#[inline(always)]
unsafe fn each(p: &Args, f: impl Fn(u64, u64, u64) -> u64) {
    // SAFETY: the caller says that the pointers of `p` are to rows; `l` is below 32, and no reference to a row is kept.
    unsafe {
        let mut m = p.mask;
        while m != 0 {
            let l = m.trailing_zeros() as usize;
            m &= m - 1;
            (*p.d).0[l] = f((*p.a).0[l], (*p.b).0[l], (*p.c).0[l]);
        }
    }
}

#[inline(always)]
fn f32r(v: f32) -> u64 {
    (if v.is_nan() { 0x7fff_ffff } else { v.to_bits() }) as u64
}
#[inline(always)]
fn f(v: u64) -> f32 {
    f32::from_bits(v as u32)
}
#[inline(always)]
fn g(v: u64) -> f64 {
    f64::from_bits(v)
}

#[inline(always)]
fn fn2<T>(f: impl Fn(T, T) -> T, a: T, b: T) -> T {
    f(a, b)
}

fn carry(x: u32, a: u64, b: u64, c: u64, cin: u64) -> (u64, u64) {
    let w64 = x & 16 != 0;
    let signed = x & 128 != 0;
    // A subtraction adds the complement: its carry is set when there is no borrow,
    // which shows where it is read by an addition.
    let sub = x & 15 == 1;
    let cin = if x & 32 != 0 { cin & 1 } else { sub as u64 } as u128;
    let (bits, m) = if w64 { (64, u64::MAX as u128) } else { (32, 0xffff_ffffu128) };
    let (a, b, c) = (a as u128 & m, b as u128 & m, c as u128 & m);
    match x & 15 {
        0 => {
            let s = a + b + cin;
            ((s & m) as u64, (s >> bits & 1) as u64)
        }
        1 => {
            let s = a + (!b & m) + cin;
            ((s & m) as u64, (s >> bits & 1) as u64)
        }
        k => {
            let p = if signed {
                let sx = |v: u128| ((v << (128 - bits)) as i128) >> (128 - bits);
                sx(a).wrapping_mul(sx(b)) as u128
            } else {
                a.wrapping_mul(b)
            };
            let p = if k == 2 { p & m } else { (p >> bits) & m };
            let s = p + c + cin;
            ((s & m) as u64, (s >> bits & 1) as u64)
        }
    }
}

/// Runs one operation. The caller guarantees that the pointers are valid.
#[inline(always)]
unsafe fn body(op: A, p: &Args) {
    let x = p.x;
    macro_rules! u16b {
        ($f:expr) => {
            bi(p, |a, b| fn2::<u16>($f, a as u16, b as u16) as u64)
        };
    }
    macro_rules! s16b {
        ($f:expr) => {
            bi(p, |a, b| fn2::<i16>($f, a as i16, b as i16) as u16 as u64)
        };
    }
    macro_rules! u32b {
        ($f:expr) => {
            bi(p, |a, b| fn2::<u32>($f, a as u32, b as u32) as u64)
        };
    }
    macro_rules! s32b {
        ($f:expr) => {
            bi(p, |a, b| fn2::<i32>($f, a as i32, b as i32) as u32 as u64)
        };
    }
    macro_rules! s64b {
        ($f:expr) => {
            bi(p, |a, b| fn2::<i64>($f, a as i64, b as i64) as u64)
        };
    }
    // SAFETY: the caller says that the pointers of `p` are to rows, which is what the functions called here ask for.
    unsafe {
        match op {
            A::Mov => un(p, |a| a),
            A::Pack => {
                let (s, n) = (x & 0xff, (x >> 8) & 0xff);
                let m = (1u64 << n) - 1;
                bi(p, |a, b| a | (b & m) << s)
            }
            A::ExtractU => {
                let (s, n) = (x & 0xff, (x >> 8) & 0xff);
                let m = if n >= 64 { u64::MAX } else { (1u64 << n) - 1 };
                un(p, |a| (a >> s) & m)
            }
            A::ExtractS => {
                let (s, n, to) = (x & 0xff, (x >> 8) & 0xff, (x >> 16) & 0xff);
                let m = if to >= 64 { u64::MAX } else { (1u64 << to) - 1 };
                un(p, |a| ((((a >> s) << (64 - n)) as i64 >> (64 - n)) as u64) & m)
            }
            A::Insert => {
                let (s, n) = (x & 0xff, (x >> 8) & 0xff);
                let m = if n >= 64 { u64::MAX } else { (1u64 << n) - 1 };
                tri(p, |a, _, c| (c & !(m << s)) | (a & m) << s)
            }
            A::Add16 => u16b!(u16::wrapping_add),
            A::Add32 => u32b!(u32::wrapping_add),
            A::Add64 => bi(p, |a, b| a.wrapping_add(b)),
            A::Sub16 => u16b!(u16::wrapping_sub),
            A::Sub32 => u32b!(u32::wrapping_sub),
            A::Sub64 => bi(p, |a, b| a.wrapping_sub(b)),
            A::AddSat32 => s32b!(i32::saturating_add),
            A::SubSat32 => s32b!(i32::saturating_sub),
            A::AddX2 => bi(p, |a, b| {
                (a as u16).wrapping_add(b as u16) as u64
                    | (((a >> 16) as u16).wrapping_add((b >> 16) as u16) as u64 * 65536)
            }),
            A::MinUX2 => bi(p, |a, b| {
                (a as u16).min(b as u16) as u64 | (((a >> 16) as u16).min((b >> 16) as u16) as u64 * 65536)
            }),
            A::MaxUX2 => bi(p, |a, b| {
                (a as u16).max(b as u16) as u64 | (((a >> 16) as u16).max((b >> 16) as u16) as u64 * 65536)
            }),
            A::MinSX2 => bi(p, |a, b| {
                (a as i16).min(b as i16) as u16 as u64
                    | (((a >> 16) as i16).min((b >> 16) as i16) as u16 as u64 * 65536)
            }),
            A::MaxSX2 => bi(p, |a, b| {
                (a as i16).max(b as i16) as u16 as u64
                    | (((a >> 16) as i16).max((b >> 16) as i16) as u16 as u64 * 65536)
            }),
            A::Mul16 => u16b!(u16::wrapping_mul),
            A::Mul32 => u32b!(u32::wrapping_mul),
            A::Mul64 => bi(p, |a, b| a.wrapping_mul(b)),
            A::MulHiU16 => bi(p, |a, b| ((a as u16 as u32 * b as u16 as u32) >> 16) as u64),
            A::MulHiS16 => bi(p, |a, b| (((a as i16 as i32 * b as i16 as i32) >> 16) as u16) as u64),
            A::MulHiU32 => bi(p, |a, b| (a as u32 as u64 * (b as u32 as u64)) >> 32),
            A::MulHiS32 => bi(p, |a, b| ((a as i32 as i64 * (b as i32 as i64)) >> 32) as u32 as u64),
            A::MulHiU64 => bi(p, |a, b| ((a as u128 * b as u128) >> 64) as u64),
            A::MulHiS64 => bi(p, |a, b| ((a as i64 as i128 * (b as i64 as i128)) >> 64) as u64),
            A::MulWU16 => bi(p, |a, b| (a as u16 as u32 * b as u16 as u32) as u64),
            A::MulWS16 => bi(p, |a, b| (a as i16 as i32 * b as i16 as i32) as u32 as u64),
            A::MulWU32 => bi(p, |a, b| a as u32 as u64 * (b as u32 as u64)),
            A::MulWS32 => bi(p, |a, b| (a as i32 as i64 * (b as i32 as i64)) as u64),
            A::Mad16 => tri(p, |a, b, c| (a as u16).wrapping_mul(b as u16).wrapping_add(c as u16) as u64),
            A::Mad32 => tri(p, |a, b, c| (a as u32).wrapping_mul(b as u32).wrapping_add(c as u32) as u64),
            A::Mad64 => tri(p, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
            A::MadHiU16 => tri(p, |a, b, c| {
                (((a as u16 as u32 * b as u16 as u32) >> 16) as u16).wrapping_add(c as u16) as u64
            }),
            A::MadHiS16 => tri(p, |a, b, c| {
                (((a as i16 as i32 * b as i16 as i32) >> 16) as u16).wrapping_add(c as u16) as u64
            }),
            A::MadHiU32 => tri(p, |a, b, c| {
                (((a as u32 as u64 * b as u32 as u64) >> 32) as u32).wrapping_add(c as u32) as u64
            }),
            A::MadHiS32 => tri(p, |a, b, c| {
                (((a as i32 as i64 * b as i32 as i64) >> 32) as u32).wrapping_add(c as u32) as u64
            }),
            A::MadHiU64 => tri(p, |a, b, c| (((a as u128 * b as u128) >> 64) as u64).wrapping_add(c)),
            A::MadHiS64 => {
                tri(p, |a, b, c| (((a as i64 as i128 * b as i64 as i128) >> 64) as u64).wrapping_add(c))
            }
            A::MadHiSatS32 => tri(p, |a, b, c| {
                (((a as i32 as i64 * b as i32 as i64) >> 32) as i32).saturating_add(c as i32) as u32 as u64
            }),
            A::MadWU16 => tri(p, |a, b, c| (a as u16 as u32 * b as u16 as u32).wrapping_add(c as u32) as u64),
            A::MadWS16 => {
                tri(p, |a, b, c| ((a as i16 as i32 * b as i16 as i32) as u32).wrapping_add(c as u32) as u64)
            }
            A::MadWU32 => tri(p, |a, b, c| (a as u32 as u64 * b as u32 as u64).wrapping_add(c)),
            A::MadWS32 => tri(p, |a, b, c| ((a as i32 as i64 * b as i32 as i64) as u64).wrapping_add(c)),
            A::Mul24LoU
            | A::Mad24LoU
            | A::Mul24LoS
            | A::Mad24LoS
            | A::Mul24HiU
            | A::Mad24HiU
            | A::Mul24HiS
            | A::Mad24HiS => {
                let s = matches!(op, A::Mul24LoS | A::Mad24LoS | A::Mul24HiS | A::Mad24HiS);
                let hi = matches!(op, A::Mul24HiU | A::Mad24HiU | A::Mul24HiS | A::Mad24HiS);
                let mad = matches!(op, A::Mad24LoU | A::Mad24LoS | A::Mad24HiU | A::Mad24HiS);
                each(p, |a, b, c| {
                    let w = |v: u64| if s { ((v as i32) << 8 >> 8) as i64 } else { (v & 0xff_ffff) as i64 };
                    let m = w(a) * w(b);
                    let r = if hi { (m >> 16) as u32 } else { m as u32 };
                    r.wrapping_add(if mad { c as u32 } else { 0 }) as u64
                })
            }
            A::DivU16 => each(p, |a, b, _| (a as u16).checked_div(b as u16).unwrap_or(u16::MAX) as u64),
            A::DivS16 => each(p, |a, b, _| {
                (if b as i16 == 0 { -1 } else { (a as i16).wrapping_div(b as i16) }) as u16 as u64
            }),
            A::DivU32 => each(p, |a, b, _| (a as u32).checked_div(b as u32).unwrap_or(u32::MAX) as u64),
            A::DivS32 => each(p, |a, b, _| {
                (if b as i32 == 0 { -1 } else { (a as i32).wrapping_div(b as i32) }) as u32 as u64
            }),
            A::DivU64 => each(p, |a, b, _| a.checked_div(b).unwrap_or(u64::MAX)),
            A::DivS64 => {
                each(p, |a, b, _| (if b == 0 { -1 } else { (a as i64).wrapping_div(b as i64) }) as u64)
            }
            A::RemU16 => each(p, |a, b, _| (a as u16).checked_rem(b as u16).unwrap_or(a as u16) as u64),
            A::RemS16 => each(p, |a, b, _| {
                (if b as i16 == 0 { a as i16 } else { (a as i16).wrapping_rem(b as i16) }) as u16 as u64
            }),
            A::RemU32 => each(p, |a, b, _| (a as u32).checked_rem(b as u32).unwrap_or(a as u32) as u64),
            A::RemS32 => each(p, |a, b, _| {
                (if b as i32 == 0 { a as i32 } else { (a as i32).wrapping_rem(b as i32) }) as u32 as u64
            }),
            A::RemU64 => each(p, |a, b, _| a.checked_rem(b).unwrap_or(a)),
            A::RemS64 => {
                each(p, |a, b, _| (if b == 0 { a as i64 } else { (a as i64).wrapping_rem(b as i64) }) as u64)
            }
            A::MinU16 => u16b!(|a, b| a.min(b)),
            A::MinS16 => s16b!(|a, b| a.min(b)),
            A::MinU32 => u32b!(|a: u32, b| a.min(b)),
            A::MinS32 => s32b!(|a: i32, b| a.min(b)),
            A::MinU64 => bi(p, |a, b| a.min(b)),
            A::MinS64 => s64b!(|a: i64, b| a.min(b)),
            A::MaxU16 => u16b!(|a, b| a.max(b)),
            A::MaxS16 => s16b!(|a, b| a.max(b)),
            A::MaxU32 => u32b!(|a: u32, b| a.max(b)),
            A::MaxS32 => s32b!(|a: i32, b| a.max(b)),
            A::MaxU64 => bi(p, |a, b| a.max(b)),
            A::MaxS64 => s64b!(|a: i64, b| a.max(b)),
            A::Abs16 => un(p, |a| (a as i16).wrapping_abs() as u16 as u64),
            A::Abs32 => un(p, |a| (a as i32).wrapping_abs() as u32 as u64),
            A::Abs64 => un(p, |a| (a as i64).wrapping_abs() as u64),
            A::Neg16 => un(p, |a| (a as u16).wrapping_neg() as u64),
            A::Neg32 => un(p, |a| (a as u32).wrapping_neg() as u64),
            A::Neg64 => un(p, |a| a.wrapping_neg()),
            A::And => bi(p, |a, b| a & b),
            A::Or => bi(p, |a, b| a | b),
            A::Xor => bi(p, |a, b| a ^ b),
            A::Not16 => un(p, |a| !a & 0xffff),
            A::Not32 => un(p, |a| !a & 0xffff_ffff),
            A::Not64 => un(p, |a| !a),
            A::Cnot16 => un(p, |a| (a as u16 == 0) as u64),
            A::Cnot32 => un(p, |a| (a as u32 == 0) as u64),
            A::Cnot64 => un(p, |a| (a == 0) as u64),
            A::Shl16 => bi(p, |a, b| if b as u32 > 15 { 0 } else { (a << (b & 15)) & 0xffff }),
            A::Shl32 => bi(p, |a, b| if b as u32 > 31 { 0 } else { (a << (b & 31)) & 0xffff_ffff }),
            A::Shl64 => bi(p, |a, b| if b as u32 > 63 { 0 } else { a << (b & 63) }),
            A::ShrU16 => bi(p, |a, b| if b as u32 > 15 { 0 } else { (a & 0xffff) >> (b & 15) }),
            A::ShrU32 => bi(p, |a, b| if b as u32 > 31 { 0 } else { (a & 0xffff_ffff) >> (b & 31) }),
            A::ShrU64 => bi(p, |a, b| if b as u32 > 63 { 0 } else { a >> (b & 63) }),
            A::ShrS16 => bi(p, |a, b| ((a as i16) >> (b as u32).min(15)) as u16 as u64),
            A::ShrS32 => bi(p, |a, b| ((a as i32) >> (b as u32).min(31)) as u32 as u64),
            A::ShrS64 => bi(p, |a, b| ((a as i64) >> (b as u32).min(63)) as u64),
            // a is the low word, b the high one
            A::ShfLW => tri(p, |a, b, c| (((b << 32 | a & 0xffff_ffff) << (c & 31)) >> 32) & 0xffff_ffff),
            A::ShfLC => tri(p, |a, b, c| {
                let n = (c as u32).min(32);
                (((b << 32 | a & 0xffff_ffff) as u128) << n >> 32) as u64 & 0xffff_ffff
            }),
            A::ShfRW => tri(p, |a, b, c| ((b << 32 | a & 0xffff_ffff) >> (c & 31)) & 0xffff_ffff),
            A::ShfRC => tri(p, |a, b, c| ((b << 32 | a & 0xffff_ffff) >> (c as u32).min(32)) & 0xffff_ffff),
            A::Prmt => {
                if x == 0 {
                    tri(p, |a, b, c| num::prmt(0, a as u32, b as u32, c as u32) as u64)
                } else {
                    each(p, |a, b, c| num::prmt(x, a as u32, b as u32, c as u32) as u64)
                }
            }
            A::BfeU32 => each(p, |a, b, c| num::bfe(a & 0xffff_ffff, b, c, 32, false)),
            A::BfeS32 => each(p, |a, b, c| num::bfe(a & 0xffff_ffff, b, c, 32, true)),
            A::BfeU64 => each(p, |a, b, c| num::bfe(a, b, c, 64, false)),
            A::BfeS64 => each(p, |a, b, c| num::bfe(a, b, c, 64, true)),
            A::Brev32 => un(p, |a| (a as u32).reverse_bits() as u64),
            A::Brev64 => un(p, |a| a.reverse_bits()),
            A::Clz32 => un(p, |a| (a as u32).leading_zeros() as u64),
            A::Clz64 => un(p, |a| a.leading_zeros() as u64),
            A::Popc32 => un(p, |a| (a as u32).count_ones() as u64),
            A::Popc64 => un(p, |a| a.count_ones() as u64),
            A::BfindU32 => each(p, |a, _, _| num::bfind(a, 32, false, x != 0)),
            A::BfindS32 => each(p, |a, _, _| num::bfind(a, 32, true, x != 0)),
            A::BfindU64 => each(p, |a, _, _| num::bfind(a, 64, false, x != 0)),
            A::BfindS64 => each(p, |a, _, _| num::bfind(a, 64, true, x != 0)),
            A::SadU16 => tri(p, |a, b, c| (c as u16).wrapping_add((a as u16).abs_diff(b as u16)) as u64),
            A::SadS16 => tri(p, |a, b, c| (c as u16).wrapping_add((a as i16).abs_diff(b as i16)) as u64),
            A::SadU32 => tri(p, |a, b, c| (c as u32).wrapping_add((a as u32).abs_diff(b as u32)) as u64),
            A::SadS32 => tri(p, |a, b, c| (c as u32).wrapping_add((a as i32).abs_diff(b as i32)) as u64),
            A::SadU64 => tri(p, |a, b, c| c.wrapping_add(a.abs_diff(b))),
            A::SadS64 => tri(p, |a, b, c| c.wrapping_add((a as i64).abs_diff(b as i64))),
            A::Lop3 => tri(p, |a, b, c| num::lop3(x, a, b, c)),
            A::Dp4a => each(p, |a, b, c| num::dp4a(x, a, b, c)),
            A::Dp2a => each(p, |a, b, c| num::dp2a(x, a, b, c)),
            A::SzextU | A::SzextS | A::SzextWU | A::SzextWS => {
                let wrap = matches!(op, A::SzextWU | A::SzextWS);
                let s = matches!(op, A::SzextS | A::SzextWS);
                each(p, |a, b, _| {
                    let n = if wrap { b as u32 & 31 } else { b as u32 };
                    if n >= 32 {
                        a
                    } else if n == 0 {
                        0
                    } else if s {
                        ((a as i32) << (32 - n) >> (32 - n)) as u32 as u64
                    } else {
                        a & ((1 << n) - 1)
                    }
                })
            }
            A::BmskC | A::BmskW => {
                let wrap = op == A::BmskW;
                each(p, |a, b, _| {
                    let (s, n) = if wrap {
                        (a as u32 & 31, b as u32 & 31)
                    } else {
                        ((a as u32).min(32), (b as u32).min(32))
                    };
                    ((((1u64 << n) - 1) << s) & 0xffff_ffff) as u32 as u64
                })
            }
            A::Fns => each(p, |a, b, c| num::fns(a as u32, b as u32, c as i32) as u64),
            A::Carry => {
                let mut m = p.mask;
                while m != 0 {
                    let l = m.trailing_zeros() as usize;
                    m &= m - 1;
                    let (v, co) = carry(x, (*p.a).0[l], (*p.b).0[l], (*p.c).0[l], (*p.cc).0[l]);
                    (*p.d).0[l] = v;
                    if x & 64 != 0 {
                        (*p.cc).0[l] = co;
                    }
                }
            }
            A::FAdd32 => bi(p, |a, b| f32r(f(a) + f(b))),
            A::FSub32 => bi(p, |a, b| f32r(f(a) - f(b))),
            A::FMul32 => bi(p, |a, b| f32r(f(a) * f(b))),
            A::FFma32 => tri(p, |a, b, c| f32r(f(a).mul_add(f(b), f(c)))),
            A::FDiv32 => bi(p, |a, b| f32r(f(a) / f(b))),
            A::FNeg32 => un(p, |a| (a ^ 0x8000_0000) & 0xffff_ffff),
            A::FAbs32 => un(p, |a| a & 0x7fff_ffff),
            A::FMin32 => bi(p, |a, b| num::min32(f(a), f(b), false, false).to_bits() as u64),
            A::FMax32 => bi(p, |a, b| num::min32(f(a), f(b), true, false).to_bits() as u64),
            A::FAdd64 => bi(p, |a, b| (g(a) + g(b)).to_bits()),
            A::FSub64 => bi(p, |a, b| (g(a) - g(b)).to_bits()),
            A::FMul64 => bi(p, |a, b| (g(a) * g(b)).to_bits()),
            A::FFma64 => tri(p, |a, b, c| g(a).mul_add(g(b), g(c)).to_bits()),
            A::FDiv64 => bi(p, |a, b| (g(a) / g(b)).to_bits()),
            A::FNeg64 => un(p, |a| a ^ (1 << 63)),
            A::FAbs64 => un(p, |a| a & !(1 << 63)),
            A::FMin64 => bi(p, |a, b| num::min64(g(a), g(b), false, false).to_bits()),
            A::FMax64 => bi(p, |a, b| num::min64(g(a), g(b), true, false).to_bits()),
            A::F32 => each(p, |a, b, c| num::op32(x, a as u32, b as u32, c as u32) as u64),
            A::F64 => each(p, |a, b, c| num::op64(x, a, b, c)),
            A::Half => each(p, |a, b, c| num::op_half(x, a, b, c)),
            A::Cvt => {
                let bytes = (x >> 24) & 15;
                let m = if bytes >= 8 { u64::MAX } else { (1u64 << (8 * bytes)) - 1 };
                each(p, |a, _, _| num::cvt(x, a) & m)
            }
            A::CvtInt => {
                let (from, s, to) = (x & 0xff, x & 256 != 0, x >> 16);
                let m = if to >= 64 { u64::MAX } else { (1u64 << to) - 1 };
                let k = 64 - from;
                if s { un(p, |a| (((a << k) as i64 >> k) as u64) & m) } else { un(p, |a| (a << k >> k) & m) }
            }
            A::CvtF32F64 => un(p, |a| (f(a) as f64).to_bits()),
            A::CvtF64F32 => un(p, |a| f32r(g(a) as f32)),
            A::CvtS32F32 => un(p, |a| (a as i32 as f32).to_bits() as u64),
            A::CvtU32F32 => un(p, |a| (a as u32 as f32).to_bits() as u64),
            A::CvtS32F64 => un(p, |a| (a as i32 as f64).to_bits()),
            A::CvtU32F64 => un(p, |a| (a as u32 as f64).to_bits()),
            A::CvtS64F64 => un(p, |a| (a as i64 as f64).to_bits()),
            A::CvtU64F64 => un(p, |a| (a as f64).to_bits()),
            A::CvtPack => each(p, |a, b, _| num::cvt_pack(x, a, b)),
            A::SlctS32 => tri(p, |a, b, c| if c as i32 >= 0 { a } else { b }),
            A::SlctF32 => tri(p, |a, b, c| if f(c) >= 0.0 { a } else { b }),
        }
    }
}

#[inline(always)]
unsafe fn cmp_lanes(a: *const Row, b: *const Row, f: impl Fn(u64, u64) -> bool) -> u32 {
    // SAFETY: the caller says that both pointers are to rows; they are copied.
    unsafe {
        let (a, b) = ((*a).0, (*b).0);
        let mut m = 0u32;
        for l in 0..32 {
            m |= (f(a[l], b[l]) as u32) << l;
        }
        m
    }
}

/// Comparison of all lanes: the mask of those for which it holds.
#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "the unordered comparisons of PTX are these")]
#[inline(always)]
unsafe fn cmp_body(ct: CT, cmp: Cmp, ftz: bool, a: *const Row, b: *const Row) -> u32 {
    macro_rules! int {
        ($t:ty) => {
            match cmp {
                Cmp::Eq | Cmp::Equ => cmp_lanes(a, b, |a, b| a as $t == b as $t),
                Cmp::Ne | Cmp::Neu => cmp_lanes(a, b, |a, b| a as $t != b as $t),
                Cmp::Lt | Cmp::Ltu => cmp_lanes(a, b, |a, b| (a as $t) < b as $t),
                Cmp::Le | Cmp::Leu => cmp_lanes(a, b, |a, b| a as $t <= b as $t),
                Cmp::Gt | Cmp::Gtu => cmp_lanes(a, b, |a, b| a as $t > b as $t),
                _ => cmp_lanes(a, b, |a, b| a as $t >= b as $t),
            }
        };
    }
    macro_rules! flt {
        ($c:expr) => {
            match cmp {
                Cmp::Eq => cmp_lanes(a, b, |a, b| $c(a) == $c(b)),
                Cmp::Ne => cmp_lanes(a, b, |a, b| $c(a) < $c(b) || $c(a) > $c(b)),
                Cmp::Lt => cmp_lanes(a, b, |a, b| $c(a) < $c(b)),
                Cmp::Le => cmp_lanes(a, b, |a, b| $c(a) <= $c(b)),
                Cmp::Gt => cmp_lanes(a, b, |a, b| $c(a) > $c(b)),
                Cmp::Ge => cmp_lanes(a, b, |a, b| $c(a) >= $c(b)),
                Cmp::Equ => cmp_lanes(a, b, |a, b| !($c(a) < $c(b) || $c(a) > $c(b))),
                Cmp::Neu => cmp_lanes(a, b, |a, b| $c(a) != $c(b)),
                Cmp::Ltu => cmp_lanes(a, b, |a, b| !($c(a) >= $c(b))),
                Cmp::Leu => cmp_lanes(a, b, |a, b| !($c(a) > $c(b))),
                Cmp::Gtu => cmp_lanes(a, b, |a, b| !($c(a) <= $c(b))),
                Cmp::Geu => cmp_lanes(a, b, |a, b| !($c(a) < $c(b))),
                Cmp::Num => cmp_lanes(a, b, |a, b| !$c(a).is_nan() && !$c(b).is_nan()),
                _ => cmp_lanes(a, b, |a, b| $c(a).is_nan() || $c(b).is_nan()),
            }
        };
    }
    macro_rules! test {
        ($c:expr) => {
            match cmp {
                Cmp::Finite => cmp_lanes(a, b, |a, _| $c(a).is_finite()),
                Cmp::Infinite => cmp_lanes(a, b, |a, _| $c(a).is_infinite()),
                Cmp::Number => cmp_lanes(a, b, |a, _| !$c(a).is_nan()),
                Cmp::NotANumber => cmp_lanes(a, b, |a, _| $c(a).is_nan()),
                // zero counts as normal here
                Cmp::Normal => cmp_lanes(a, b, |a, _| $c(a).is_normal()),
                _ => cmp_lanes(a, b, |a, _| $c(a).is_subnormal()),
            }
        };
    }
    let fz = |v: u64| {
        let x = f(v);
        if x.is_subnormal() { 0.0 } else { x }
    };
    let h = |v: u64| num::f16_to_f64(v as u16);
    let hh = |v: u64| num::f16_to_f64((v >> 16) as u16);
    let bf = |v: u64| num::bf16_to_f64(v as u16);
    let _ = hh;
    // SAFETY: the caller says that both pointers are to rows, which is what `cmp_lanes` asks for.
    unsafe {
        match ct {
            CT::U16 => int!(u16),
            CT::S16 => int!(i16),
            CT::U32 => int!(u32),
            CT::S32 => int!(i32),
            CT::U64 => int!(u64),
            CT::S64 => int!(i64),
            CT::F32 if ftz => flt!(fz),
            CT::F32 => flt!(f),
            CT::F64 => flt!(g),
            CT::F16 | CT::F16x2 => flt!(h),
            CT::BF16 | CT::BF16x2 => flt!(bf),
            CT::Test32 => test!(f),
            CT::Test64 => test!(g),
        }
    }
}

/// An operation on all lanes. The pointers of the arguments must be to rows, and the machine have what the version uses.
pub(crate) type AluFn = unsafe fn(A, &Args);
/// A comparison of all lanes, under the same conditions.
pub(crate) type CmpFn = unsafe fn(CT, Cmp, bool, *const Row, *const Row) -> u32;

unsafe fn alu_base(op: A, p: &Args) {
    // SAFETY: the caller gives the guarantees of `body`.
    unsafe { body(op, p) }
}
unsafe fn cmp_base(ct: CT, cmp: Cmp, ftz: bool, a: *const Row, b: *const Row) -> u32 {
    // SAFETY: the caller gives the guarantees of `cmp_body`.
    unsafe { cmp_body(ct, cmp, ftz, a, b) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn alu_avx2(op: A, p: &Args) {
    // SAFETY: the caller gives the guarantees of `body`.
    unsafe { body(op, p) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn cmp_avx2(ct: CT, cmp: Cmp, ftz: bool, a: *const Row, b: *const Row) -> u32 {
    // SAFETY: the caller gives the guarantees of `cmp_body`.
    unsafe { cmp_body(ct, cmp, ftz, a, b) }
}

/// The fastest versions that this machine can run.
pub(crate) fn select() -> (AluFn, CmpFn) {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("fma")
        && std::is_x86_feature_detected!("bmi1")
        && std::is_x86_feature_detected!("bmi2")
        && std::is_x86_feature_detected!("lzcnt")
        && std::is_x86_feature_detected!("popcnt")
    {
        return (alu_avx2, cmp_avx2);
    }
    (alu_base, cmp_base)
}
