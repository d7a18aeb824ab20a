//! `scatter`: contiguous parts of the iterations, whose number depends on the size of the View alone, joined in order.

use spelt::prelude::*;

use crate::equal::{assert_same, rough};
use crate::spaces::every;

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
}
