//! A slab of what a kernel reads does not leave its iteration.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let x = View::<f64, 2>::zeros("x", [4, 3]).unwrap();
    let kept = std::sync::Mutex::new(Vec::new());
    parallel_for("k", space.range(0..4), x.lookup(), |i, x| kept.lock().unwrap().push(x.slab(i.get()))).unwrap();
    let kept = std::sync::Mutex::new(Vec::new());
    parallel_for("k", space.range(0..4), &x, |i, x| kept.lock().unwrap().push(x.subview((i.get(), 1..3)))).unwrap();
}
