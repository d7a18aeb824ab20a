//! Sums into bins that indices name.

use rayon::prelude::*;
use spelt::algorithms::{reduce_by_index, reduce_by_index_checked};
use spelt::prelude::*;

use super::{SIZES, random};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "reduce_by_index",
    hypothesis: "f32 added to the bins that indices of u32 name, with the same bits on any number of threads. Into 256 \
        bins, blocks of values have their own bins: half of the time of a plain loop, level with chunks of rayon, \
        one for each thread. Into 1e6 bins values are first sorted into buckets of bins that fit a cache, which costs \
        as much as it saves: level with both at 1e7. The bins are set to zero before each call, untimed.",
    size: "n",
    variants: &[
        Variant { name: "256 bins", width: 1, sizes: SIZES, race: race::<256, false> },
        Variant { name: "256 bins checked", width: 1, sizes: SIZES, race: race::<256, true> },
        Variant { name: "1000000 bins", width: 1, sizes: SIZES, race: race::<1_000_000, false> },
    ],
};

struct Data {
    indices: View<u32, 1>,
    values: View<f32, 1>,
    bins: View<f32, 1>,
}

fn add(bins: &mut [f32], indices: &[u32], values: &[f32]) {
    indices.iter().zip(values).for_each(|(i, value)| bins[*i as usize] += *value);
}

fn race<const BINS: usize, const CHECKED: bool>(setup: &Setup, n: usize) -> Made {
    let data = Data {
        indices: setup.view("indices", [n], |[i]| (random(i) % BINS as u64) as u32)?,
        values: setup.view("values", [n], |[i]| f32::element(i + 1))?,
        bins: setup.view("bins", [BINS], |_| 0.0)?,
    };
    let mut want = vec![(0.0, 0); BINS];
    for (i, value) in slice(&data.indices).iter().zip(slice(&data.values)) {
        let (sum, count) = &mut want[*i as usize];
        (*sum, *count) = (*sum + value.wide(), *count + 1);
    }
    let check = move |data: &Data, (): &()| {
        let mut bins = slice(&data.bins).iter().zip(&want).enumerate();
        bins.try_for_each(|(bin, (got, (want, n)))| near(&format!("bin {bin}"), *got, *want, *n))
    };
    let threads = setup.space.clone();
    let bytes = n * (size_of::<u32>() + size_of::<f32>()) + 2 * BINS * size_of::<f32>();
    let lineup = Lineup::new(data, Work { bytes, elements: n }, check)
        .before(|data: &mut Data| slice_mut(&mut data.bins).fill(0.0))
        .with("Spelt", move |data| {
            if CHECKED {
                reduce_by_index_checked(&threads, &data.values, &data.indices, &mut data.bins, Sum::new())
            } else {
                reduce_by_index(&threads, &data.values, &data.indices, &mut data.bins, Sum::new())
            }
            .expect("there is memory");
        })
        .with("plain", |data| {
            let (bins, indices) = (slice_mut(&mut data.bins), slice(&data.indices));
            assert!(!CHECKED || indices.iter().all(|i| (*i as usize) < bins.len()));
            add(bins, indices, slice(&data.values));
        })
        .with("rayon chunks", |data| {
            let (indices, values) = (slice(&data.indices), slice(&data.values));
            assert!(!CHECKED || indices.par_iter().all(|i| (*i as usize) < BINS));
            let share = indices.len().div_ceil(rayon::current_num_threads());
            let parts: Vec<Vec<f32>> = indices
                .par_chunks(share)
                .zip(values.par_chunks(share))
                .map(|(indices, values)| {
                    let mut bins = vec![0.0; BINS];
                    add(&mut bins, indices, values);
                    bins
                })
                .collect();
            let bins = slice_mut(&mut data.bins).par_iter_mut().enumerate();
            bins.for_each(|(bin, sum)| *sum += parts.iter().map(|part| part[bin]).sum::<f32>());
        });
    Ok(Box::new(lineup))
}
