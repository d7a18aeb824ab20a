//! A filter that keeps half.

use rayon::prelude::*;
use spelt::algorithms::{filter, filter_flagged, positions};
use spelt::prelude::*;

use super::{Found, SIZES, all_same, fraction, random, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "filter",
    hypothesis: "f32 without a pattern, of which half stays. One launch asks the predicate and counts, one moves, both \
        without a branch that is guessed wrong half of the time; the result is written once. Rayon collects a list \
        of vectors and copies it: at most half of its time. With flags, which are counted in vectors, and with indices \
        of 64 bits for elements, the same.",
    size: "n",
    variants: &[
        Variant { name: "f32", width: 1, sizes: SIZES, race },
        Variant { name: "flagged", width: 1, sizes: SIZES, race: flagged },
        Variant { name: "positions", width: 1, sizes: SIZES, race: indices },
    ],
};

fn race(setup: &Setup, n: usize) -> Made {
    let data: View<f32, 1> = setup.view("x", [n], |[i]| fraction(i))?;
    let keep = |x: &f32| *x < 0.5;
    let want: Vec<f32> = slice(&data).iter().copied().filter(keep).collect();
    let threads = setup.space.clone();
    let work = Work { bytes: (n + want.len()) * size_of::<f32>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, found: &Found<f32>| all_same("element", found, &want))
        .with("Spelt", move |data| Found::View(filter(&threads, &*data, keep).expect("there is memory")))
        .with("plain", move |data| Found::Vec(slice(data).iter().copied().filter(keep).collect()))
        .with("rayon", move |data| Found::Vec(slice(data).par_iter().copied().filter(keep).collect()))
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(slice(data)));
            Found::Vec(Vec::new())
        });
    Ok(Box::new(lineup))
}

struct Flagged {
    x: View<f32, 1>,
    flags: View<bool, 1>,
}

fn flagged(setup: &Setup, n: usize) -> Made {
    let data = Flagged {
        x: setup.view("x", [n], |[i]| fraction(i))?,
        flags: setup.view("flags", [n], |[i]| random(i + n).is_multiple_of(2))?,
    };
    let keep = |(x, flag): (&f32, &bool)| flag.then_some(*x);
    let want: Vec<f32> = slice(&data.x).iter().zip(slice(&data.flags)).filter_map(keep).collect();
    let threads = setup.space.clone();
    let work = Work { bytes: (n + want.len()) * size_of::<f32>() + n, elements: n };
    let lineup = Lineup::new(data, work, move |_, found: &Found<f32>| all_same("element", found, &want))
        .with("Spelt", move |data| {
            Found::View(filter_flagged(&threads, &data.x, &data.flags).expect("there is memory"))
        })
        .with("plain", move |data| {
            Found::Vec(slice(&data.x).iter().zip(slice(&data.flags)).filter_map(keep).collect())
        })
        .with("rayon", move |data| {
            Found::Vec(slice(&data.x).par_iter().zip(slice(&data.flags)).filter_map(keep).collect())
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(slice(&data.x)));
            core::hint::black_box(limit.read(words(slice(&data.flags))));
            Found::Vec(Vec::new())
        });
    Ok(Box::new(lineup))
}

fn indices(setup: &Setup, n: usize) -> Made {
    let data: View<f32, 1> = setup.view("x", [n], |[i]| fraction(i))?;
    let index = |(i, x): (usize, &f32)| (*x < 0.5).then_some(i);
    let want: Vec<usize> = slice(&data).iter().enumerate().filter_map(index).collect();
    let threads = setup.space.clone();
    let work = Work { bytes: n * size_of::<f32>() + want.len() * size_of::<usize>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, found: &Found<usize>| all_same("index", found, &want))
        .with("Spelt", move |data| {
            Found::View(positions(&threads, &*data, |x| *x < 0.5).expect("there is memory"))
        })
        .with("plain", move |data| Found::Vec(slice(data).iter().enumerate().filter_map(index).collect()))
        .with("rayon", move |data| Found::Vec(slice(data).par_iter().enumerate().filter_map(index).collect()))
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(slice(data)));
            Found::Vec(Vec::new())
        });
    Ok(Box::new(lineup))
}
