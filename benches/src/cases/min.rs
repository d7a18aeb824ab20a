//! The minimum.

use ndarray::ArrayView1;
use rayon::prelude::*;
use spelt::prelude::*;

use super::vectors::Vectors;
use super::{Case, Made, SIZES_TO_MEMORY, floats};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, same};
use crate::setup::Setup;

pub(super) const CASE: Case = Case {
    name: "min",
    hypothesis: "A comparison and a select become one vector minimum in each lane: at 1e5 at most a third of the time \
        of Kokkos and rayon, whose minima form one chain, and within 1.5 of the limit; from 320 MB on within 10 % of \
        the read kernel.",
    size: "n",
    variants: floats!(SIZES_TO_MEMORY),
};

fn min<T: Number>(space: &impl ExecutionSpace<Memory = spelt::HostSpace>, data: &Vectors<T>) -> T {
    let range = space.range(0..data.x.len());
    let least = Min::<T>::new();
    parallel_reduce(
        "min",
        range,
        &data.x,
        |i, least, x| {
            if x[i] < *least {
                *least = x[i]
            }
        },
        least,
    )
    .expect("the View covers the range")
}

fn race<T: Number>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<T>::one(setup, n)?;
    let want = data.x().iter().copied().fold(T::LARGEST, T::least);
    let threads = setup.space.clone();
    let work = Work { bytes: n * size_of::<T>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, got| same("the minimum", *got, want))
        .with("Spelt", move |data| min(&threads, data))
        .with("plain", |data| data.x().iter().copied().fold(T::LARGEST, T::least))
        .with("rayon", |data| data.x().par_iter().copied().reduce(|| T::LARGEST, T::least))
        .with("ndarray", |data| ArrayView1::from(data.x()).fold(T::LARGEST, |least, x| least.least(*x)))
        .with_limit(&setup.limit, |limit, data| limit.min(data.x()))
        .with_read(&setup.limit, |limit, data| limit.read(data.x()))
        .with_remote("Kokkos", setup.peer("min", T::NAME, n));
    Ok(Box::new(lineup))
}
