//! The twin that compiles: a kernel has no slab of a View with an origin that it writes: other iterations may be writing its elements.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 2>::zeros("y", [4, 3]).unwrap().with_origin([-2, 0]).unwrap();
    let x = View::<f64, 2>::zeros("x", [4, 3]).unwrap().with_origin([-2, 0]).unwrap();
    parallel_for("k", space.signed_md_range([-2..2, 0..3]), (&x, &mut y), |ij, (x, mut y)| {
        let [i, j] = ij.get();
        y[ij] = x.slab(-1 - i)[j];
    }).unwrap();
}
