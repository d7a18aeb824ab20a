//! `scatter`: contiguous parts of the iterations, whose number depends on the size of the View alone, joined in order.

use spelt::prelude::*;

use crate::equal::{assert_same, rough};
use crate::spaces::every;

/// Index `i` of a box with 50 columns, and where it adds.
fn cell(index: [usize; 2], bins: usize) -> (usize, usize) {
    let i = index[0] * 50 + index[1];
    (i, i * 7 % bins)
}

/// Zeros of both signs, NaN, and a number below.
fn zero(i: usize) -> f64 {
    [0.0, -0.0, f64::NAN, -1.5][i * 40_503 % 65_536 / 16_384]
}

/// Sums of `rough(i + call)` for the calls of each iteration, written down as the documentation of `Scatter` has it.
fn wanted(n: usize, bins: usize, parts: usize) -> Vec<f64> {
    let mut sums: Vec<f64> = (0..bins).map(rough).collect();
    let len = n.div_ceil(parts).max(1);
    for first in (0..n).step_by(len) {
        let mut part = vec![None; bins];
        for i in first..n.min(first + len) {
            for call in 0..i % 4 {
                let sum = &mut part[(i * 7 + call) % bins];
                *sum = Some(sum.unwrap_or(-0.0) + rough(i + call));
            }
        }
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part.unwrap_or(-0.0));
    }
    sums
}

every! { on_every_setting:
    fn floats_have_the_same_bits(space, setting) {
        for (n, bins, parts) in [(0, 3, 64), (1, 3, 64), (63, 1, 64), (1025, 3, 64), (3000, 1000, 64), (1500, 13, 7)] {
            let mut sums = space.view_from_fn("sums", [bins], |[bin]| rough(bin)).expect("memory");
            let scatter = sums.scatter();
            assert_eq!(scatter.replicas(), Some(64));
            parallel_for("scatter", setting.range(space, 0..n), scatter.duplicated(parts), move |i, sums| {
                let i = i.get();
                (0..i % 4).for_each(|call| sums.add((i * 7 + call) % bins, rough(i + call)));
            }).expect("nothing has to be covered");
            assert_same(&sums.to_host().expect("memory").to_vec(), &wanted(n, bins, parts), format!("{n} in {bins}"));
        }
    }

    // Of zeros of both signs the first one stays, and NaN is ignored.
    fn extrema_of_floats_have_the_same_bits(space, setting) {
        for (n, bins) in [(0, 3), (1, 3), (100, 1), (1025, 7), (3000, 200)] {
            let start = |bin: usize| [f64::NAN, -2.0, -0.0][bin % 3];
            let mut most = space.view_from_fn("most", [bins], |[bin]| start(bin)).expect("memory");
            let mut least = space.view_from_fn("least", [bins], |[bin]| -start(bin)).expect("memory");
            let args = (most.scatter_with(Max::new()), least.scatter_with(Min::new()));
            parallel_for("extrema", setting.range(space, 0..n), args, move |i, (most, least)| {
                let (i, bin) = (i.get(), i.get() * 7 % bins);
                most.max(bin, zero(i));
                least.min(bin, -zero(i));
            }).expect("nothing has to be covered");
            let mut wanted: Vec<f64> = (0..bins).map(start).collect();
            for i in 0..n {
                let (held, x) = (&mut wanted[i * 7 % bins], zero(i));
                if x > *held || held.is_nan() && !x.is_nan() {
                    *held = x;
                }
            }
            assert_same(&most.to_host().expect("memory").to_vec(), &wanted, format!("most, {n} in {bins}"));
            wanted.iter_mut().for_each(|x| *x = -*x);
            assert_same(&least.to_host().expect("memory").to_vec(), &wanted, format!("least, {n} in {bins}"));
        }
    }

    // Loops over the lanes of a reduction take several rows at a time where nothing else matters.
    fn reductions_contribute_in_ascending_order(space, setting) {
        for (n, bins) in [(0, 3), (1, 3), (128, 3), (2048, 7), (5000, 1000)] {
            let [mut line, mut cells, mut found] = ["line", "cells", "found"]
                .map(|label| space.view_from_fn(label, [bins], |[bin]| rough(bin)).expect("memory"));
            let count = parallel_reduce("line", setting.range(space, 0..n), line.scatter().duplicated(1), move |i, sum, line| {
                let i = i.get();
                (0..i % 4).for_each(|call| line.add((i * 7 + call) % bins, rough(i + call)));
                *sum += 1.0;
            }, Sum::<f64>::new()).expect("nothing has to be covered");
            let least = parallel_map_reduce("found", setting.range(space, 0..n), found.scatter().duplicated(3), move |i, found| {
                let i = i.get();
                (0..i % 4).for_each(|call| found.add((i * 7 + call) % bins, rough(i + call)));
                i as f64
            }, MinLoc::at_index()).expect("nothing has to be covered");
            assert_eq!((count, least.loc), (n as f64, if n > 0 { 0 } else { usize::MAX }));
            assert_same(&line.to_host().expect("memory").to_vec(), &wanted(n, bins, 1), format!("{n} in {bins}"));
            assert_same(&found.to_host().expect("memory").to_vec(), &wanted(n, bins, 3), format!("{n} in {bins}"));
            let policy = setting.md_range(space, [0..n / 50, 0..50]);
            parallel_reduce("cells", policy, cells.scatter().duplicated(1), move |index, sum, cells| {
                let (i, bin) = cell(index.index(), bins);
                cells.add(bin, rough(i));
                *sum += 1;
            }, Sum::<u64>::new()).expect("nothing has to be covered");
            let mut sums: Vec<f64> = (0..bins).map(rough).collect();
            let mut part = vec![-0.0; bins];
            for i in 0..n / 50 * 50 {
                part[i * 7 % bins] += rough(i);
            }
            sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            assert_same(&cells.to_host().expect("memory").to_vec(), &sums, format!("{n} cells in {bins}"));
        }
    }
}
