//! The twin that compiles: a View that threads add to at the same time gives no references.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut bins = View::<u64, 1>::zeros("bins", [4]).unwrap();
    parallel_for("scatter", space.range(0..4), bins.scatter(), |i, bins| bins.add(i, 1)).unwrap();
    parallel_for("atomic", space.range(0..4), bins.atomic(), |i, bins| assert_eq!(bins.load(i), 1)).unwrap();
}
