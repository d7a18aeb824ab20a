//! The twin that compiles: a nested launch writes through no accessor of the outer one, not even behind a lock by its own witness.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    parallel_for("captured", space.range(0..4), &mut y, |i, mut y| {
        parallel_for("inner", space.range(0..4), (), |_, ()| ()).unwrap();
        y[i] = 1.0;
    })
    .unwrap();
    parallel_for("locked", space.range(0..4), &mut y, |i, y| {
        let y = std::sync::Mutex::new(y);
        parallel_for("inner", space.range(0..4), (), |_, ()| y.lock().unwrap()[i] = 1.0).unwrap();
    })
    .unwrap();
}
