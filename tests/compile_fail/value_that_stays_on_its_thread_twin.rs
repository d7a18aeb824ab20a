//! The twin that compiles: running values go from thread to thread.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let lists = custom(vec![0], |_: &mut Vec<i32>, _: &Vec<i32>| ());
    parallel_reduce("k", space.range(0..4), (), |_, _, ()| (), InOrder::new(lists)).unwrap();
}
