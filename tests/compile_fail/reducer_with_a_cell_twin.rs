//! The twin that compiles: a reducer is used by several threads at once.
use spelt::prelude::*;

struct Tally(#[allow(dead_code)] u32);

impl spelt::reducers::Reducer for Tally {
    type Value = u32;
    type Output = u32;
    fn init(&self) -> u32 {
        0
    }
    fn join(&self, into: &mut u32, from: &u32) {
        *into += from;
    }
    fn finish(&self, value: u32) -> u32 {
        value
    }
}

pub(crate) fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let tally = Tally(0);
    parallel_reduce("k", space.range(0..4), (), |_, n, ()| *n += 1, tally).unwrap();
}
