//! The twin that compiles: two threads of one iteration do not write through one accessor.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    parallel_for("k", space.range(0..4), &mut y, |i, mut y| {
        let mut halves = [0.0; 2];
        let (a, b) = halves.split_at_mut(1);
        std::thread::scope(|scope| {
            scope.spawn(|| a[0] += 1.0);
            scope.spawn(|| b[0] += 1.0);
        });
        y[i] = halves[0] + halves[1];
    }).unwrap();
}
