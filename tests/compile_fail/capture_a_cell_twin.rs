//! The twin that compiles: a kernel runs on several threads at once.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let cell = std::sync::atomic::AtomicU32::new(0);
    parallel_for("k", space.range(0..4), (), |_, ()| { cell.fetch_add(1, std::sync::atomic::Ordering::Relaxed); }).unwrap();
}
