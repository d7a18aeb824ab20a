//! Logic, shifts and fields of bits.

use super::lanes::{Args, bi, each, tri, un};
use crate::ir::A;
use crate::num;

/// Runs a logic operation or a shift; returns `false` for other operations.
#[inline(always)]
pub(super) fn logic(op: A, p: &Args) -> bool {
    let x = p.x;
    match op {
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
        A::Lop3 => tri(p, |a, b, c| num::lop3(x, a, b, c)),
        _ => return false,
    }
    true
}

/// Runs an operation on fields of bits, or counts bits; returns `false` for other operations.
#[inline(always)]
pub(super) fn fields(op: A, p: &Args) -> bool {
    let x = p.x;
    match op {
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
        _ => return false,
    }
    true
}
