//! A View that threads add to at the same time gives no references.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut bins = View::<u64, 1>::zeros("bins", [4]).unwrap();
    parallel_for("scatter", space.range(0..4), bins.scatter(), |i, mut bins| {
        let bin: &mut u64 = &mut bins[i];
        *bin += 1;
    })
    .unwrap();
    parallel_for("atomic", space.range(0..4), bins.atomic(), |i, bins| {
        let bin: &u64 = &bins[i];
        assert_eq!(*bin, 1);
    })
    .unwrap();
}
