//! The distribution of the ground over heights, from sorted heights.

use spelt::algorithms::{gather, sort, upper_bound};
use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::terrain::Terrain;

/// The heights of all cells, ascending.
pub(crate) struct Hypsometry<M: MemorySpace = HostSpace> {
    sorted: View<i16, 1, M>,
}

impl<M: MemorySpace> Hypsometry<M> {
    /// Sorts the heights of a terrain.
    pub(crate) fn of<S: ExecutionSpace<Memory = M>>(space: &S, terrain: &Terrain<M>) -> Result<Self> {
        let mut sorted = space.zeros::<i16, 1>("sorted", [terrain.heights.len()])?;
        deep_copy(&mut sorted, &terrain.heights.regrouped([&[0, 1]])?)?;
        sort(space, &mut sorted)?;
        Ok(Self { sorted })
    }

    /// For each percentage, the least height such that at least that share of the ground is not above it; the lowest for 0 %.
    pub(crate) fn percentiles<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        percents: &[usize],
    ) -> Result<Vec<i16>> {
        let n = self.sorted.len();
        // The nearest rank.
        let rank = |percent: usize| (percent * n).div_ceil(100).saturating_sub(1);
        let ranks = space.view_from_fn("ranks", [percents.len()], |[i]| rank(percents[i]))?;
        let mut heights = space.zeros::<i16, 1>("percentiles", [percents.len()])?;
        gather(space, &self.sorted, &ranks, &mut heights)?;
        Ok(heights.to_host()?.to_vec())
    }

    /// The shares of the ground that are above these heights.
    pub(crate) fn shares_above<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        levels: &[i16],
    ) -> Result<Vec<f64>> {
        let needles = space.view_from_fn("levels", [levels.len()], |[i]| levels[i])?;
        let mut not_above = space.zeros::<usize, 1>("not above", [levels.len()])?;
        upper_bound(space, &self.sorted, &needles, &mut not_above)?;
        let n = self.sorted.len();
        Ok(not_above.to_host()?.iter().map(|&count| (n - count) as f64 / n as f64).collect())
    }
}
