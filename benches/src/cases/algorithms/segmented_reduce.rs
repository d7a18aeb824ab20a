//! Sums of segments, which offsets or flags delimit.

use rayon::prelude::*;
use spelt::algorithms::{segmented_reduce_by_flags, segmented_reduce_by_offsets};
use spelt::prelude::*;

use super::{Found, SIZES, random, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "segmented_reduce",
    hypothesis: "f32 in segments of 1, 10, 1000, all, or from 1 to 32 768 behind one that has half of the elements. Work \
        is cut in equal pieces regardless of the lengths, so time depends on the bytes and not on where segments end: \
        within 1.3 of reading values and offsets, or values and flags, where memory decides; rayon over segments \
        leaves one thread with the long one.",
    size: "n",
    variants: &[
        Variant { name: "offsets 1", width: 1, sizes: SIZES, race: by_offsets::<1> },
        Variant { name: "offsets 10", width: 1, sizes: SIZES, race: by_offsets::<10> },
        Variant { name: "offsets 1000", width: 1, sizes: SIZES, race: by_offsets::<1000> },
        Variant { name: "offsets n", width: 1, sizes: SIZES, race: by_offsets::<{ usize::MAX }> },
        Variant { name: "offsets mixed", width: 1, sizes: SIZES, race: by_offsets::<MIXED> },
        Variant { name: "flags 1", width: 1, sizes: SIZES, race: by_flags::<1> },
        Variant { name: "flags 10", width: 1, sizes: SIZES, race: by_flags::<10> },
        Variant { name: "flags 1000", width: 1, sizes: SIZES, race: by_flags::<1000> },
        Variant { name: "flags n", width: 1, sizes: SIZES, race: by_flags::<{ usize::MAX }> },
        Variant { name: "flags mixed", width: 1, sizes: SIZES, race: by_flags::<MIXED> },
    ],
};

/// A placeholder for lengths from 1 to 32 768, each power of two as often as the others, behind n / 2.
pub(super) const MIXED: usize = 0;

/// The starts of segments of `LENGTH`, and the end.
pub(super) fn offsets<const LENGTH: usize>(n: usize) -> Vec<usize> {
    let (mut offsets, mut at) = (vec![0], 0);
    while at < n {
        let bits = random(offsets.len());
        let length = match LENGTH {
            MIXED if at == 0 => n.div_ceil(2),
            MIXED => 1 + (bits >> 32) as usize % (1 << (bits % 16)),
            length => length,
        };
        at = at.saturating_add(length).min(n);
        offsets.push(at);
    }
    offsets
}

/// The flags of these offsets.
pub(super) fn flags(offsets: &[usize]) -> Vec<bool> {
    let (n, begins) = offsets.split_last().expect("offsets have an end");
    let mut flags = vec![false; *n];
    begins.iter().for_each(|at| flags[*at] = true);
    flags
}

struct Data {
    x: View<f32, 1>,
    offsets: View<usize, 1>,
    flags: View<bool, 1>,
    out: View<f32, 1>,
}

impl Data {
    /// With flags, or with offsets and outputs.
    fn new<const LENGTH: usize>(
        setup: &Setup,
        n: usize,
        flagged: bool,
    ) -> Result<(Self, Vec<usize>), String> {
        let offsets = offsets::<LENGTH>(n);
        let flags = flags(&offsets);
        let (of_flags, of_offsets) = if flagged { (n, 0) } else { (0, offsets.len()) };
        let data = Self {
            x: setup.view("x", [n], |[i]| f32::element(i + 1))?,
            offsets: setup.view("offsets", [of_offsets], |[i]| offsets[i])?,
            flags: setup.view("flags", [of_flags], |[i]| flags[i])?,
            out: setup.view("out", [of_offsets.saturating_sub(1)], |_| 0.0)?,
        };
        Ok((data, offsets))
    }

    fn check(&self, offsets: &[usize], sums: &[f32]) -> Result<(), String> {
        if sums.len() + 1 != offsets.len() {
            return Err(format!("there are {} sums, not {}", sums.len(), offsets.len() - 1));
        }
        for (sum, ends) in sums.iter().zip(offsets.windows(2)) {
            let want = slice(&self.x)[ends[0]..ends[1]].iter().map(|x| x.wide()).sum();
            near("a sum", *sum, want, ends[1] - ends[0]).map_err(|error| format!("{ends:?}: {error}"))?;
        }
        Ok(())
    }
}

fn by_offsets<const LENGTH: usize>(setup: &Setup, n: usize) -> Made {
    let (data, offsets) = Data::new::<LENGTH>(setup, n, false)?;
    let bytes = n * size_of::<f32>() + offsets.len() * (size_of::<usize>() + size_of::<f32>());
    let threads = setup.space.clone();
    let check = move |data: &Data, (): &()| data.check(&offsets, slice(&data.out));
    let lineup = Lineup::new(data, Work { bytes, elements: n }, check)
        .reset(|data| slice_mut(&mut data.out).fill(-1.0))
        .with("Spelt", move |data| {
            segmented_reduce_by_offsets(&threads, &data.x, &data.offsets, &mut data.out, Sum::new())
                .expect("the offsets are right");
        })
        .with("plain", |data| {
            let (x, offsets) = (slice(&data.x), slice(&data.offsets));
            let out = slice_mut(&mut data.out).iter_mut().zip(offsets.windows(2));
            out.for_each(|(out, ends)| *out = x[ends[0]..ends[1]].iter().sum());
        })
        .with("rayon", |data| {
            let (x, offsets) = (slice(&data.x), slice(&data.offsets));
            let out = slice_mut(&mut data.out).par_iter_mut().zip(offsets.par_windows(2));
            out.for_each(|(out, ends)| *out = x[ends[0]..ends[1]].iter().sum());
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(slice(&data.x)));
            core::hint::black_box(limit.read(words(slice(&data.offsets))));
        });
    Ok(Box::new(lineup))
}

fn by_flags<const LENGTH: usize>(setup: &Setup, n: usize) -> Made {
    let (data, offsets) = Data::new::<LENGTH>(setup, n, true)?;
    let bytes = n * (size_of::<f32>() + size_of::<bool>()) + offsets.len() * size_of::<f32>();
    let threads = setup.space.clone();
    let check = move |data: &Data, sums: &Found<f32>| data.check(&offsets, sums);
    let lineup = Lineup::new(data, Work { bytes, elements: n }, check)
        .with("Spelt", move |data| {
            let sums = segmented_reduce_by_flags(&threads, &data.x, &data.flags, Sum::new());
            Found::View(sums.expect("there are as many flags as elements"))
        })
        .with("plain", |data| {
            let mut sums = Vec::new();
            let mut sum = 0.0;
            for (i, (x, begins)) in slice(&data.x).iter().zip(slice(&data.flags)).enumerate() {
                if *begins && i > 0 {
                    sums.push(sum);
                    sum = 0.0;
                }
                sum += *x;
            }
            sums.push(sum);
            Found::Vec(sums)
        })
        .with("rayon", |data| {
            let x = slice(&data.x);
            let flags = slice(&data.flags).par_iter().enumerate();
            let mut starts: Vec<usize> = flags.filter_map(|(i, begins)| begins.then_some(i)).collect();
            starts.push(x.len());
            Found::Vec(starts.par_windows(2).map(|ends| x[ends[0]..ends[1]].iter().sum()).collect())
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(slice(&data.x)));
            core::hint::black_box(limit.read(words(slice(&data.flags))));
            Found::Vec(Vec::new())
        });
    Ok(Box::new(lineup))
}
