//! Elements fetched from random places.

use rayon::prelude::*;
use spelt::algorithms::{gather, gather_checked};
use spelt::prelude::*;

use super::{SIZES, all_same, fraction, random, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "gather",
    hypothesis: "f32 from as many random places as there are, by indices of u32. Each fetch waits for a cache and not \
        for the processor, and comparing an index with the length costs nothing beside it: level with rayon, half of \
        the time of a plain loop. The checked form reads the indices once more, in order: a tenth more where memory \
        decides; peers look through them first too.",
    size: "n",
    variants: &[
        Variant { name: "f32", width: 1, sizes: SIZES, race: race::<false> },
        Variant { name: "f32 checked", width: 1, sizes: SIZES, race: race::<true> },
    ],
};

struct Data {
    source: View<f32, 1>,
    indices: View<u32, 1>,
    out: View<f32, 1>,
}

impl Data {
    /// The outputs to write, the source and the indices to read.
    fn split(&mut self) -> (&mut [f32], &[f32], &[u32]) {
        (slice_mut(&mut self.out), slice(&self.source), slice(&self.indices))
    }
}

fn race<const CHECKED: bool>(setup: &Setup, n: usize) -> Made {
    let data = Data {
        source: setup.view("source", [n], |[i]| fraction(i))?,
        indices: setup.view("indices", [n], |[i]| (random(i + n) % n as u64) as u32)?,
        out: setup.view("out", [n], |_| 0.0)?,
    };
    let want: Vec<f32> = slice(&data.indices).iter().map(|i| fraction(*i as usize)).collect();
    let threads = setup.space.clone();
    let work = Work { bytes: n * (2 * size_of::<f32>() + size_of::<u32>()), elements: n };
    let lineup = Lineup::new(data, work, move |data, (): &()| all_same("element", slice(&data.out), &want))
        .reset(|data: &mut Data| slice_mut(&mut data.out).fill(-1.0))
        .with("Spelt", move |data| {
            if CHECKED {
                gather_checked(&threads, &data.source, &data.indices, &mut data.out)
            } else {
                gather(&threads, &data.source, &data.indices, &mut data.out)
            }
            .expect("the lengths agree");
        })
        .with("plain", |data| {
            let (out, source, indices) = data.split();
            assert!(!CHECKED || indices.iter().all(|i| (*i as usize) < source.len()));
            out.iter_mut().zip(indices).for_each(|(out, i)| *out = source[*i as usize]);
        })
        .with("rayon", |data| {
            let (out, source, indices) = data.split();
            assert!(!CHECKED || indices.par_iter().all(|i| (*i as usize) < source.len()));
            out.par_iter_mut().zip(indices).for_each(|(out, i)| *out = source[*i as usize]);
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(&data.indices))));
            core::hint::black_box(limit.read(slice(&data.source)));
        });
    Ok(Box::new(lineup))
}
