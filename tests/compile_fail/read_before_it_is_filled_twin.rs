//! The twin that compiles: a View that has not been written is read after the launch that fills it.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let y = space.uninit::<f64, 1>("y", [4]).unwrap();
    let y = parallel_fill("fill", space.range(0..4), y, (), |i, ()| i.get() as f64).unwrap();
    let first = y[0];
    let sum = parallel_map_reduce("sum", space.range(0..4), &y, |i, y| y[i], Sum::<f64>::new()).unwrap();
    assert_eq!((first, sum), (0.0, 6.0));
}
