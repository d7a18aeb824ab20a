//! Minimum and maximum with their places.

use rayon::prelude::*;
use spelt::prelude::*;

use super::vectors::Vectors;
use super::{Case, Made, SIZES_TO_MEMORY, floats};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, same};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "minmaxloc",
    hypothesis: "As minloc, two extremes on one load: at 1e5 the mapped form takes at most a sixth of the time of Kokkos and \
        rayon, and at most 1.5 of the limit; from 320 MB on within 10 % of the read kernel.",
    size: "n",
    variants: floats!(SIZES_TO_MEMORY),
};

/// Minimum and maximum, each with its place.
type Ends<T> = [(T, usize); 2];

fn mapped<T: Number>(space: &impl ExecutionSpace<Memory = spelt::HostSpace>, data: &Vectors<T>) -> Ends<T> {
    let range = space.range(0..data.x.len());
    let found = parallel_map_reduce("minmaxloc", range, &data.x, |i, x| x[i], MinMaxLoc::at_index())
        .expect("the View covers the range");
    [(found.min_val, found.min_loc), (found.max_val, found.max_loc)]
}

fn updated<T: Number>(space: &impl ExecutionSpace<Memory = spelt::HostSpace>, data: &Vectors<T>) -> Ends<T> {
    let range = space.range(0..data.x.len());
    let reducer = MinMaxLoc::<T>::new();
    let found =
        parallel_reduce("minmaxloc", range, &data.x, |i, ends, x| ends.update(x[i], i.get()), reducer)
            .expect("the View covers the range");
    [(found.min_val, found.min_loc), (found.max_val, found.max_loc)]
}

/// At ties the first.
pub(super) fn wider<T: Number>(a: Ends<T>, b: Ends<T>) -> Ends<T> {
    [if b[0].0 < a[0].0 { b[0] } else { a[0] }, if b[1].0 > a[1].0 { b[1] } else { a[1] }]
}

fn race<T: Number>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<T>::one(setup, n)?;
    let place =
        |value: T| data.x().iter().position(|x| *x == value).ok_or("there are no extremes of nothing");
    let least = data.x().iter().copied().fold(T::LARGEST, T::least);
    let most = data.x().iter().copied().fold(T::LOWEST, T::most);
    let want = [(least, place(least)?), (most, place(most)?)];
    let (threads, updating) = (setup.space.clone(), setup.space.clone());
    let work = Work { bytes: n * size_of::<T>(), elements: n };
    let none = [(T::LARGEST, usize::MAX), (T::LOWEST, usize::MAX)];
    let lineup = Lineup::new(data, work, move |_, got| same("the extremes and their places", *got, want))
        .with("Spelt", move |data| mapped(&threads, data))
        .with("Spelt update", move |data| updated(&updating, data))
        .with("plain", move |data| {
            data.x().iter().enumerate().fold(none, |ends, (i, x)| wider(ends, [(*x, i); 2]))
        })
        .with("rayon", move |data| {
            data.x().par_iter().enumerate().map(|(i, x)| [(*x, i); 2]).reduce(|| none, wider)
        })
        .with("ndarray", move |data| {
            let x = ndarray::ArrayView1::from(slice(&data.x));
            x.indexed_iter().fold(none, |ends, (i, x)| wider(ends, [(*x, i); 2]))
        })
        .with_limit(&setup.limit, |limit, data| limit.minmaxloc(data.x()))
        .with_read(&setup.limit, |limit, data| [(limit.read(data.x()), 0); 2])
        .with_remote("Kokkos", setup.peer("minmaxloc", T::NAME, n));
    Ok(Box::new(lineup))
}
