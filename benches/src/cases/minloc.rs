//! The minimum with its place.

use rayon::prelude::*;
use spelt::prelude::*;

use super::vectors::Vectors;
use super::{Case, Made, SIZES, floats};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, same};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "minloc",
    hypothesis: "Value and place are selected by the same mask, lane by lane: two selects an element where the others \
        have a branch or a chain. At 1e5 at most a third of the time of Kokkos and rayon; the limit does without \
        places inside blocks, so 1.5 of it is hard, and in f32 harder, because places are 64 bits wide.",
    size: "n",
    variants: floats!(SIZES),
};

fn minloc<T: Number>(
    space: &impl ExecutionSpace<Memory = spelt::HostSpace>,
    data: &Vectors<T>,
) -> (T, usize) {
    let range = space.range(0..data.x.len());
    let reducer = MinLoc::<T>::new();
    let found = parallel_reduce("minloc", range, &data.x, |i, least, x| least.update(x[i], i.get()), reducer)
        .expect("the View covers the range");
    (found.val, found.loc)
}

/// The smaller one, at ties the first.
fn smaller<T: Number>(a: (T, usize), b: (T, usize)) -> (T, usize) {
    if b.0 < a.0 { b } else { a }
}

fn race<T: Number>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<T>::one(setup, n)?;
    let least = data.x().iter().copied().fold(T::LARGEST, T::least);
    let want = (least, data.x().iter().position(|x| *x == least).ok_or("there is no minimum of nothing")?);
    let threads = setup.space.clone();
    let work = Work { bytes: n * size_of::<T>(), elements: n };
    let none = (T::LARGEST, usize::MAX);
    let lineup = Lineup::new(data, work, move |_, got| same("the minimum and its place", *got, want))
        .with("Spelt", move |data| minloc(&threads, data))
        .with("plain", move |data| {
            data.x().iter().enumerate().fold(none, |least, (i, x)| smaller(least, (*x, i)))
        })
        .with("rayon", move |data| {
            data.x().par_iter().enumerate().map(|(i, x)| (*x, i)).reduce(|| none, smaller)
        })
        .with("ndarray", move |data| {
            let x = ndarray::ArrayView1::from(slice(&data.x));
            x.indexed_iter().fold(none, |least, (i, x)| smaller(least, (*x, i)))
        })
        .with_limit(&setup.limit, |limit, data| limit.minloc(data.x()))
        .with_read(&setup.limit, |limit, data| (limit.read(data.x()), 0))
        .with_kokkos("Kokkos", setup.peer("minloc", T::NAME, n));
    Ok(Box::new(lineup))
}
