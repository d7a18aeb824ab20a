//! The largest few keys.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;
use spelt::algorithms::{Extreme, Ties, top_k};
use spelt::prelude::*;

use super::{Found, SIZES, all_same, random, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "top_k",
    hypothesis: "The 10 or 1000 largest of u32, or a tenth of them, in order and with indices. Where k is small, each thread \
        passes over keys beyond the last of its best in vectors: at 1e7 little more than the read for 10, twice for 1000, a \
        quarter of the time of a heap a thread. A tenth is found by digits, up to four passes of which the first decides \
        most, then a scan takes the keys: half of the time of select_nth_unstable on pairs of key and index, and a tenth \
        of that of a full sort in rayon.",
    size: "n",
    variants: &[
        Variant { name: "k = 10", width: 1, sizes: SIZES, race: race::<10> },
        Variant { name: "k = 1000", width: 1, sizes: SIZES, race: race::<1000> },
        Variant { name: "k = n / 10", width: 1, sizes: SIZES, race: race::<TENTH> },
    ],
};

/// A placeholder for a tenth of the keys.
const TENTH: usize = 0;

/// A key with its index, the first ones first.
type Pair = (Reverse<u32>, usize);

/// Keys and indices.
type Top = (Found<u32>, Found<usize>);

fn pairs(keys: &[u32]) -> impl Iterator<Item = Pair> {
    keys.iter().enumerate().map(|(i, key)| (Reverse(*key), i))
}

fn top(pairs: Vec<Pair>) -> Top {
    let (keys, indices) = pairs.into_iter().map(|(key, i)| (key.0, i)).unzip();
    (Found::Vec(keys), Found::Vec(indices))
}

fn by_selection(mut pairs: Vec<Pair>, k: usize) -> Vec<Pair> {
    if k < pairs.len() {
        pairs.select_nth_unstable(k);
        pairs.truncate(k);
    }
    pairs.sort_unstable();
    pairs
}

fn by_heap(pairs: impl Iterator<Item = Pair>, k: usize) -> Vec<Pair> {
    let mut best = BinaryHeap::with_capacity(k);
    for pair in pairs {
        if best.len() < k {
            best.push(pair);
        } else if let Some(mut last) = best.peek_mut()
            && pair < *last
        {
            *last = pair;
        }
    }
    best.into_sorted_vec()
}

fn race<const K: usize>(setup: &Setup, n: usize) -> Made {
    let k = if K == TENTH { n.div_ceil(10) } else { K.min(n) };
    let data: View<u32, 1> = setup.view("keys", [n], |[i]| random(i) as u32)?;
    let want = top(by_selection(pairs(slice(&data)).collect(), k));
    let threads = setup.space.clone();
    let bytes = n * size_of::<u32>() + k * (size_of::<u32>() + size_of::<usize>());
    let check = move |_: &View<u32, 1>, found: &Top| {
        all_same("key", &found.0, &want.0)?;
        all_same("index", &found.1, &want.1)
    };
    let lineup = Lineup::new(data, Work { bytes, elements: n }, check)
        .with("Spelt", move |data| {
            let (keys, indices) =
                top_k(&threads, &*data, k, Extreme::Largest, Ties::SmallerIndex).expect("there is memory");
            (Found::View(keys), Found::View(indices))
        })
        .with("plain", move |data| top(by_selection(pairs(slice(data)).collect(), k)))
        .with("plain heap", move |data| top(by_heap(pairs(slice(data)), k)))
        .with("rayon heaps", move |data| {
            let share = data.len().div_ceil(rayon::current_num_threads());
            let chunks = slice(data).par_chunks(share).enumerate();
            let best = chunks.flat_map_iter(|(chunk, keys)| {
                by_heap(pairs(keys).map(|(key, i)| (key, chunk * share + i)), k)
            });
            top(by_selection(best.collect(), k))
        })
        .with("rayon sort", move |data| {
            let keys = slice(data).par_iter().enumerate();
            let mut pairs: Vec<Pair> = keys.map(|(i, key)| (Reverse(*key), i)).collect();
            pairs.par_sort_unstable();
            pairs.truncate(k);
            top(pairs)
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(data))));
            top(Vec::new())
        });
    Ok(Box::new(lineup))
}
