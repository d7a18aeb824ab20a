//! The twin that compiles: a boxed closure that owns an accessor does not leave its iteration.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    parallel_for("k", space.range(0..4), &mut y, |i, mut y| {
        let mut write: Box<dyn FnMut() + '_> = Box::new(move || y[i] = 1.0);
        write();
    }).unwrap();
}
