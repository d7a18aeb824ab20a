//! A map is not searched while it is inserted into.
use spelt::containers::UnorderedMap;
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut map = UnorderedMap::<u32, u32>::with_capacity(&space, "map", 4).unwrap();
    #[allow(unused_variables)]
    let other = UnorderedMap::<u32, u32>::with_capacity(&space, "other", 4).unwrap();
    map.insert(&space, Sum::new(), |inserts| {
        parallel_for("k", space.range(0..4), (&map, inserts), |i, (found, map)| {
            map.insert(i.get() as u32, found.find(0).unwrap_or(1));
        })
    })
    .unwrap();
}
