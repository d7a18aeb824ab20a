//! Values that each give a different number of results.

use rayon::prelude::*;
use spelt::algorithms::{expand, expand_outer_reduce, replicated_iota};
use spelt::prelude::*;

use super::{Found, SIZES, all_same, random, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "expand",
    hypothesis: "n results of u32 from n / 4 values that give 0 to 8 each, or half of n by one of them. Equal \
        pieces of results are made value by value, with the end of a loop for each that is guessed wrong: level with a \
        plain flat_map on one thread, ahead of rayon's, which copies lists of vectors, and far ahead of it where one value has half. \
        The index of each result's value alone: level with a plain loop. Sums of what each value gives stay in \
        registers; few results are one vector under a mask, where the loop of the peers has an end that is guessed wrong: \
        half of rayon's time. Where the compiler has a formula for a loop, that of all contenders, time is that of a value: \
        ahead of rayon by wide vectors.",
    size: "n",
    variants: &[
        Variant { name: "expand", width: 1, sizes: SIZES, race: race::<false> },
        Variant { name: "expand skewed", width: 1, sizes: SIZES, race: race::<true> },
        Variant { name: "indices", width: 1, sizes: SIZES, race: indices },
        Variant { name: "sums", width: 1, sizes: SIZES, race: sums::<false, false> },
        Variant { name: "sums skewed", width: 1, sizes: SIZES, race: sums::<true, false> },
        Variant { name: "sums by formula", width: 1, sizes: SIZES, race: sums::<false, true> },
        Variant { name: "sums skewed by formula", width: 1, sizes: SIZES, race: sums::<true, true> },
    ],
};

/// The number of results of the value at `i` of `values`.
fn count<const SKEWED: bool>(values: usize, i: usize) -> usize {
    match SKEWED {
        true if i == values / 3 => 2 * values,
        true => (random(i) % 5) as usize,
        false => (random(i) % 9) as usize,
    }
}

/// A value's number of results, and the value.
type Value = (u32, u32);

/// The values, and the number of all results.
fn values<const SKEWED: bool>(setup: &Setup, n: usize) -> Result<(View<Value, 1>, usize), String> {
    let values = n.div_ceil(4);
    let value = |[i]: [usize; 1]| (count::<SKEWED>(values, i) as u32, random(i + values) as u32);
    Ok((setup.view("values", [values], value)?, (0..values).map(|i| count::<SKEWED>(values, i)).sum()))
}

fn size((count, _): Value) -> usize {
    count as usize
}

fn get((_, number): Value, k: usize) -> u32 {
    number.wrapping_add(k as u32).wrapping_mul(k as u32)
}

fn results(value: &Value) -> impl Iterator<Item = u32> + use<> {
    let value = *value;
    (0..size(value)).map(move |k| get(value, k))
}

fn race<const SKEWED: bool>(setup: &Setup, n: usize) -> Made {
    let (data, elements) = values::<SKEWED>(setup, n)?;
    let want: Vec<u32> = slice(&data).iter().flat_map(results).collect();
    let threads = setup.space.clone();
    let work = Work { bytes: data.len() * size_of::<Value>() + elements * size_of::<u32>(), elements };
    let lineup = Lineup::new(data, work, move |_, found: &Found<u32>| all_same("result", found, &want))
        .with("Spelt", move |data| Found::View(expand(&threads, &*data, size, get).expect("there is memory")))
        .with("plain", |data| Found::Vec(slice(data).iter().flat_map(results).collect()))
        .with("rayon", |data| Found::Vec(slice(data).par_iter().flat_map_iter(results).collect()));
    Ok(Box::new(lineup))
}

fn indices(setup: &Setup, n: usize) -> Made {
    let counts = n.div_ceil(4);
    let data: View<usize, 1> = setup.view("counts", [counts], |[i]| count::<false>(counts, i))?;
    let copies = |(i, count): (usize, &usize)| core::iter::repeat_n(i, *count);
    let want: Vec<usize> = slice(&data).iter().enumerate().flat_map(copies).collect();
    let threads = setup.space.clone();
    let work = Work { bytes: (counts + want.len()) * size_of::<usize>(), elements: want.len() };
    let lineup = Lineup::new(data, work, move |_, found: &Found<usize>| all_same("index", found, &want))
        .with("Spelt", move |data| Found::View(replicated_iota(&threads, &*data).expect("there is memory")))
        .with("plain", move |data| Found::Vec(slice(data).iter().enumerate().flat_map(copies).collect()))
        .with("rayon", move |data| {
            Found::Vec(slice(data).par_iter().enumerate().flat_map_iter(copies).collect())
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(data))));
            Found::Vec(Vec::new())
        });
    Ok(Box::new(lineup))
}

/// A summand of [`sums`]. `FORMULA`: a polynomial in `k`, for whose sum the compiler has a formula; the others are added one by one.
fn summand<const FORMULA: bool>((_, number): Value, k: usize) -> u32 {
    let k = k as u32;
    if FORMULA { number.wrapping_add(k) } else { number ^ k }.wrapping_mul(k)
}

fn sums<const SKEWED: bool, const FORMULA: bool>(setup: &Setup, n: usize) -> Made {
    let (data, elements) = values::<SKEWED>(setup, n)?;
    let sum = |value: &Value| {
        let value = *value;
        (0..size(value)).map(move |k| summand::<FORMULA>(value, k)).fold(0, u32::wrapping_add)
    };
    let want: Vec<u32> = slice(&data).iter().map(sum).collect();
    let threads = setup.space.clone();
    let work = Work { bytes: data.len() * (size_of::<Value>() + size_of::<u32>()), elements };
    let lineup = Lineup::new(data, work, move |_, found: &Found<u32>| all_same("sum", found, &want))
        .with("Spelt", move |data| {
            let sums = expand_outer_reduce(&threads, &*data, size, summand::<FORMULA>, Sum::<u32>::new());
            Found::View(sums.expect("there is memory"))
        })
        .with("plain", move |data| Found::Vec(slice(data).iter().map(sum).collect()))
        .with("rayon", move |data| Found::Vec(slice(data).par_iter().map(sum).collect()));
    Ok(Box::new(lineup))
}
