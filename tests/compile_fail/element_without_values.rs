//! A type without values is not an element, however it is written.
use spelt::prelude::*;

trait Returns {
    type Value;
}

impl<R> Returns for fn() -> R {
    type Value = R;
}

#[derive(Clone, Copy, Element)]
struct Holds(<fn() -> ! as Returns>::Value, u8);

fn main() {}
