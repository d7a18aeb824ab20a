//! A segment does not leave its iteration.
use spelt::prelude::*;
use spelt::Offsets;

fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4]).unwrap()).unwrap();
    let kept = std::sync::Mutex::new(Vec::new());
    let args = y.by_segments_mut(&offsets);
    parallel_for("k", space.range(0..2), args, |s, mut y| kept.lock().unwrap().push(&mut y[s])).unwrap();
}
