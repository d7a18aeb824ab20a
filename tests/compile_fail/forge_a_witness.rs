//! Only a launch makes witnesses.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let i = spelt::Idx::<1>::new([0]);
    let _ = i.get();
    let j = spelt::SignedIdx::<1>::new([0]);
    let _ = j.get();
}
