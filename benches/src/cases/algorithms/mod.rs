//! `spelt::algorithms` and its alternatives.

mod axis;
mod axis_named;
mod block_sparse;
mod cluster;
mod expand;
mod filter;
mod find;
mod gather;
mod gaussian;
mod histogram;
mod inclusive_scan;
mod log_sum_exp;
mod nearest;
mod offsets;
mod partition;
mod reduce;
mod reduce_by_index;
mod reduce_by_key;
mod run_length;
mod scatter;
mod search;
mod segmented_reduce;
mod segmented_scan;
mod softmax_mean;
mod sort;
mod top_k;
mod unique;

use core::ops::Deref;

use spelt::{Element, View};

use super::{Case, SIZES};

pub(super) const CASES: [Case; 27] = [
    reduce::CASE,
    axis::CASE,
    axis_named::CASE,
    inclusive_scan::CASE,
    segmented_reduce::CASE,
    segmented_scan::CASE,
    offsets::CASE,
    expand::CASE,
    filter::CASE,
    find::CASE,
    partition::CASE,
    unique::CASE,
    run_length::CASE,
    reduce_by_key::CASE,
    gather::CASE,
    scatter::CASE,
    histogram::CASE,
    reduce_by_index::CASE,
    sort::CASE,
    top_k::CASE,
    search::CASE,
    gaussian::CASE,
    block_sparse::CASE,
    nearest::CASE,
    cluster::CASE,
    log_sum_exp::CASE,
    softmax_mean::CASE,
];

/// 64 bits without a pattern that a sort could profit from: the generator SplitMix64 of Steele, Lea and Flood (2014),
/// at its place `i`.
pub(super) fn random(i: usize) -> u64 {
    let mut bits = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A number from 0 up to but not including 1, of 24 bits.
fn fraction(i: usize) -> f32 {
    (random(i) >> 40) as f32 / (1 << 24) as f32
}

/// The numbers below `n` in a random order: the shuffle of Fisher and Yates (1938).
fn permutation(n: usize) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        numbers.swap(i, (random(i) % (i as u64 + 1)) as usize);
    }
    numbers
}

/// Elements without padding, each byte of which carries information.
trait Dense: Element {}
impl Dense for bool {}
impl Dense for u32 {}
impl Dense for usize {}
impl Dense for f32 {}

/// The bytes of `x` as numbers, for the kernel that only reads; without the last few, which do not fill a number.
fn words<T: Dense>(x: &[T]) -> &[i64] {
    // SAFETY: `Dense` types have no padding, and all bits are an `i64`.
    unsafe { x.align_to().1 }
}

/// A contender's result, in memory that it allocated.
enum Found<T: Element> {
    View(View<T, 1>),
    Vec(Vec<T>),
}

impl<T: Element> Deref for Found<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match self {
            Self::View(view) => crate::setup::slice(view),
            Self::Vec(vec) => vec,
        }
    }
}

/// Checks that all elements have the expected values.
fn all_same<T: PartialEq + core::fmt::Debug>(what: &str, got: &[T], want: &[T]) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!("there are {} {what}s, not {}", got.len(), want.len()));
    }
    match got.iter().zip(want).position(|(got, want)| got != want) {
        Some(at) => Err(format!("{what} {at} is {:?}, not {:?}", got[at], want[at])),
        None => Ok(()),
    }
}
