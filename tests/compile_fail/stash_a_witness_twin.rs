//! The twin that compiles: a witness does not leave its iteration.
use spelt::prelude::*;
use std::sync::Mutex;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let stash = Mutex::new(None);
    parallel_for("k", space.range(0..4), (), |i, ()| *stash.lock().unwrap() = Some(i.get())).unwrap();
}
