//! Scans of so many shares of blocks that several levels of values are published: see `kernels-gpu/src/scan/earlier.rs`.

use spelt_core::reducers::{Elementwise, Reducer, Sum};
use spelt_core::{ExecutionSpace, parallel_scan};
use spelt_kernels_gpu::scan::ScanShape;

use super::{Left, bits, counts, sums_of_f32, sums_of_f64, sums_of_i64, sums_of_u8};
use crate::{device, elements, host};

/// One off these numbers of shares.
fn around_shares<R: Reducer>(shares: &[usize]) -> Vec<usize> {
    let share = ScanShape::<R>::SHARE;
    shares.iter().flat_map(|shares| [shares * share - 1, shares * share, shares * share + 1]).collect()
}

#[test]
fn thirty_two_shares_are_published_together() {
    same!(sums_of_i64, around_shares::<Sum<i64>>(&[32]));
    same!(sums_of_u8, [65 * ScanShape::<Sum<u8>>::SHARE + 1]);
    same!(sums_of_f64, around_shares::<Sum<f64>>(&[32]));
    same!(sums_of_f32, [65 * ScanShape::<Sum<f32>>::SHARE + 1]);
    // Blocks of one warp, which fetches everything.
    same!(counts::<_, 150>, around_shares::<Elementwise<Sum<u32>, 150>>(&[32, 65]));
}

/// Of the values whose contributions a block keeps, those with the smallest shares; joins depend on order and grouping.
struct Ends;

impl Reducer for Ends {
    type Value = [u32; 25];
    type Output = [u32; 25];
    fn init(&self) -> [u32; 25] {
        [1; 25]
    }
    fn join(&self, into: &mut [u32; 25], from: &[u32; 25]) {
        into[0] = into[0].wrapping_mul(31).rotate_left(3) ^ from[24].wrapping_mul(17);
        into[24] = into[24].rotate_left(5).wrapping_mul(13) ^ from[0];
    }
    fn finish(&self, value: [u32; 25]) -> [u32; 25] {
        value
    }
}

fn ends<S: ExecutionSpace>(space: &S, n: usize) -> Left<u32, [u32; 25]> {
    let mut y = space.view_from_fn("y", [n], |_| 0_u32).unwrap();
    let total = parallel_scan(
        "ends",
        space.range(0..n),
        (&mut y,),
        |i, value: &mut [u32; 25], last, (mut y,)| {
            value[0] = value[0].wrapping_mul(31) ^ i.get() as u32;
            if last {
                y[i] = value[0] ^ value[24];
            }
        },
        Ends,
    )
    .unwrap();
    (elements(&y.to_host().unwrap()), total)
}

/// Exact, and in one order alone: maps `x -> a x + b` of integers, one after the other.
struct Maps;

impl Reducer for Maps {
    type Value = (u64, u64);
    type Output = (u64, u64);
    const COMMUTATIVE: bool = false;
    const EXACT: bool = true;
    fn init(&self) -> (u64, u64) {
        (1, 0)
    }
    fn join(&self, into: &mut (u64, u64), from: &(u64, u64)) {
        *into = (into.0.wrapping_mul(from.0), into.1.wrapping_mul(from.0).wrapping_add(from.1));
    }
    fn finish(&self, value: (u64, u64)) -> (u64, u64) {
        value
    }
}

fn maps<S: ExecutionSpace>(space: &S, n: usize) -> Left<u64, (u64, u64)> {
    let mut y = space.view_from_fn("y", [n], |_| 0_u64).unwrap();
    let total = parallel_scan(
        "maps",
        space.range(0..n),
        (&mut y,),
        |i, map, last, (mut y,)| {
            Maps.join(map, &(2 * i.get() as u64 + 1, i.get() as u64));
            if last {
                y[i] = map.0 ^ map.1;
            }
        },
        Maps,
    )
    .unwrap();
    (elements(&y.to_host().unwrap()), total)
}

#[test]
fn orders_of_many_shares_are_those_of_the_host() {
    same!(ends, around_shares::<Ends>(&[1, 2, 31, 32, 33]));
    same!(maps, around_shares::<Maps>(&[1, 31, 33]));
}

/// Three levels of published values, the middle ones of some shares none.
#[test]
fn a_thousand_shares_are_published_together() {
    same!(ends, [1061 * ScanShape::<Ends>::SHARE + 1]);
}

/// Values that begin as one of these are always one: a number and its complement. Nothing else may join.
struct Complements;

impl Reducer for Complements {
    type Value = [u32; 2];
    type Output = [u32; 2];
    const EXACT: bool = true;
    fn init(&self) -> [u32; 2] {
        [0, !0]
    }
    fn join(&self, into: &mut [u32; 2], from: &[u32; 2]) {
        assert!(into[0] == !into[1] && from[0] == !from[1], "a value that was never made");
        into[0] = into[0].wrapping_add(from[0]);
        into[1] = !into[0];
    }
    fn finish(&self, value: [u32; 2]) -> [u32; 2] {
        value
    }
}

fn complements<S: ExecutionSpace>(space: &S, n: usize) -> Left<u32, [u32; 2]> {
    let mut y = space.view_from_fn("y", [n], |_| 0_u32).unwrap();
    let total = parallel_scan(
        "complements",
        space.range(0..n),
        (&mut y,),
        |i, value, last, (mut y,)| {
            Complements.join(value, &[i.get() as u32, !(i.get() as u32)]);
            if last {
                y[i] = value[0];
            }
        },
        Complements,
    )
    .unwrap();
    (elements(&y.to_host().unwrap()), total)
}

#[test]
fn only_values_that_exist_join() {
    same!(complements, [3, 39].map(|shares| shares * ScanShape::<Complements>::SHARE + 1));
}
