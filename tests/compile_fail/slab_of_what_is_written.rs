//! A View that a kernel writes has no slabs to read: another iteration may be writing them.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let x = View::<f64, 2>::zeros("x", [4, 3]).unwrap();
    let mut y = View::<f64, 2>::zeros("y", [4, 3]).unwrap();
    parallel_for("k", space.range(0..4), (&x, &mut y), |i, (x, y)| {
        assert_eq!(y.slab(i.get())[0], x.slab(0)[0]);
        assert_eq!(y.subview((i.get(), 1..3))[0], x.subview((0, 1..3))[0]);
    }).unwrap();
}
