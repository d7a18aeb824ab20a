//! The twin that compiles: a View of rank 0 has no element for each iteration.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let mut total = View::<f64, 0>::zeros("total", []).unwrap();
    parallel_reduce_into("k", space.range(0..4), (), |_, sum, ()| *sum += 1.0, Sum::<f64>::new(), &mut total).unwrap();
}
