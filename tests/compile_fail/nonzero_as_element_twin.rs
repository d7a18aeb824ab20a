//! The twin that compiles: a View holds types for which zero bytes are valid.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let _ = View::<u32, 1>::zeros("v", [4]);
}
