//! One element of each run.

use spelt::algorithms::unique;
use spelt::prelude::*;

use super::{Found, SIZES, all_same, random, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "unique",
    hypothesis: "u32 in runs of three on average. As filter, with a comparison of neighbours for the predicate: both \
        threads make it faster than a sequential loop from 1e5 on.",
    size: "n",
    variants: &[Variant { name: "u32", width: 1, sizes: SIZES, race }],
};

/// Keys that stay the same for `length` elements on average.
pub(super) fn runs(n: usize, length: u64) -> Vec<u32> {
    let mut run = 0;
    let next = |i| {
        run += u32::from(random(i).is_multiple_of(length));
        run
    };
    (0..n).map(next).collect()
}

fn race(setup: &Setup, n: usize) -> Made {
    let keys = runs(n, 3);
    let data: View<u32, 1> = setup.view("x", [n], |[i]| keys[i])?;
    let mut want = keys;
    want.dedup();
    let threads = setup.space.clone();
    let work = Work { bytes: (n + want.len()) * size_of::<u32>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, found: &Found<u32>| all_same("element", found, &want))
        .with("Spelt", move |data| Found::View(unique(&threads, &*data).expect("there is memory")))
        .with("plain", |data| {
            let mut kept: Vec<u32> = Vec::new();
            for key in slice(data) {
                if kept.last() != Some(key) {
                    kept.push(*key);
                }
            }
            Found::Vec(kept)
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(data))));
            Found::Vec(Vec::new())
        });
    Ok(Box::new(lineup))
}
