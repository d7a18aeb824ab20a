//! Floating point numbers: arithmetic, and conversions.

use super::lanes::{Args, bi, each, tri, un};
use crate::ir::A;
use crate::num;

/// Runs a floating point operation; returns `false` for other operations.
#[inline(always)]
pub(super) fn float(op: A, p: &Args) -> bool {
    let x = p.x;
    match op {
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
        _ => return false,
    }
    true
}

/// Runs a conversion; returns `false` for other operations.
#[inline(always)]
pub(super) fn conversions(op: A, p: &Args) -> bool {
    let x = p.x;
    match op {
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
        _ => return false,
    }
    true
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
