//! The dot product.

use ndarray::ArrayView1;
use rayon::prelude::*;
use spelt::prelude::*;

use super::vectors::Vectors;
use super::{Case, Made, SIZES_TO_MEMORY, floats};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::Setup;

pub(super) const CASE: Case = Case {
    name: "dot",
    hypothesis: "Lanes make a floating sum a vector loop, which a serial accumulator forbids: Kokkos, rayon and plain \
        iterators wait four cycles for each addition. At 1e5 at most a third of their time and within 1.5 of the limit; \
        at 1e3 one thread and no launch; from 320 MB on memory decides, within 10 % of the read kernel.",
    size: "n",
    variants: floats!(SIZES_TO_MEMORY),
};

fn dot<T: Number>(space: &impl ExecutionSpace<Memory = spelt::HostSpace>, data: &Vectors<T>) -> T {
    let range = space.range(0..data.x.len());
    let sum = Sum::<T>::new();
    parallel_reduce("dot", range, (&data.x, &data.w), |i, sum, (x, w)| *sum += x[i] * w[i], sum)
        .expect("the Views cover the range")
}

fn race<T: Number>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<T>::two(setup, n)?;
    let want: f64 = data.x().iter().zip(data.w()).map(|(x, w)| x.wide() * w.wide()).sum();
    let threads = setup.space.clone();
    let work = Work { bytes: 2 * n * size_of::<T>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, got| near("the dot product", *got, want, 2 * n))
        .with("Spelt", move |data| dot(&threads, data))
        .with("Spelt Serial", |data| dot(&Serial, data))
        .with("Spelt Rayon", |data| dot(&Rayon, data))
        .with("plain", |data| data.x().iter().zip(data.w()).map(|(x, w)| *x * *w).sum())
        .with("rayon", |data| data.x().par_iter().zip(data.w()).map(|(x, w)| *x * *w).sum())
        .with("ndarray", |data| ArrayView1::from(data.x()).dot(&ArrayView1::from(data.w())))
        .with_limit(&setup.limit, |limit, data| limit.dot(data.x(), data.w()))
        .with_read(&setup.limit, |limit, data| limit.read(data.x()).most(limit.read(data.w())))
        .with_remote("Kokkos", setup.peer("dot", T::NAME, n));
    Ok(Box::new(lineup))
}
