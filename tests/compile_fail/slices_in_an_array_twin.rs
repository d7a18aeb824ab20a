//! The twin that compiles: Views of slices in an array of arguments.
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let (u, v) = ([1.0; 4], [2.0; 4]);
    let (u, v) = (ViewRef::from(&u[..]), ViewRef::from(&v[..]));
    parallel_for("k", space.range(0..4), ([&u, &v], &mut y), |_, (_, _)| ()).unwrap();
}
