//! The twin that compiles: spaces are sealed.
use spelt::prelude::*;

#[derive(Debug)]
struct Mine;

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let _ = (space, Mine);
}
