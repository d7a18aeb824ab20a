//! A type without values is not an element, however it is written.
use spelt::prelude::*;

trait Returns {
    type Value;
}

impl<R> Returns for fn() -> R {
    type Value = R;
}

#[derive(Clone, Copy, Element)]
struct Holds(<fn() -> f32 as Returns>::Value, u8);

pub(crate) fn main() {
    let v = View::from_fn("v", [4], |_| Holds(1.5, 2)).unwrap();
    assert_eq!((v[3].0, v[3].1), (1.5, 2));
}
