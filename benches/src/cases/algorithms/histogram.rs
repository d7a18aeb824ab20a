//! Histograms.

use rayon::prelude::*;
use spelt::algorithms::{histogram, histogram_even};
use spelt::prelude::*;

use super::{SIZES, all_same, fraction, random};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "histogram",
    hypothesis: "u32 into bins of u32. 256 bins have a copy in the first cache of each thread, and what is left is one \
        increment an element: level with rayon where each thread counts by itself. 1e6 bins take 4 MB, beyond the \
        second cache: level with rayon's chunks, one for each thread with its own bins, whose sum is then taken. \
        Even bins of f32 divide for each sample, in f64, where peers multiply: twice the time of 256 bins.",
    size: "n",
    variants: &[
        Variant { name: "256 bins", width: 1, sizes: SIZES, race: race::<256> },
        Variant { name: "1000000 bins", width: 1, sizes: SIZES, race: race::<1_000_000> },
        Variant { name: "256 even bins", width: 1, sizes: SIZES, race: even },
    ],
};

struct Data {
    samples: View<u32, 1>,
    counts: View<u32, 1>,
}

fn count(counts: &mut [u32], samples: &[u32]) {
    samples.iter().for_each(|sample| counts[*sample as usize] += 1);
}

fn add(mut counts: Vec<u32>, more: Vec<u32>) -> Vec<u32> {
    counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
    counts
}

fn race<const BINS: usize>(setup: &Setup, n: usize) -> Made {
    let data = Data {
        samples: setup.view("samples", [n], |[i]| (random(i) % BINS as u64) as u32)?,
        counts: setup.view("counts", [BINS], |_| 0)?,
    };
    let mut want = vec![0; BINS];
    count(&mut want, slice(&data.samples));
    let threads = setup.space.clone();
    let work = Work { bytes: (n + BINS) * size_of::<u32>(), elements: n };
    let lineup = Lineup::new(data, work, move |data, (): &()| all_same("count", slice(&data.counts), &want))
        .reset(|data: &mut Data| slice_mut(&mut data.counts).fill(7))
        .with("Spelt", move |data| {
            histogram(&threads, &data.samples, &mut data.counts).expect("there is memory");
        })
        .with("plain", |data| {
            let counts = slice_mut(&mut data.counts);
            counts.fill(0);
            count(counts, slice(&data.samples));
        })
        .with("rayon", |data| {
            let counts = slice(&data.samples).par_iter().fold(
                || vec![0; BINS],
                |mut counts, sample| {
                    counts[*sample as usize] += 1;
                    counts
                },
            );
            slice_mut(&mut data.counts).copy_from_slice(&counts.reduce(|| vec![0; BINS], add));
        })
        .with("rayon chunks", |data| {
            let samples = slice(&data.samples);
            let share = samples.len().div_ceil(rayon::current_num_threads());
            let parts: Vec<Vec<u32>> = samples
                .par_chunks(share)
                .map(|part| {
                    let mut counts = vec![0; BINS];
                    count(&mut counts, part);
                    counts
                })
                .collect();
            let counts = slice_mut(&mut data.counts).par_iter_mut().enumerate();
            counts.for_each(|(bin, count)| *count = parts.iter().map(|part| part[bin]).sum());
        });
    Ok(Box::new(lineup))
}

/// Even bins between 0 and 1.
const EVEN: usize = 256;

struct Even {
    samples: View<f32, 1>,
    counts: View<u32, 1>,
}

/// Exact, because the number of bins is a power of two.
fn count_even(counts: &mut [u32], samples: &[f32]) {
    samples.iter().for_each(|sample| {
        if (0.0..1.0).contains(sample) {
            counts[(*sample * EVEN as f32) as usize] += 1;
        }
    });
}

fn even(setup: &Setup, n: usize) -> Made {
    let data = Even {
        samples: setup.view("samples", [n], |[i]| 1.25 * fraction(i))?,
        counts: setup.view("counts", [EVEN], |_| 0)?,
    };
    let mut want = vec![0; EVEN];
    count_even(&mut want, slice(&data.samples));
    let threads = setup.space.clone();
    let work = Work { bytes: n * size_of::<f32>() + EVEN * size_of::<u32>(), elements: n };
    let lineup = Lineup::new(data, work, move |data, (): &()| all_same("count", slice(&data.counts), &want))
        .reset(|data: &mut Even| slice_mut(&mut data.counts).fill(7))
        .with("Spelt", move |data| {
            histogram_even(&threads, &data.samples, 0.0..1.0, &mut data.counts).expect("there is memory");
        })
        .with("plain", |data| {
            let counts = slice_mut(&mut data.counts);
            counts.fill(0);
            count_even(counts, slice(&data.samples));
        })
        .with("rayon chunks", |data| {
            let samples = slice(&data.samples);
            let share = samples.len().div_ceil(rayon::current_num_threads());
            let parts = samples.par_chunks(share).map(|part| {
                let mut counts = vec![0; EVEN];
                count_even(&mut counts, part);
                counts
            });
            slice_mut(&mut data.counts).copy_from_slice(&parts.reduce(|| vec![0; EVEN], add));
        });
    Ok(Box::new(lineup))
}
