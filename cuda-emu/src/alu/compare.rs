//! Comparisons of rows.

use super::lanes::Row;
use crate::ir::{CT, Cmp};
use crate::num;

/// The mask of the lanes for which `f` holds.
#[inline(always)]
fn lanes(a: &Row, b: &Row, f: impl Fn(u64, u64) -> bool) -> u32 {
    // Copies, which the compiler turns into vectors.
    let (a, b) = (a.0, b.0);
    let mut m = 0u32;
    for l in 0..32 {
        m |= (f(a[l], b[l]) as u32) << l;
    }
    m
}

#[inline(always)]
fn f(v: u64) -> f32 {
    f32::from_bits(v as u32)
}

#[inline(always)]
fn g(v: u64) -> f64 {
    f64::from_bits(v)
}

/// Comparison of all lanes: the mask of those for which it holds.
#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "the unordered comparisons of PTX are these")]
#[inline(always)]
pub(super) fn compare(ct: CT, cmp: Cmp, ftz: bool, a: &Row, b: &Row) -> u32 {
    macro_rules! int {
        ($t:ty) => {
            match cmp {
                Cmp::Eq | Cmp::Equ => lanes(a, b, |a, b| a as $t == b as $t),
                Cmp::Ne | Cmp::Neu => lanes(a, b, |a, b| a as $t != b as $t),
                Cmp::Lt | Cmp::Ltu => lanes(a, b, |a, b| (a as $t) < b as $t),
                Cmp::Le | Cmp::Leu => lanes(a, b, |a, b| a as $t <= b as $t),
                Cmp::Gt | Cmp::Gtu => lanes(a, b, |a, b| a as $t > b as $t),
                _ => lanes(a, b, |a, b| a as $t >= b as $t),
            }
        };
    }
    macro_rules! flt {
        ($c:expr) => {
            match cmp {
                Cmp::Eq => lanes(a, b, |a, b| $c(a) == $c(b)),
                Cmp::Ne => lanes(a, b, |a, b| $c(a) < $c(b) || $c(a) > $c(b)),
                Cmp::Lt => lanes(a, b, |a, b| $c(a) < $c(b)),
                Cmp::Le => lanes(a, b, |a, b| $c(a) <= $c(b)),
                Cmp::Gt => lanes(a, b, |a, b| $c(a) > $c(b)),
                Cmp::Ge => lanes(a, b, |a, b| $c(a) >= $c(b)),
                Cmp::Equ => lanes(a, b, |a, b| !($c(a) < $c(b) || $c(a) > $c(b))),
                Cmp::Neu => lanes(a, b, |a, b| $c(a) != $c(b)),
                Cmp::Ltu => lanes(a, b, |a, b| !($c(a) >= $c(b))),
                Cmp::Leu => lanes(a, b, |a, b| !($c(a) > $c(b))),
                Cmp::Gtu => lanes(a, b, |a, b| !($c(a) <= $c(b))),
                Cmp::Geu => lanes(a, b, |a, b| !($c(a) < $c(b))),
                Cmp::Num => lanes(a, b, |a, b| !$c(a).is_nan() && !$c(b).is_nan()),
                _ => lanes(a, b, |a, b| $c(a).is_nan() || $c(b).is_nan()),
            }
        };
    }
    macro_rules! test {
        ($c:expr) => {
            match cmp {
                Cmp::Finite => lanes(a, b, |a, _| $c(a).is_finite()),
                Cmp::Infinite => lanes(a, b, |a, _| $c(a).is_infinite()),
                Cmp::Number => lanes(a, b, |a, _| !$c(a).is_nan()),
                Cmp::NotANumber => lanes(a, b, |a, _| $c(a).is_nan()),
                // zero counts as normal here
                Cmp::Normal => lanes(a, b, |a, _| $c(a).is_normal()),
                _ => lanes(a, b, |a, _| $c(a).is_subnormal()),
            }
        };
    }
    let fz = |v: u64| {
        let x = f(v);
        if x.is_subnormal() { 0.0 } else { x }
    };
    let h = |v: u64| num::f16_to_f64(v as u16);
    let bf = |v: u64| num::bf16_to_f64(v as u16);
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
