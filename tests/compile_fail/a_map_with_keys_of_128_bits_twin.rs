//! The twin that compiles: keys are integers of up to 64 bits.
use spelt::containers::UnorderedMap;
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let map = UnorderedMap::<u64, u32>::with_capacity(&space, "map", 1).unwrap();
    assert!(map.is_empty());
}
