//! The density of the images of each digit: a mixture of Gaussians, one around each image.

use std::f64::consts::PI;

use spelt::algorithms::{LogSumExp, positions, reduce_pairs_over_j};
use spelt::math;
use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::images::{CLASSES, Digits, Image, PIXELS, distance_squared};

/// The images of each digit, with their indices among all images.
pub(crate) struct Members<M: MemorySpace> {
    of_digit: Vec<View<(usize, Image), 1, M>>,
}

impl<M: MemorySpace> Members<M> {
    /// Sorts the images by their digits.
    pub(crate) fn of<S: ExecutionSpace<Memory = M>>(space: &S, digits: &Digits<M>) -> Result<Self> {
        let of_digit = (0..CLASSES as u8).map(|digit| -> Result<_> {
            let places = positions(space, &digits.labels, move |&label| label == digit)?;
            let mut members = space.zeros::<(usize, Image), 1>("members", places.extents())?;
            parallel_for(
                "members",
                space.range(0..places.len()),
                (&places, digits.images.lookup(), &mut members),
                |k, (places, images, mut members)| members[k] = (places[k], images[places[k]]),
            )?;
            Ok(members)
        });
        Ok(Self { of_digit: of_digit.collect::<Result<_>>()? })
    }

    /// The densities of all digits at the images, with Gaussians of this width; calls `step` after each digit.
    pub(crate) fn densities<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        digits: &Digits<M>,
        width: f32,
        mut step: impl FnMut(),
    ) -> Result<Densities<M>> {
        let n = digits.images.len();
        let mut sums = space.zeros::<f32, 2>("sums of a digit", [CLASSES, n])?;
        let per_square = -0.5 / (width * width);
        for (digit, members) in self.of_digit.iter().enumerate() {
            reduce_pairs_over_j(
                space,
                &digits.images,
                members,
                &mut sums.subview_mut((digit, All)),
                move |[i, _], sum, (x, (j, y))| {
                    let exponent = per_square * distance_squared(&x, &y);
                    // An image does not contribute to its own density.
                    sum.update(if i == j { f32::NEG_INFINITY } else { exponent });
                },
                LogSumExp::<f32>::new(),
            )?;
            space.fence()?;
            step();
        }
        let mut counts = [0; CLASSES];
        for (count, members) in counts.iter_mut().zip(&self.of_digit) {
            *count = members.len();
        }
        Ok(Densities { sums, counts, width })
    }
}

/// The density of the images of each digit at each image, which itself does not count.
pub(crate) struct Densities<M: MemorySpace> {
    /// The logarithm of the sum of e^(-d^2 / 2 width^2) over the images of a digit.
    sums: View<f32, 2, M>,
    /// The images of each digit.
    counts: [usize; CLASSES],
    width: f32,
}

impl<M: MemorySpace> Densities<M> {
    /// The digit of the largest density, for each image.
    pub(crate) fn likeliest<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        digits: &Digits<M>,
    ) -> Result<View<u8, 1, M>> {
        let mut likeliest = space.zeros::<u8, 1>("likeliest", digits.labels.extents())?;
        let counts = self.counts;
        parallel_for(
            "likeliest",
            space.range(0..likeliest.len()),
            (self.sums.lookup(), &digits.labels, &mut likeliest),
            move |i, (sums, labels, mut likeliest)| {
                let (mut best, mut largest) = (0, f32::NEG_INFINITY);
                for digit in 0..CLASSES {
                    let others = counts[digit] - usize::from(usize::from(labels[i]) == digit);
                    let density = sums[[digit, i.get()]] - math::ln(others as f32);
                    if density > largest {
                        (best, largest) = (digit as u8, density);
                    }
                }
                likeliest[i] = best;
            },
        )?;
        Ok(likeliest)
    }

    /// The mean logarithm of the density of all images of any digit: the larger, the better the width.
    pub(crate) fn mean_log_likelihood<S: ExecutionSpace<Memory = M>>(&self, space: &S) -> Result<f64> {
        let n = self.sums.extent(1);
        let sum = parallel_map_reduce(
            "log-likelihood",
            space.range(0..n),
            self.sums.lookup(),
            |i, sums| {
                let all = LogSumExp::<f64>::new();
                let mut value = all.init();
                for digit in 0..CLASSES {
                    value.update(f64::from(sums[[digit, i.get()]]));
                }
                all.finish(value)
            },
            Sum::<f64>::new(),
        )?;
        let width = f64::from(self.width);
        let volume = 0.5 * PIXELS as f64 * math::ln(2.0 * PI * width * width);
        Ok(sum / n as f64 - math::ln((n - 1) as f64) - volume)
    }
}
