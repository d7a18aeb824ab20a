//! The twin that compiles: a map is lent for insertions only while the closure runs.
use spelt::containers::UnorderedMap;
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut map = UnorderedMap::<u32, u32>::with_capacity(&space, "map", 4).unwrap();
    #[allow(unused_mut, unused_variables)]
    let mut kept = None;
    map.insert(&space, Sum::new(), |inserts| {
        kept = Some(format!("{inserts:?}"));
        Ok(())
    })
    .unwrap();
    drop(kept);
}
