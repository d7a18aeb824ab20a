//! Arithmetic on rows: one operation for all lanes of a warp at once.

mod bits;
mod compare;
mod float;
mod integer;
mod lanes;
mod moves;

pub(crate) use lanes::{Args, Row, ZERO_ROW};

use crate::ir::{A, CT, Cmp};

/// Runs one operation.
#[inline(always)]
fn run(op: A, p: &Args) {
    // Each is a match over one family, and the compiler merges them into one match.
    let done = moves::moves(op, p)
        || integer::sums(op, p)
        || integer::products(op, p)
        || integer::quotients(op, p)
        || bits::logic(op, p)
        || bits::fields(op, p)
        || float::float(op, p)
        || float::conversions(op, p);
    if !done {
        unreachable!("{op:?} is in no family");
    }
}

/// An operation on all lanes. The machine must have the instructions that the version uses.
pub(crate) type AluFn = unsafe fn(A, &Args);
/// A comparison of all lanes, under the same condition.
pub(crate) type CmpFn = unsafe fn(CT, Cmp, bool, &Row, &Row) -> u32;

fn alu_base(op: A, p: &Args) {
    run(op, p);
}

fn cmp_base(ct: CT, cmp: Cmp, ftz: bool, a: &Row, b: &Row) -> u32 {
    compare::compare(ct, cmp, ftz, a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn alu_avx2(op: A, p: &Args) {
    run(op, p);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn cmp_avx2(ct: CT, cmp: Cmp, ftz: bool, a: &Row, b: &Row) -> u32 {
    compare::compare(ct, cmp, ftz, a, b)
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
