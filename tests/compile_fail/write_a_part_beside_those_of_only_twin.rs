//! The twin that compiles: the parts outside the interval of `only` are read.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let args = y.by_blocks_mut(2).only(1..2);
    parallel_for("k", space.range(1..2), args, |b, (mut own, others)| {
        own[b].fill(1.0);
        own[b].copy_from_slice(others.get(0).unwrap());
    })
    .unwrap();
}
