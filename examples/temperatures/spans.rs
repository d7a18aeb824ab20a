//! Days or months: segments of the temperatures, each reduced.

use spelt::Result;
use spelt::algorithms::{offsets_from_counts, run_length, segmented_reduce_by_offsets};
use spelt::prelude::*;

/// The statistics of a day or a month.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    /// The day or month.
    pub(crate) key: u16,
    /// The number of its temperatures.
    pub(crate) hours: usize,
    pub(crate) min: f64,
    pub(crate) sum: f64,
    pub(crate) max: f64,
}

impl Span {
    pub(crate) fn mean(&self) -> f64 {
        self.sum / self.hours as f64
    }
}

/// The spans of equal neighbouring keys: a span is as long as the data have it, so an hour that is missing does no harm.
pub(crate) fn spans<S: ExecutionSpace>(
    space: &S,
    temperatures: &View<f64, 1, S::Memory>,
    keys: &View<u16, 1, S::Memory>,
) -> Result<Vec<Span>> {
    let (keys, hours) = run_length(space, keys)?;
    let count = keys.len();
    let offsets = offsets_from_counts(space, &hours)?;

    // Each temperature is the least, the sum and the most of itself.
    let mut alone = space.zeros::<(f64, f64, f64), 1>("each alone", temperatures.extents())?;
    parallel_for(
        "each alone",
        space.range(0..alone.len()),
        (temperatures, &mut alone),
        |i, (x, mut alone)| {
            alone[i] = (x[i], x[i], x[i]);
        },
    )?;
    let mut found = space.zeros::<(f64, f64, f64), 1>("spans", [count])?;
    let reducer = (Min::<f64>::new(), Sum::<f64>::new(), Max::<f64>::new());
    segmented_reduce_by_offsets(space, &alone, &offsets, &mut found, reducer)?;

    let (keys, hours, found) = (keys.to_host()?, hours.to_host()?, found.to_host()?);
    let span = |s: usize| {
        let (min, sum, max) = found[s];
        Span { key: keys[s], hours: hours[s], min, sum, max }
    };
    Ok((0..count).map(span).collect())
}
