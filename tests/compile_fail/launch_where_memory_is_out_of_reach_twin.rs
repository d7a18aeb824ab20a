//! The twin that compiles: a launch asks whether its space reaches its arguments, on every path by which it is started.
use spelt::prelude::*;
use spelt::{ExecutionSpace, ForPolicy, MemorySpace, Reach};

fn by_the_policy<S: ExecutionSpace + Reach<M>, M: MemorySpace>(space: &S, mut x: View<f64, 1, M>) {
    space.range(0..4).launch("k", &mut x, |i, mut x| x[i] = 1.0).unwrap();
    space.team(4, AUTO).launch("k", &mut x, |team, mut x| team.single(|i| x[i] = 1.0)).unwrap();
}

pub(crate) fn main() {
    by_the_policy(&Serial::new(), View::<f64, 1>::zeros("x", [4]).unwrap());
}
