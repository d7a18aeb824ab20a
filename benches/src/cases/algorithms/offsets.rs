//! Offsets of segments, from their lengths or from flags.

use rayon::prelude::*;
use spelt::algorithms::{offsets_from_counts, offsets_from_flags};
use spelt::prelude::*;

use super::{Found, SIZES, all_same, random, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "offsets",
    hypothesis: "From lengths from 0 to 8 an exclusive scan of usize, after a copy: level with a plain loop, which waits \
        for one addition an element. From flags, of which one in ten is set, 64 at a time become a word whose bits are \
        counted, then taken one by one: a third of the time of a plain loop that looks at each flag, and of rayon's.",
    size: "n",
    variants: &[
        Variant { name: "from counts", width: 1, sizes: SIZES, race: from_counts },
        Variant { name: "from flags", width: 1, sizes: SIZES, race: from_flags },
    ],
};

fn from_counts(setup: &Setup, n: usize) -> Made {
    let data: View<usize, 1> = setup.view("counts", [n], |[i]| (random(i) % 9) as usize)?;
    let sum_up = |data: &View<usize, 1>| {
        let mut sum = 0;
        let ends = slice(data).iter().map(|count| {
            sum += count;
            sum
        });
        core::iter::once(0).chain(ends).collect::<Vec<usize>>()
    };
    let want = sum_up(&data);
    let threads = setup.space.clone();
    let work = Work { bytes: (2 * n + 1) * size_of::<usize>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, found: &Found<usize>| all_same("offset", found, &want))
        .with("Spelt", move |data| {
            Found::View(offsets_from_counts(&threads, &*data).expect("there is memory").into_view())
        })
        .with("plain", move |data| Found::Vec(sum_up(data)))
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(data))));
            Found::Vec(Vec::new())
        });
    Ok(Box::new(lineup))
}

fn from_flags(setup: &Setup, n: usize) -> Made {
    let data: View<bool, 1> = setup.view("flags", [n], |[i]| i == 0 || random(i).is_multiple_of(10))?;
    let begin = |(i, begins): (usize, &bool)| begins.then_some(i);
    let want: Vec<usize> = slice(&data).iter().enumerate().filter_map(begin).chain([n]).collect();
    let threads = setup.space.clone();
    let work = Work { bytes: n + want.len() * size_of::<usize>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, found: &Found<usize>| all_same("offset", found, &want))
        .with("Spelt", move |data| {
            Found::View(offsets_from_flags(&threads, &*data).expect("there is memory").into_view())
        })
        .with("plain", move |data| {
            Found::Vec(slice(data).iter().enumerate().filter_map(begin).chain([n]).collect())
        })
        .with("rayon", move |data| {
            let mut offsets: Vec<usize> = slice(data).par_iter().enumerate().filter_map(begin).collect();
            offsets.push(n);
            Found::Vec(offsets)
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(data))));
            Found::Vec(Vec::new())
        });
    Ok(Box::new(lineup))
}
