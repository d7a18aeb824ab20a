//! Custom reducers: values of all sizes, and joins whose order shows.

use spelt_core::reducers::Reducer;
use spelt_core::{ExecutionSpace, Part, parallel_reduce};

use crate::{device, host, sizes};

/// A checksum in `B` bytes that depends on the order and the grouping of all joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tree<const B: usize> {
    bytes: [u8; B],
}

/// The reducer of [`Tree`]: no identity is joined where none has to be, and the two sides count differently.
#[derive(Clone, Copy)]
struct Joins<const B: usize, const COMMUTATIVE: bool>;

fn mix(a: u8, b: u8, place: usize) -> u8 {
    a.wrapping_mul(31).rotate_left(3) ^ b.wrapping_mul(17).wrapping_add(place as u8)
}

impl<const B: usize, const COMMUTATIVE: bool> Reducer for Joins<B, COMMUTATIVE> {
    type Value = Tree<B>;
    type Output = Tree<B>;
    const COMMUTATIVE: bool = COMMUTATIVE;
    fn init(&self) -> Tree<B> {
        Tree { bytes: [1; B] }
    }
    fn join(&self, into: &mut Tree<B>, from: &Tree<B>) {
        for (place, (into, from)) in into.bytes.iter_mut().zip(&from.bytes).enumerate() {
            *into = mix(*into, *from, place);
        }
    }
    fn finish(&self, value: Tree<B>) -> Tree<B> {
        value
    }
}

fn tree<const B: usize, const COMMUTATIVE: bool, S: ExecutionSpace>(space: &S, n: usize) -> Tree<B> {
    parallel_reduce(
        "tree",
        space.range(0..n),
        (),
        |i, value: &mut Tree<B>, ()| {
            let place = i.get() % B;
            value.bytes[place] = mix(value.bytes[place], i.get() as u8, i.get() >> 8);
        },
        Joins::<B, COMMUTATIVE>,
    )
    .unwrap()
}

/// [`tree`] in parts, each of which continues the tile in which the one before it ends.
fn tree_in_parts<const B: usize, const COMMUTATIVE: bool>(
    space: &impl ExecutionSpace,
    n: usize,
    cuts: &[usize],
) -> Tree<B> {
    let mut part = Part::new(n, Joins::<B, COMMUTATIVE>);
    for end in cuts.iter().copied().chain([n]) {
        let begin = part.range().end;
        part.reduce("tree", space.range(begin..end.clamp(begin, n)), (), |i, value: &mut Tree<B>, ()| {
            let place = i.get() % B;
            value.bytes[place] = mix(value.bytes[place], i.get() as u8, i.get() >> 8);
        })
        .unwrap();
    }
    part.finish().unwrap()
}

fn same_in_parts<const B: usize>(lanes: usize) {
    let Some(space) = device() else { return };
    let tile = 64 * lanes;
    for n in [33, tile - 1, tile, 3 * tile + 7, 11 * tile + 5] {
        let commuting = tree::<B, true, _>(&host(), n);
        let in_order = tree::<B, false, _>(&host(), n);
        for cuts in [
            &[1, 2, 3, 40][..],
            &[tile - 1, tile, tile + 1],
            &[tile + lanes / 2 + 1, 2 * tile - 1, 9 * tile + 3],
            &[n / 3, n / 3, n / 3 + 1, n - 1],
        ] {
            let what = format!("{n} iterations, {B} bytes, cut at {cuts:?}");
            assert_eq!(tree_in_parts::<B, true>(&space, n, cuts), commuting, "{what}");
            assert_eq!(tree_in_parts::<B, false>(&space, n, cuts), in_order, "{what}, in order");
        }
    }
}

#[test]
fn parts_have_the_bits_of_the_whole() {
    same_in_parts::<7>(32);
    same_in_parts::<33>(8);
    same_in_parts::<600>(1);
}

fn same<const B: usize>(lanes: usize) {
    let Some(space) = device() else { return };
    for n in sizes(lanes) {
        assert_eq!(
            tree::<B, true, _>(&space, n),
            tree::<B, true, _>(&host(), n),
            "{n} iterations, {B} bytes"
        );
        assert_eq!(
            tree::<B, false, _>(&space, n),
            tree::<B, false, _>(&host(), n),
            "{n} iterations in order, {B} bytes"
        );
    }
}

#[test]
fn values_of_1_byte() {
    same::<1>(32);
}
#[test]
fn values_of_7_bytes() {
    same::<7>(32);
}
#[test]
fn values_of_16_bytes() {
    same::<16>(32);
}
#[test]
fn values_of_17_bytes() {
    same::<17>(16);
}
#[test]
fn values_of_64_bytes() {
    same::<64>(8);
}
#[test]
fn values_of_100_bytes() {
    same::<100>(4);
}
#[test]
fn values_of_300_bytes() {
    same::<300>(2);
}
#[test]
fn values_of_600_bytes() {
    same::<600>(1);
}

/// A value with padding and a large alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
struct Aligned {
    small: u8,
    large: u64,
}

#[derive(Clone, Copy)]
struct Strings;
impl Reducer for Strings {
    type Value = Aligned;
    type Output = Aligned;
    const COMMUTATIVE: bool = false;
    fn init(&self) -> Aligned {
        Aligned { small: 0, large: 0 }
    }
    fn join(&self, into: &mut Aligned, from: &Aligned) {
        into.small = into.small.wrapping_add(from.small);
        into.large = into.large.wrapping_mul(POWERS[usize::from(from.small % 8)]).wrapping_add(from.large);
    }
    fn finish(&self, value: Aligned) -> Aligned {
        value
    }
}

const POWERS: [u64; 8] = [1, 3, 9, 27, 81, 243, 729, 2187];

#[test]
fn aligned_values_in_index_order() {
    fn string<S: ExecutionSpace>(space: &S, n: usize) -> Aligned {
        parallel_reduce(
            "string",
            space.range(0..n),
            (),
            |i, value: &mut Aligned, ()| {
                value.small = value.small.wrapping_add(1);
                value.large = value.large.wrapping_mul(3).wrapping_add(i.get() as u64 % 3);
            },
            Strings,
        )
        .unwrap()
    }
    let Some(space) = device() else { return };
    for n in sizes(8) {
        assert_eq!(string(&space, n), string(&host(), n), "{n} iterations");
    }
}
