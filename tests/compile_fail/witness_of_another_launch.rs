//! A witness of a nested launch is none of the outer one.
use spelt::prelude::*;
#[allow(unused_imports)]
use std::sync::Mutex;

fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    parallel_for("k", space.range(0..4), &mut y, |_, y| {
        let y = Mutex::new(y);
        parallel_for("inner", space.range(0..4), (), |j, ()| y.lock().unwrap()[j] = 1.0).unwrap();
    }).unwrap();
}
