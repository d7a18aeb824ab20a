//! Arithmetic of integers.

use super::lanes::{Args, bi, each, each_with_carry, tri, un};
use crate::ir::A;
use crate::num;

/// Runs a sum, a difference, a minimum or a maximum; returns `false` for other operations.
#[inline(always)]
pub(super) fn sums(op: A, p: &Args) -> bool {
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
    match op {
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
        A::SadU16 => tri(p, |a, b, c| (c as u16).wrapping_add((a as u16).abs_diff(b as u16)) as u64),
        A::SadS16 => tri(p, |a, b, c| (c as u16).wrapping_add((a as i16).abs_diff(b as i16)) as u64),
        A::SadU32 => tri(p, |a, b, c| (c as u32).wrapping_add((a as u32).abs_diff(b as u32)) as u64),
        A::SadS32 => tri(p, |a, b, c| (c as u32).wrapping_add((a as i32).abs_diff(b as i32)) as u64),
        A::SadU64 => tri(p, |a, b, c| c.wrapping_add(a.abs_diff(b))),
        A::SadS64 => tri(p, |a, b, c| c.wrapping_add((a as i64).abs_diff(b as i64))),
        A::Carry => carries(p),

        _ => return false,
    }
    true
}

/// Runs a product, with or without an addition; returns `false` for other operations.
#[inline(always)]
pub(super) fn products(op: A, p: &Args) -> bool {
    macro_rules! u16b {
        ($f:expr) => {
            bi(p, |a, b| fn2::<u16>($f, a as u16, b as u16) as u64)
        };
    }
    macro_rules! u32b {
        ($f:expr) => {
            bi(p, |a, b| fn2::<u32>($f, a as u32, b as u32) as u64)
        };
    }
    let x = p.x;
    match op {
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
        A::Dp4a => each(p, |a, b, c| num::dp4a(x, a, b, c)),
        A::Dp2a => each(p, |a, b, c| num::dp2a(x, a, b, c)),
        _ => return false,
    }
    true
}

/// Runs a quotient or a remainder; returns `false` for other operations.
#[inline(always)]
pub(super) fn quotients(op: A, p: &Args) -> bool {
    match op {
        A::DivU16 => each(p, |a, b, _| (a as u16).checked_div(b as u16).unwrap_or(u16::MAX) as u64),
        A::DivS16 => each(p, |a, b, _| {
            (if b as i16 == 0 { -1 } else { (a as i16).wrapping_div(b as i16) }) as u16 as u64
        }),
        A::DivU32 => each(p, |a, b, _| (a as u32).checked_div(b as u32).unwrap_or(u32::MAX) as u64),
        A::DivS32 => each(p, |a, b, _| {
            (if b as i32 == 0 { -1 } else { (a as i32).wrapping_div(b as i32) }) as u32 as u64
        }),
        A::DivU64 => each(p, |a, b, _| a.checked_div(b).unwrap_or(u64::MAX)),
        A::DivS64 => each(p, |a, b, _| (if b == 0 { -1 } else { (a as i64).wrapping_div(b as i64) }) as u64),
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
        _ => return false,
    }
    true
}

/// The same with the carry of the frame, for the lanes that are on.
fn carries(p: &Args) {
    each_with_carry(p, |a, b, c, carry_in| {
        let (v, out) = carry(p.x, a, b, c, carry_in);
        (v, (p.x & 64 != 0).then_some(out))
    });
}

/// A sum, difference or product with a carry in: the result, and the carry out.
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

#[inline(always)]
fn fn2<T>(f: impl Fn(T, T) -> T, a: T, b: T) -> T {
    f(a, b)
}
