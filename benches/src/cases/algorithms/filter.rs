//! A filter that keeps half.

use rayon::prelude::*;
use spelt::algorithms::filter;
use spelt::prelude::*;

use super::{Found, SIZES, all_same, fraction};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "filter",
    hypothesis: "f32 without a pattern, of which half stays. One launch asks the predicate and counts, one moves, both \
        without a branch that is guessed wrong half of the time; the result is written once. Rayon collects a list \
        of vectors and copies it: at most half of its time.",
    size: "n",
    variants: &[Variant { name: "f32", width: 1, sizes: SIZES, race }],
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
