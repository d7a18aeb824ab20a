//! Generic code cannot read or write elements on the host; the message says how it gets them there.
use spelt::prelude::*;

fn first<S: ExecutionSpace>(space: &S) -> f64 {
    let mut x = space.zeros::<f64, 1>("x", [4]).unwrap();
    x[1] = 2.0;
    x[0]
}

fn main() {
    first(&Serial::new());
}
