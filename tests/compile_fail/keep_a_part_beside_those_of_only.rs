//! The parts that a kernel reads beside those that it writes do not leave the launch.
use spelt::prelude::*;
use std::sync::Mutex;

fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let kept = Mutex::new(None);
    let args = y.by_blocks_mut(2).only(1..2);
    parallel_for("k", space.range(1..2), args, |_, (_, others)| {
        *kept.lock().unwrap() = Some(others);
    })
    .unwrap();
}
