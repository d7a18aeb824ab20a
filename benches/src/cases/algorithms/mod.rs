//! What `spelt::algorithms` has, beside what one would take otherwise.

mod axis;
mod filter;
mod gaussian;
mod histogram;
mod inclusive_scan;
mod log_sum_exp;
mod reduce_by_key;
mod segmented_reduce;
mod sort;
mod unique;

use core::ops::Deref;

use spelt::{Element, View};

use super::{Case, SIZES};

pub(super) const CASES: [Case; 10] = [
    axis::CASE,
    inclusive_scan::CASE,
    segmented_reduce::CASE,
    sort::CASE,
    histogram::CASE,
    filter::CASE,
    unique::CASE,
    reduce_by_key::CASE,
    gaussian::CASE,
    log_sum_exp::CASE,
];

/// 64 bits without a pattern that a sort could profit from: the generator SplitMix64 of Steele, Lea and Flood (2014),
/// at its place `i`.
fn random(i: usize) -> u64 {
    let mut bits = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A number from 0 up to but not including 1, of 24 bits.
fn fraction(i: usize) -> f32 {
    (random(i) >> 40) as f32 / (1 << 24) as f32
}

/// Elements of which every byte says something.
trait Dense: Element {}
impl Dense for bool {}
impl Dense for u32 {}
impl Dense for usize {}
impl Dense for f32 {}

/// The bytes of `x` as numbers, for the kernel that only reads; without the last few that fill none.
fn words<T: Dense>(x: &[T]) -> &[i64] {
    // SAFETY: `Dense` types have no padding, and all bits are an `i64`.
    unsafe { x.align_to().1 }
}

/// What a contender found, in memory that it took for that.
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

/// Whether all elements are what they should be.
fn all_same<T: PartialEq + core::fmt::Debug>(what: &str, got: &[T], want: &[T]) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!("there are {} {what}s, not {}", got.len(), want.len()));
    }
    match got.iter().zip(want).position(|(got, want)| got != want) {
        Some(at) => Err(format!("{what} {at} is {:?}, not {:?}", got[at], want[at])),
        None => Ok(()),
    }
}
