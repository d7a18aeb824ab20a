//! The twin that compiles: an accessor does not leave its iteration.
use spelt::prelude::*;
use std::sync::Mutex;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let stash = Mutex::new(Vec::new());
    parallel_for("k", space.range(0..4), &mut y, |i, y| stash.lock().unwrap().push(y[i])).unwrap();
}
