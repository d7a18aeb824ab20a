//! An attribute below the derive may put another type in the place of the one that the derive saw.
use spelt::prelude::*;
use spelt_test_attributes::becomes;

#[derive(Clone, Copy, Element)]
#[becomes(#[repr(i8)] enum Around { A = 1, B, C = -1, D })]
#[repr(i8)]
enum Around {
    A,
    B,
    C,
    D,
}

pub(crate) fn main() {
    let v = View::<Around, 1>::zeros("v", [4]).unwrap();
    assert!(matches!(v[3], Around::D));
    _ = [Around::A, Around::B, Around::C];
}
