//! A macro in the place of a type may mean a shared reference for the field, and a mutable one for the accessor.
use spelt::prelude::*;

macro_rules! mutable {
    ($life:lifetime) => {
        &$life mut View<f64, 1>
    };
}

#[derive(KernelArgs)]
struct Fields<'a> {
    y: mutable!('a),
}

pub(crate) fn main() {
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    parallel_for("k", Serial::new().range(0..4), Fields { y: &mut y }, |i, mut f| f.y[i] = 1.0).unwrap();
    assert_eq!(y.to_vec(), [1.0; 4]);
}
