//! Fills give every element the value, and touch nothing else.

use core::mem::MaybeUninit;

use proptest::prelude::*;
use spelt_stock::{CopyBox, FillBox};

use crate::machine::{Machine, noise, offsets, strides};

fn check(element: usize, extents: &[usize], pad: usize, shift: usize) {
    let mut machine = Machine::new();
    let order: Vec<usize> = (0..extents.len()).collect();
    let (strides, len) = strides(extents, &order, pad);
    let value = noise(element);
    let mut expected = vec![0xa5; shift + len * element];
    let base = machine.device.upload(&expected);
    for at in offsets(extents, &strides) {
        expected[shift + at * element..][..element].copy_from_slice(&value);
    }
    let bytes: Vec<MaybeUninit<u8>> = value.iter().map(|&byte| MaybeUninit::new(byte)).collect();
    let fill = FillBox { to: base + shift as u64, element: &bytes, extents, strides: &strides };
    if fill.has_kernels() {
        machine.fill(&fill);
    } else {
        let from = machine.device.upload(&value);
        let still = vec![0; extents.len()];
        machine.copy(&CopyBox {
            to: fill.to,
            from,
            element,
            extents,
            to_strides: &strides,
            from_strides: &still,
        });
    }
    let got = machine.device.download::<u8>(base, expected.len());
    let wrong = got.iter().zip(&expected).position(|(got, expected)| got != expected);
    assert_eq!(
        wrong, None,
        "the first wrong byte; elements of {element} bytes, {extents:?}, pad {pad}, shift {shift}"
    );
}

#[test]
fn contiguous_fills_of_any_length() {
    for element in [1, 2, 4, 8, 16] {
        for len in [0, 1, 2, 3, 15, 16, 17, 4095, 4096, 4099] {
            for shift in [0, element] {
                check(element, &[len], 0, shift);
            }
        }
    }
}

#[test]
fn wide_elements_are_copied_from_one() {
    for element in [3, 12, 24, 100] {
        check(element, &[70], 0, 0);
        check(element, &[7, 9], 2, 4);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn boxes_of_any_rank(
        extents in (0_usize..=6).prop_flat_map(|rank| {
            prop::collection::vec(0..=[400_usize, 300, 40, 12, 6, 5, 4][rank], rank)
        }),
        element in prop::sample::select(vec![1_usize, 2, 4, 8, 16, 24]),
        pad in 0_usize..3,
        shift in prop::sample::select(vec![0_usize, 4, 16]),
    ) {
        let shift = shift.next_multiple_of(element & element.wrapping_neg());
        check(element, &extents, pad, shift);
    }
}
