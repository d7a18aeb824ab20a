//! Copies give each element its place, and touch nothing else.

use proptest::prelude::*;
use spelt_stock::CopyBox;

use crate::machine::{Machine, noise, offsets, strides};

/// Copies a box between two orders of its dimensions and compares all memory of the destination with plain loops.
fn check(element: usize, extents: &[usize], to: (&[usize], usize), from: (&[usize], usize), shift: usize) {
    let mut machine = Machine::new();
    let (to_strides, to_len) = strides(extents, to.0, to.1);
    let (from_strides, from_len) = strides(extents, from.0, from.1);
    let source = noise(shift + from_len * element);
    let mut expected = vec![0xa5; shift + to_len * element];
    let (to_base, from_base) = (machine.device.upload(&expected), machine.device.upload(&source));
    for (to, from) in offsets(extents, &to_strides).into_iter().zip(offsets(extents, &from_strides)) {
        let (to, from) = (shift + to * element, shift + from * element);
        expected[to..to + element].copy_from_slice(&source[from..from + element]);
    }
    machine.copy(&CopyBox {
        to: to_base + shift as u64,
        from: from_base + shift as u64,
        element,
        extents,
        to_strides: &to_strides,
        from_strides: &from_strides,
    });
    let got = machine.device.download::<u8>(to_base, expected.len());
    let wrong = got.iter().zip(&expected).position(|(got, expected)| got != expected);
    assert_eq!(
        wrong, None,
        "the first wrong byte; elements of {element} bytes, {extents:?}, {to:?} from {from:?}"
    );
}

#[test]
fn all_orders_of_three_dimensions_and_all_sizes() {
    let orders: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for element in [1, 2, 3, 4, 6, 8, 12, 16, 24, 40] {
        for to in orders {
            for from in orders {
                check(element, &[5, 7, 3], (&to, 1), (&from, 0), 0);
            }
        }
    }
}

#[test]
fn transposes_with_whole_and_cut_tiles() {
    for element in [1, 2, 4, 8, 16] {
        for extents in [[32, 32], [64, 96], [33, 31], [100, 40], [1, 70], [70, 2]] {
            check(element, &extents, (&[0, 1], 0), (&[1, 0], 0), 0);
            check(element, &extents, (&[1, 0], 3), (&[0, 1], 5), 0);
        }
    }
}

#[test]
fn transposes_of_six_dimensions() {
    check(8, &[9, 2, 3, 2, 3, 11], (&[0, 1, 2, 3, 4, 5], 0), (&[5, 4, 3, 2, 1, 0], 0), 0);
    check(4, &[9, 2, 3, 2, 3, 11], (&[5, 4, 3, 2, 1, 0], 1), (&[0, 1, 2, 3, 4, 5], 2), 4);
}

#[test]
fn no_dimension_no_element_and_no_byte() {
    check(8, &[], (&[], 0), (&[], 0), 8);
    check(24, &[1, 1], (&[0, 1], 2), (&[1, 0], 3), 0);
    check(4, &[3, 0, 2], (&[0, 1, 2], 1), (&[2, 1, 0], 0), 0);
    check(0, &[3, 2], (&[0, 1], 0), (&[1, 0], 0), 0);
}

#[test]
fn addresses_decide_how_wide_words_are() {
    for shift in [0, 1, 2, 4, 8] {
        check(8, &[40, 50], (&[0, 1], 2), (&[0, 1], 4), shift);
    }
}

#[test]
fn strides_of_either_side_decide_how_wide_words_are() {
    for element in [1, 2, 4, 8] {
        for (to, from) in [(0, 1), (1, 0), (1, 1), (2, 4), (4, 2)] {
            check(element, &[3, 16], (&[0, 1], to), (&[0, 1], from), 0);
        }
    }
}

/// An order of `rank` dimensions.
fn order(rank: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..rank).collect::<Vec<_>>()).prop_shuffle()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn boxes_of_any_rank_and_strides(
        (extents, to, from) in (0_usize..=6).prop_flat_map(|rank| {
            let most = [400_usize, 300, 40, 12, 6, 5, 4][rank];
            (prop::collection::vec(0..=most, rank), order(rank), order(rank))
        }),
        element in prop::sample::select(vec![1_usize, 2, 4, 5, 8, 12, 16, 32]),
        to_pad in 0_usize..3,
        from_pad in 0_usize..3,
        shift in prop::sample::select(vec![0_usize, 1, 4, 16]),
    ) {
        check(element, &extents, (&to, to_pad), (&from, from_pad), shift);
    }
}
