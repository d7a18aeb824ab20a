//! A closure that adds to the value needs the value's type; two errors say so, both at the value.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let _ = parallel_reduce("k", space.range(0..4), &x, |i, sum, x| *sum += x[i], Sum::new()).unwrap();
}
