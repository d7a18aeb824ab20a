//! A View that has not been written cannot be read, nor given to another launch, and is gone after the one that fills it.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let y = space.uninit::<f64, 1>("y", [4]).unwrap();
    let first = y[0];
    let sum = parallel_map_reduce("sum", space.range(0..4), &y, |i, y| y[i], Sum::<f64>::new()).unwrap();
    let filled = parallel_fill("fill", space.range(0..4), y, (), |i, ()| i.get() as f64).unwrap();
    let again = parallel_fill("again", space.range(0..4), y, (), |i, ()| i.get() as f64).unwrap();
}
