//! Prefix sums of segments, which offsets or flags delimit.

use rayon::prelude::*;
use spelt::algorithms::{
    segmented_exclusive_scan_by_flags, segmented_exclusive_scan_by_offsets,
    segmented_inclusive_scan_by_flags, segmented_inclusive_scan_by_offsets,
};
use spelt::prelude::*;

use super::segmented_reduce::{MIXED, flags, offsets};
use super::{SIZES, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "segmented_scan",
    hypothesis: "f32 in segments of 10, 1000, or from 1 to 32 768 behind one that has half of the elements. Runs of 16 \
        elements are chains that overlap, and the pass before looks no further back than to a beginning: 0.4 to 0.8 of \
        a plain loop on two threads. By offsets, level with rayon over long segments, and half of it over short ones; \
        a plain loop over segments of ten has chains as short, so it is level in the cache of one thread.",
    size: "n",
    variants: &[
        Variant { name: "flags 10", width: 1, sizes: SIZES, race: by_flags::<10, true> },
        Variant { name: "flags 1000", width: 1, sizes: SIZES, race: by_flags::<1000, true> },
        Variant { name: "flags mixed", width: 1, sizes: SIZES, race: by_flags::<MIXED, true> },
        Variant { name: "flags 10 exclusive", width: 1, sizes: SIZES, race: by_flags::<10, false> },
        Variant { name: "offsets 10", width: 1, sizes: SIZES, race: by_offsets::<10, true> },
        Variant { name: "offsets 1000", width: 1, sizes: SIZES, race: by_offsets::<1000, true> },
        Variant { name: "offsets mixed", width: 1, sizes: SIZES, race: by_offsets::<MIXED, true> },
        Variant { name: "offsets 10 exclusive", width: 1, sizes: SIZES, race: by_offsets::<10, false> },
    ],
};

struct Data {
    x: View<f32, 1>,
    offsets: View<usize, 1>,
    flags: View<bool, 1>,
    out: View<f32, 1>,
}

/// Scans one segment.
fn scan<const INCLUSIVE: bool>(out: &mut [f32], x: &[f32]) {
    let mut sum = 0.0;
    for (out, x) in out.iter_mut().zip(x) {
        let before = sum;
        sum += *x;
        *out = if INCLUSIVE { sum } else { before };
    }
}

/// An empty line-up, over data with flags or with offsets.
fn lineup<const LENGTH: usize, const INCLUSIVE: bool>(
    setup: &Setup,
    n: usize,
    flagged: bool,
) -> Result<Lineup<Data, ()>, String> {
    let offsets = offsets::<LENGTH>(n);
    let flags = flags(&offsets);
    let (of_flags, of_offsets) = if flagged { (n, 0) } else { (0, offsets.len()) };
    let data = Data {
        x: setup.view("x", [n], |[i]| f32::element(i + 1))?,
        offsets: setup.view("offsets", [of_offsets], |[i]| offsets[i])?,
        flags: setup.view("flags", [of_flags], |[i]| flags[i])?,
        out: setup.view("out", [n], |_| 0.0)?,
    };
    let bytes = 2 * n * size_of::<f32>() + of_flags + of_offsets * size_of::<usize>();
    let check = move |data: &Data, (): &()| {
        for ends in offsets.windows(2) {
            let mut want = 0.0;
            for i in ends[0]..ends[1] {
                let before = want;
                want += slice(&data.x)[i].wide();
                let prefix = if INCLUSIVE { want } else { before };
                near("a prefix", slice(&data.out)[i], prefix, i - ends[0] + 1)
                    .map_err(|error| format!("{i} of {ends:?}: {error}"))?;
            }
        }
        Ok(())
    };
    Ok(Lineup::new(data, Work { bytes, elements: n }, check)
        .reset(|data| slice_mut(&mut data.out).fill(-1.0)))
}

fn read(lineup: Lineup<Data, ()>, setup: &Setup) -> Made {
    Ok(Box::new(lineup.with_read(&setup.limit, |limit, data| {
        core::hint::black_box(limit.read(slice(&data.x)));
        core::hint::black_box(limit.read(words(slice(&data.flags))));
        core::hint::black_box(limit.read(words(slice(&data.offsets))));
    })))
}

fn by_flags<const LENGTH: usize, const INCLUSIVE: bool>(setup: &Setup, n: usize) -> Made {
    let threads = setup.space.clone();
    let lineup = lineup::<LENGTH, INCLUSIVE>(setup, n, true)?
        .with("Spelt", move |data| {
            let (x, flags, out) = (&data.x, &data.flags, &mut data.out);
            if INCLUSIVE {
                segmented_inclusive_scan_by_flags(&threads, x, flags, out, Sum::new())
            } else {
                segmented_exclusive_scan_by_flags(&threads, x, flags, out, Sum::new())
            }
            .expect("there are as many flags as elements");
        })
        .with("plain", |data| {
            let mut sum = 0.0;
            let flagged = slice(&data.x).iter().zip(slice(&data.flags));
            for (out, (x, begins)) in slice_mut(&mut data.out).iter_mut().zip(flagged) {
                let before = if *begins { 0.0 } else { sum };
                sum = before + *x;
                *out = if INCLUSIVE { sum } else { before };
            }
        });
    read(lineup, setup)
}

fn by_offsets<const LENGTH: usize, const INCLUSIVE: bool>(setup: &Setup, n: usize) -> Made {
    let threads = setup.space.clone();
    let lineup = lineup::<LENGTH, INCLUSIVE>(setup, n, false)?
        .with("Spelt", move |data| {
            let (x, offsets, out) = (&data.x, &data.offsets, &mut data.out);
            if INCLUSIVE {
                segmented_inclusive_scan_by_offsets(&threads, x, offsets, out, Sum::new())
            } else {
                segmented_exclusive_scan_by_offsets(&threads, x, offsets, out, Sum::new())
            }
            .expect("the offsets are right");
        })
        .with("plain", |data| {
            let (x, out) = (slice(&data.x), slice_mut(&mut data.out));
            for ends in slice(&data.offsets).windows(2) {
                scan::<INCLUSIVE>(&mut out[ends[0]..ends[1]], &x[ends[0]..ends[1]]);
            }
        })
        .with("rayon", |data| {
            let (x, mut rest) = (slice(&data.x), slice_mut(&mut data.out));
            let segments = slice(&data.offsets).windows(2).map(|ends| {
                let (out, more) = core::mem::take(&mut rest).split_at_mut(ends[1] - ends[0]);
                rest = more;
                (out, &x[ends[0]..ends[1]])
            });
            let segments: Vec<(&mut [f32], &[f32])> = segments.collect();
            segments.into_par_iter().for_each(|(out, x)| scan::<INCLUSIVE>(out, x));
        });
    read(lineup, setup)
}
