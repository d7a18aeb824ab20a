//! The fields of a struct do not borrow one View twice, as those of a tuple do not.
use spelt::prelude::*;

#[derive(KernelArgs)]
struct Fields<'a> {
    x: &'a View<f64, 1>,
    y: &'a mut View<f64, 1>,
}

pub(crate) fn main() {
    let (x, mut y) = (View::<f64, 1>::zeros("x", [4]).unwrap(), View::<f64, 1>::zeros("y", [4]).unwrap());
    let space = Serial::new();
    parallel_for("k", space.range(0..4), Fields { x: &x, y: &mut y }, |i, mut f| f.y[i] = f.x[0]).unwrap();
    parallel_for("k", space.range(0..4), [&x, &x], |i, [a, b]| assert_eq!(a[i], b[i])).unwrap();
    parallel_for("k", space.range(0..4), ((&x,), (&mut y,)), |i, ((x,), (mut y,))| y[i] = x[0]).unwrap();
}
