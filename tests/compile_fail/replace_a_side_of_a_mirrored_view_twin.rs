//! The twin that compiles: a side of a mirrored View is not replaced by a View of other extents.
use spelt::containers::Mirrored;
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut x = Mirrored::<f64, 1>::zeros(&space, "x", [3]).unwrap();
    let other = View::<f64, 1>::zeros("other", [3]).unwrap();
    deep_copy(&mut x.host_mut().unwrap(), &other).unwrap();
}
