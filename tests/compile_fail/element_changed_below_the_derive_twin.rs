//! An attribute below the derive may put another type in the place of the one that the derive saw.
use spelt::prelude::*;
use spelt_test_attributes::becomes;

#[derive(Clone, Copy, Element)]
#[becomes(struct OtherType { a: f32 })]
struct OtherType {
    a: u8,
}

#[derive(Clone, Copy, Element)]
#[becomes(#[repr(i8)] enum OtherDiscriminants { A = 1, B = 0 })]
#[repr(i8)]
enum OtherDiscriminants {
    A,
    B,
}

pub(crate) fn main() {
    let v = View::<OtherType, 1>::zeros("v", [4]).unwrap();
    assert_eq!(v[3].a, 0.0);
    let v = View::<OtherDiscriminants, 1>::zeros("v", [4]).unwrap();
    assert!(matches!(v[3], OtherDiscriminants::B));
    _ = OtherDiscriminants::A;
}
