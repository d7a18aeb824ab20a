//! The parts outside the interval of `only` are read, not written.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let args = y.by_blocks_mut(2).only(1..2);
    parallel_for("k", space.range(1..2), args, |b, (mut own, others)| {
        own[b].fill(1.0);
        others.get(0).unwrap().fill(2.0);
    })
    .unwrap();
}
