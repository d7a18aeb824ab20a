//! The twin that compiles: one side of a mirrored View is borrowed at a time.
use spelt::containers::Mirrored;
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut x = Mirrored::<f64, 1>::zeros(&space, "x", [3]).unwrap();
    x.device_mut().unwrap().fill(1.0);
    let host = x.host().unwrap();
    println!("{}", host[0]);
}
