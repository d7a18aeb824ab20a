//! The twin that compiles: a copy of the numbers leaves the launch.
use spelt::prelude::*;
use std::sync::Mutex;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let kept = Mutex::new(None);
    let args = y.by_blocks_mut(2).only(1..2);
    parallel_for("k", space.range(1..2), args, |_, (_, others)| {
        *kept.lock().unwrap() = others.get(0).map(<[f64]>::to_vec);
    })
    .unwrap();
    assert_eq!(kept.into_inner().unwrap(), Some(vec![0.0, 0.0]));
}
