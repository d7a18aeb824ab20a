//! Which digits were mistaken for which.

use std::fmt;

use spelt::algorithms::histogram;
use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::images::CLASSES;

/// The number of times that each digit was classified as each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Confusion {
    /// Rows are the true digits, columns the digits that they were classified as.
    pub(crate) counts: [[u32; CLASSES]; CLASSES],
}

impl Confusion {
    /// Counts true digits against classified ones.
    pub(crate) fn of<S, M>(space: &S, shown: &View<u8, 1, M>, taken: &View<u8, 1, M>) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M>,
        M: MemorySpace,
    {
        let mut cells = space.zeros::<u8, 1>("cells", shown.extents())?;
        parallel_for(
            "cells",
            space.range(0..shown.len()),
            (shown, taken, &mut cells),
            |i, (shown, taken, mut cells)| cells[i] = shown[i] * CLASSES as u8 + taken[i],
        )?;
        let mut counts = space.zeros::<u32, 1>("counts", [CLASSES * CLASSES])?;
        histogram(space, &cells, &mut counts)?;
        let counts = counts.to_host()?;
        let mut confusion = Self { counts: [[0; CLASSES]; CLASSES] };
        for (cell, &count) in counts.iter().enumerate() {
            confusion.counts[cell / CLASSES][cell % CLASSES] = count;
        }
        Ok(confusion)
    }

    /// Their number.
    pub(crate) fn all(&self) -> u32 {
        self.counts.as_flattened().iter().sum()
    }

    /// The number of misclassified digits.
    pub(crate) fn wrong(&self) -> u32 {
        self.all() - (0..CLASSES).map(|digit| self.counts[digit][digit]).sum::<u32>()
    }

    /// The share that was classified correctly. Unit: percent.
    pub(crate) fn accuracy(&self) -> f64 {
        100.0 * f64::from(self.all() - self.wrong()) / f64::from(self.all())
    }
}

impl fmt::Display for Confusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} % right, {} of {} wrong", self.accuracy(), self.wrong(), self.all())
    }
}
