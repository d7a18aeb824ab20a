//! The nearest images, and the digit of most of them.

use spelt::Result;
use spelt::algorithms::{ArgKMin, reduce_pairs_over_j};
use spelt::prelude::*;

use super::images::{CLASSES, Digits, distance_squared};

/// The number of neighbours of each image.
pub(crate) const NEIGHBOURS: usize = 9;

/// The images nearest to one, the nearest first; of equally near ones the earlier.
pub(crate) type Nearest = [usize; NEIGHBOURS];

/// The nearest of the other images, for each: one reduction over all pairs.
pub(crate) fn nearest<S: ExecutionSpace>(
    space: &S,
    digits: &Digits<S::Memory>,
) -> Result<View<Nearest, 1, S::Memory>> {
    let images = &digits.images;
    let mut nearest = space.zeros::<Nearest, 1>("nearest", images.extents())?;
    reduce_pairs_over_j(
        space,
        images,
        images,
        &mut nearest,
        |[i, j], best, (x, y)| {
            if i != j {
                best.update(distance_squared(&x, &y), j);
            }
        },
        ArgKMin::<f32, NEIGHBOURS>::new(),
    )?;
    Ok(nearest)
}

/// The digit that most of the `k` nearest images show, for each image.
pub(crate) fn votes<S: ExecutionSpace>(
    space: &S,
    digits: &Digits<S::Memory>,
    nearest: &View<Nearest, 1, S::Memory>,
    k: usize,
) -> Result<View<u8, 1, S::Memory>> {
    let mut votes = space.zeros::<u8, 1>("votes", nearest.extents())?;
    parallel_for(
        "votes",
        space.range(0..nearest.len()),
        (nearest, digits.labels.lookup(), &mut votes),
        move |i, (nearest, labels, mut votes)| {
            // There is no label if there are fewer than `k` other images.
            votes[i] = most(nearest[i].iter().take(k).filter_map(|&j| labels.get(j).copied()));
        },
    )?;
    Ok(votes)
}

/// The most frequent digit; of several the first.
#[inline(always)]
fn most(mut digits: impl Iterator<Item = u8> + Clone) -> u8 {
    let mut counts = [0_u8; CLASSES];
    for digit in digits.clone() {
        counts[usize::from(digit)] += 1;
    }
    let count = |digit: u8| counts[usize::from(digit)];
    let highest = digits.clone().map(count).fold(0, u8::max);
    digits.find(|&digit| count(digit) == highest).unwrap_or(0)
}
