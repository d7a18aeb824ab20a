//! The twin that compiles: the names of two maps that are inserted into change places.
use spelt::containers::UnorderedMap;
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut a = UnorderedMap::<u32, u32>::with_capacity(&space, "a", 4).unwrap();
    let mut b = UnorderedMap::<u32, u32>::with_capacity(&space, "b", 40).unwrap();
    a.insert(&space, Sum::new(), |a| {
        b.insert(&space, Sum::new(), |b| {
            let (a, b) = (b, a);
            parallel_for("k", space.range(0..4), (a, b), |i, (a, b)| {
                a.insert(i.get() as u32, 1);
                b.insert(i.get() as u32, 2);
            })
        })
    })
    .unwrap();
}
