//! Runs of equal neighbours, with their lengths.

use rayon::prelude::*;
use spelt::algorithms::{non_trivial_runs, run_length};
use spelt::prelude::*;

use super::unique::runs;
use super::{Found, SIZES, all_same, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "run_length",
    hypothesis: "u32 in runs of three on average, as (value, length), or only those longer than one, as (begin, length). \
        Begins are found as in unique, in usize, and lengths in one more launch: level with a plain loop over \
        chunk_by on two threads, which guesses where runs end; half of the time of rayon's par_chunk_by, which \
        searches for splits and zips two lists of vectors. Runs longer than one take a second selection: twice that.",
    size: "n",
    variants: &[
        Variant { name: "all", width: 1, sizes: SIZES, race: all },
        Variant { name: "longer than one", width: 1, sizes: SIZES, race: longer_than_one },
    ],
};

/// Values or starts, and lengths.
type Runs<T> = (Found<T>, Found<usize>);

fn views<T: Element>((first, lengths): (View<T, 1>, View<usize, 1>)) -> Runs<T> {
    (Found::View(first), Found::View(lengths))
}

fn vecs<T: Element>((first, lengths): (Vec<T>, Vec<usize>)) -> Runs<T> {
    (Found::Vec(first), Found::Vec(lengths))
}

fn with_length(run: &[u32]) -> (u32, usize) {
    (run[0], run.len())
}

fn all(setup: &Setup, n: usize) -> Made {
    let keys = runs(n, 3);
    let data: View<u32, 1> = setup.view("x", [n], |[i]| keys[i])?;
    let want: (Vec<u32>, Vec<usize>) = keys.chunk_by(u32::eq).map(with_length).unzip();
    let threads = setup.space.clone();
    let bytes = n * size_of::<u32>() + want.0.len() * (size_of::<u32>() + size_of::<usize>());
    let check = move |_: &View<u32, 1>, found: &Runs<u32>| {
        all_same("value", &found.0, &want.0)?;
        all_same("length", &found.1, &want.1)
    };
    let lineup = Lineup::new(data, Work { bytes, elements: n }, check)
        .with("Spelt", move |data| views(run_length(&threads, &*data).expect("there is memory")))
        .with("plain", |data| vecs(slice(data).chunk_by(u32::eq).map(with_length).unzip()))
        .with("rayon", |data| vecs(slice(data).par_chunk_by(u32::eq).map(with_length).unzip()))
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(data))));
            vecs(Default::default())
        });
    Ok(Box::new(lineup))
}

/// The start and length of a run within `x`, if it is longer than one.
fn place(x: &[u32], run: &[u32]) -> Option<(usize, usize)> {
    let begin = || (run.as_ptr().addr() - x.as_ptr().addr()) / size_of::<u32>();
    (run.len() > 1).then(|| (begin(), run.len()))
}

fn longer_than_one(setup: &Setup, n: usize) -> Made {
    let keys = runs(n, 3);
    let data: View<u32, 1> = setup.view("x", [n], |[i]| keys[i])?;
    let want: (Vec<usize>, Vec<usize>) = keys.chunk_by(u32::eq).filter_map(|run| place(&keys, run)).unzip();
    let threads = setup.space.clone();
    let bytes = n * size_of::<u32>() + want.0.len() * 2 * size_of::<usize>();
    let check = move |_: &View<u32, 1>, found: &Runs<usize>| {
        all_same("begin", &found.0, &want.0)?;
        all_same("length", &found.1, &want.1)
    };
    let lineup = Lineup::new(data, Work { bytes, elements: n }, check)
        .with("Spelt", move |data| views(non_trivial_runs(&threads, &*data).expect("there is memory")))
        .with("plain", |data| {
            let x = slice(data);
            vecs(x.chunk_by(u32::eq).filter_map(|run| place(x, run)).unzip())
        })
        .with("rayon", |data| {
            let x = slice(data);
            vecs(x.par_chunk_by(u32::eq).filter_map(|run| place(x, run)).unzip())
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(data))));
            vecs(Default::default())
        });
    Ok(Box::new(lineup))
}
