//! The minimum with its place.

use rayon::prelude::*;
use spelt::prelude::*;

use super::vectors::Vectors;
use super::{Case, Made, SIZES, Variant};
use crate::kokkos::Peer;
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, same};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "minloc",
    hypothesis: "The mapped form looks for the value alone, as min does, and then for its place in one block, as the limit does: \
        at 1e5 at most a sixth of the time of Kokkos and rayon, and within 1.5 of the limit, for input in any order. The \
        update form selects value and place by the same mask, lane by lane: a third.",
    size: "n",
    variants: &[
        Variant { name: "f64", width: 1, sizes: SIZES, race: race::<f64> },
        Variant { name: "f32", width: 1, sizes: SIZES, race: race::<f32> },
        Variant {
            name: "f64 ascending",
            width: 1,
            sizes: IN_CACHE,
            race: |setup, n| race_in_order(setup, n, |i, _| i),
        },
        Variant {
            name: "f64 descending",
            width: 1,
            sizes: IN_CACHE,
            race: |setup, n| race_in_order(setup, n, |i, n| n - i),
        },
        Variant {
            name: "f64 constant",
            width: 1,
            sizes: IN_CACHE,
            race: |setup, n| race_in_order(setup, n, |_, _| 1),
        },
    ],
};

/// Input in order is measured where the first pass is fastest.
const IN_CACHE: &[usize] = &[100_000];

fn updated<T: Number>(
    space: &impl ExecutionSpace<Memory = spelt::HostSpace>,
    data: &Vectors<T>,
) -> (T, usize) {
    let range = space.range(0..data.x.len());
    let reducer = MinLoc::<T>::new();
    let found = parallel_reduce("minloc", range, &data.x, |i, least, x| least.update(x[i], i.get()), reducer)
        .expect("the View covers the range");
    (found.val, found.loc)
}

fn mapped<T: Number>(
    space: &impl ExecutionSpace<Memory = spelt::HostSpace>,
    data: &Vectors<T>,
) -> (T, usize) {
    let range = space.range(0..data.x.len());
    let found = parallel_map_reduce("minloc", range, &data.x, |i, x| x[i], MinLoc::at_index())
        .expect("the View covers the range");
    (found.val, found.loc)
}

/// The smaller one, at ties the first.
fn smaller<T: Number>(a: (T, usize), b: (T, usize)) -> (T, usize) {
    if b.0 < a.0 { b } else { a }
}

fn race<T: Number>(setup: &Setup, n: usize) -> Made {
    race_over(setup, Vectors::<T>::one(setup, n)?, setup.peer("minloc", T::NAME, n))
}

/// Of the numbers `value(i, n)`, which the Kokkos peer does not have.
fn race_in_order(setup: &Setup, n: usize, value: fn(usize, usize) -> usize) -> Made {
    let mut data = Vectors::<f64>::one(setup, n)?;
    data.x = setup.view("x", [n], move |[i]| value(i, n) as f64)?;
    race_over(setup, data, None)
}

fn race_over<T: Number>(setup: &Setup, data: Vectors<T>, kokkos: Option<Peer>) -> Made {
    let n = data.x.len();
    let least = data.x().iter().copied().fold(T::LARGEST, T::least);
    let want = (least, data.x().iter().position(|x| *x == least).ok_or("there is no minimum of nothing")?);
    let (threads, updating) = (setup.space.clone(), setup.space.clone());
    let work = Work { bytes: n * size_of::<T>(), elements: n };
    let none = (T::LARGEST, usize::MAX);
    let lineup = Lineup::new(data, work, move |_, got| same("the minimum and its place", *got, want))
        .with("Spelt", move |data| mapped(&threads, data))
        .with("Spelt update", move |data| updated(&updating, data))
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
        .with_remote("Kokkos", kokkos);
    Ok(Box::new(lineup))
}
