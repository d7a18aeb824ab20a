//! The same in a nested tuple, and a number that is the only argument.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<u8, 1>::zeros("y", [4]).unwrap();
    let args = (&mut y, (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), (13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24));
    parallel_for("k", space.range(0..4), args, |i, (mut y, a, b)| y[i] = a.11 + b.11).unwrap();
    assert_eq!(y.to_vec(), [36; 4]);
    let total = parallel_map_reduce("k", space.range(0..4), 2.5, |_, x| x, Sum::<f64>::new()).unwrap();
    assert_eq!(total, 10.0);
}
