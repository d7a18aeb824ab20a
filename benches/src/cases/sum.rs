//! The sum.

use ndarray::ArrayView1;
use rayon::prelude::*;
use spelt::prelude::*;

use super::vectors::Vectors;
use super::{Case, Made, SIZES_TO_MEMORY, floats};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::Setup;

pub(super) const CASE: Case = Case {
    name: "sum",
    hypothesis: "As dot, with half the bytes: at 1e5 at most a third of the time of Kokkos and rayon, whose additions \
        wait for one another, and within 1.5 of the limit; from 320 MB on within 10 % of the read kernel.",
    size: "n",
    variants: floats!(SIZES_TO_MEMORY),
};

fn sum<T: Number>(space: &impl ExecutionSpace<Memory = spelt::HostSpace>, data: &Vectors<T>) -> T {
    let range = space.range(0..data.x.len());
    parallel_reduce("sum", range, &data.x, |i, sum, x| *sum += x[i], Sum::<T>::new())
        .expect("the View covers the range")
}

fn race<T: Number>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<T>::one(setup, n)?;
    let want: f64 = data.x().iter().map(|x| x.wide()).sum();
    let threads = setup.space.clone();
    let work = Work { bytes: n * size_of::<T>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, got| near("the sum", *got, want, n))
        .with("Spelt", move |data| sum(&threads, data))
        .with("plain", |data| data.x().iter().copied().sum())
        .with("rayon", |data| data.x().par_iter().copied().sum())
        .with("ndarray", |data| ArrayView1::from(data.x()).sum())
        .with_limit(&setup.limit, |limit, data| limit.sum(data.x()))
        .with_read(&setup.limit, |limit, data| limit.read(data.x()))
        .with_remote("Kokkos", setup.peer("sum", T::NAME, n));
    Ok(Box::new(lineup))
}
