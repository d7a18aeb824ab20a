//! Gaussian sums over pairs of places.

use spelt::algorithms::{BlockRanges, reduce_blocks_over_j, reduce_pairs_over_j};
use spelt::math;
use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::samples::{Place, Samples};

/// Rows of pairs that are reduced in one launch, so that progress can be shown. Unit: places.
const SLAB: usize = 1024;

/// The sum of the weighted heights around a place, and the sum of the weights.
pub(crate) type Sums = [f32; 2];

/// The data to smooth, in the kernels' memory.
pub(crate) struct Gauss<M: MemorySpace = HostSpace> {
    places: View<Place, 1, M>,
    measured: View<(Place, f32), 1, M>,
    /// The factor from the square of a distance to an exponent.
    per_square: f32,
}

impl<M: MemorySpace> Gauss<M> {
    /// Samples, and the width of the Gaussian in kilometres.
    pub(crate) fn new<S: ExecutionSpace<Memory = M>>(
        space: &S,
        samples: &Samples,
        width: f32,
    ) -> Result<Self> {
        let (places, noisy) = (&samples.places, &samples.noisy);
        Ok(Self {
            places: space.view_from_fn("places", [places.len()], |[i]| places[i])?,
            measured: space.view_from_fn("measured", [places.len()], |[j]| (places[j], noisy[j]))?,
            per_square: -0.5 / (width * width),
        })
    }

    /// The sums over all pairs; calls `done` with the number of places that are done.
    pub(crate) fn dense<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        mut done: impl FnMut(usize),
    ) -> Result<View<Sums, 1, M>> {
        let n = self.places.len();
        let mut sums = space.zeros::<Sums, 1>("sums over all pairs", [n])?;
        // Each place is reduced by itself: the slabs change no bit.
        for first in (0..n).step_by(SLAB) {
            let slab = first..n.min(first + SLAB);
            let places = self.places.subview(slab.clone());
            let mut sums = sums.subview_mut(slab.clone());
            reduce_pairs_over_j(space, &places, &self.measured, &mut sums, self.weigh(), Sum::<Sums>::new())?;
            space.fence()?;
            done(slab.len());
        }
        Ok(sums)
    }

    /// The sums over the pairs that are near.
    pub(crate) fn sparse<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        near: &BlockRanges,
    ) -> Result<View<Sums, 1, M>> {
        let mut sums = space.zeros::<Sums, 1>("sums over near pairs", self.places.extents())?;
        let reducer = Sum::<Sums>::new();
        reduce_blocks_over_j(space, near, &self.places, &self.measured, &mut sums, self.weigh(), reducer)?;
        space.fence()?;
        Ok(sums)
    }

    /// The contribution of a pair: the kernel of both forms.
    #[allow(clippy::type_complexity, reason = "a closure, whose type has no other name")]
    fn weigh(&self) -> impl Fn([usize; 2], &mut Sums, (Place, (Place, f32))) + Copy + Sync + use<M> {
        let per_square = self.per_square;
        move |_, sums, (x, (y, height))| {
            let (east, south) = (x[0] - y[0], x[1] - y[1]);
            let weight = math::exp(per_square * (east * east + south * south));
            sums[0] += weight * height;
            sums[1] += weight;
        }
    }
}

/// The weighted means that result from the sums, on the host.
pub(crate) fn means<S: ExecutionSpace>(space: &S, sums: &View<Sums, 1, S::Memory>) -> Result<Vec<f32>> {
    let mut means = space.zeros::<f32, 1>("means", sums.extents())?;
    parallel_for("means", space.range(0..means.len()), (sums, &mut means), |i, (sums, mut means)| {
        let [heights, weights] = sums[i];
        means[i] = heights / weights;
    })?;
    Ok(means.to_host()?.to_vec())
}
