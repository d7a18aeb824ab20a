//! Statistics of all numbers: one reduction, in parts or in one launch.

use spelt::prelude::*;

use crate::numbers::Numbers;
use crate::program::{Outcome, Progress};

/// The reducers: sum, sum of squares, and extremes.
type Reducers = (Sum<f64>, Sum<f64>, MinMax<f64>);

/// The statistics of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Statistics {
    pub(crate) sum: f64,
    pub(crate) squares: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Statistics {
    /// Reads `piece` numbers at a time, and reduces each piece as the next part of the whole.
    pub(crate) fn in_parts<S: ExecutionSpace>(
        space: &S,
        numbers: &mut Numbers,
        piece: usize,
    ) -> Outcome<Self> {
        let mut part = Part::new(numbers.count, Reducers::default());
        let mut progress = Progress::new("reducing", numbers.count);
        // No more room than there are numbers.
        let mut room = vec![0.0; piece.min(numbers.count)];
        let mut there = space.zeros::<f64, 1>("piece", [room.len()])?;
        while part.range().end < numbers.count {
            let count = numbers.read(&mut room)?;
            if count == 0 {
                return Err("the file has become shorter".into());
            }
            space.deep_copy(&mut there, &ViewRef::from_slice([room.len()], &room)?)?;
            part.reduce("statistics", space.range(0..count), &there, |i, value, x| update(value, x[i]))?;
            progress.advance(count);
        }
        Ok(Self::of(part.finish()?))
    }

    /// Reads all numbers, and reduces them in one launch.
    pub(crate) fn in_one_launch<S: ExecutionSpace>(space: &S, numbers: &mut Numbers) -> Outcome<Self> {
        let mut all = vec![0.0; numbers.count];
        let count = numbers.read(&mut all)?;
        let there = ViewRef::from_slice([all.len()], &all)?.to_space(space)?;
        let result = parallel_reduce(
            "whole",
            space.range(0..count),
            &there,
            |i, value, x| update(value, x[i]),
            Reducers::default(),
        )?;
        Ok(Self::of(result))
    }

    fn of((sum, squares, ends): (f64, f64, MinMaxValue<f64>)) -> Self {
        Self { sum, squares, min: ends.min_val, max: ends.max_val }
    }
}

/// Adds a number.
fn update((sum, squares, ends): &mut (f64, f64, MinMaxValue<f64>), x: f64) {
    *sum += x;
    *squares += x * x;
    ends.update(x);
}
