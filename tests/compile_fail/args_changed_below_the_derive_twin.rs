//! An attribute below the derive may put another type in the place of the one that the derive saw.
use spelt::prelude::*;
use spelt_test_attributes::becomes;

#[derive(KernelArgs)]
#[becomes(struct SameType<'a> { y: &'a mut View<f64, 1> })]
struct SameType<'a> {
    y: &'a mut View<f64, 1>,
}

pub(crate) fn main() {
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    parallel_for("k", Serial::new().range(0..4), SameType { y: &mut y }, |i, mut f| f.y[i] = 1.0).unwrap();
    assert_eq!(y.to_vec(), [1.0; 4]);
}
