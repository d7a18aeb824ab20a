//! The reducer gives the type, or the closure returns the value.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let sum = parallel_reduce("k", space.range(0..4), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new()).unwrap();
    assert_eq!(sum, parallel_map_reduce("k", space.range(0..4), &x, |i, x| x[i], Sum::new()).unwrap());
}
