//! Statistics of all temperatures.

use spelt::Result;
use spelt::algorithms::histogram_even;
use spelt::prelude::*;

/// The coldest and the warmest hour, the first of several.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Extremes {
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) min_loc: usize,
    pub(crate) max_loc: usize,
}

impl Extremes {
    pub(crate) fn of<S: ExecutionSpace>(space: &S, temperatures: &View<f64, 1, S::Memory>) -> Result<Self> {
        let found = parallel_reduce(
            "extremes",
            space.range(0..temperatures.len()),
            temperatures,
            |i, best, temperatures| best.update(temperatures[i], i.get()),
            MinMaxLoc::<f64>::new(),
        )?;
        Ok(Self { min: found.min_val, max: found.max_val, min_loc: found.min_loc, max_loc: found.max_loc })
    }
}

/// The number of hours at each degree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Histogram {
    /// The start of the first bar, in degrees.
    pub(crate) first: f64,
    /// The hours of each bar, which is one degree wide.
    pub(crate) counts: Vec<u32>,
}

impl Histogram {
    pub(crate) fn of<S: ExecutionSpace>(
        space: &S,
        temperatures: &View<f64, 1, S::Memory>,
        extremes: &Extremes,
    ) -> Result<Self> {
        // The end belongs to no bar, so it lies above the warmest hour.
        let (first, end) = (extremes.min.floor(), extremes.max.floor() + 1.0);
        let mut counts = space.zeros::<u32, 1>("counts", [(end - first) as usize])?;
        histogram_even(space, temperatures, first..end, &mut counts)?;
        Ok(Self { first, counts: counts.to_host()?.to_vec() })
    }

    /// The start of the highest bar (the first of several), and its hours.
    pub(crate) fn fullest(&self) -> (f64, u32) {
        let bars = self.counts.iter().copied().enumerate().rev();
        let (bar, count) = bars.max_by_key(|&(_, count)| count).unwrap_or((0, 0));
        (self.first + bar as f64, count)
    }
}
