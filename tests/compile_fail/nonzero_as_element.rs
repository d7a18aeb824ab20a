//! A View holds only types for which zero bytes are valid.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let _ = View::<std::num::NonZeroU32, 1>::zeros("v", [4]);
}
