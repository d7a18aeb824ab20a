//! Floats of one key are not joined in the order in which they arrive.
use spelt::containers::UnorderedMap;
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let (keys, values) = (View::from_vec("keys", [1], vec![7_u32]).unwrap(), View::from_vec("values", [1], vec![1.5_f64]).unwrap());
    let mut map = UnorderedMap::with_capacity(&space, "map", 1).unwrap();
    map.extend(&space, &keys, &values, Sum::new()).unwrap();
}
