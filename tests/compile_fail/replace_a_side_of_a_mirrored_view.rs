//! A side of a mirrored View is not replaced by a View of other extents.
use spelt::containers::Mirrored;
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut x = Mirrored::<f64, 1>::zeros(&space, "x", [3]).unwrap();
    let other = View::<f64, 1>::zeros("other", [5]).unwrap();
    std::mem::swap::<View<f64, 1>>(&mut x.host_mut().unwrap(), &mut { other });
}
