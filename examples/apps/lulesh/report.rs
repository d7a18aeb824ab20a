//! The results, and whether they are right.

use std::io::{self, Write};

use spelt::prelude::*;

use super::blast::{Blast, END, Energy, Symmetry, exact_front};
use crate::program::Outcome;

/// The largest relative difference between elements that are images of one another.
const MAX_ASYMMETRY: f64 = 1e-8;

/// The largest relative change of the total energy. Source: measured, 0.056, most of it in the second step.
const MAX_ENERGY_CHANGE: f64 = 0.08;

/// Cycles and final energy at the origin, by size. Source: "LULESH 2.0 Updates and Changes", LLNL-TR-641973.
const PUBLISHED: [(usize, usize, f64); 7] = [
    (5, 72, 7.853665e3),
    (10, 231, 2.720531e4),
    (30, 932, 2.025075e5),
    (45, 1477, 4.234875e5),
    (50, 1662, 5.124778e5),
    (70, 2402, 9.417145e5),
    (90, 3145, 1.482403e6),
];

/// The results of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) size: usize,
    pub(crate) cycles: usize,
    pub(crate) time: f64,
    /// The energy of the element at the origin.
    pub(crate) origin: f64,
    pub(crate) symmetry: Symmetry,
    /// The energy at the start and at the end.
    pub(crate) energy: [Energy; 2],
    /// The distance of the shock from the origin.
    pub(crate) front: f64,
}

impl Report {
    /// The results of the blast, which had this energy at the start.
    pub(crate) fn new<S: ExecutionSpace>(
        space: &S,
        blast: &Blast<S::Memory>,
        start: Energy,
    ) -> spelt::Result<Self> {
        Ok(Self {
            size: blast.size,
            cycles: blast.clock.cycle,
            time: blast.clock.time,
            origin: blast.state.to_host()?[0].energy,
            symmetry: blast.symmetry()?,
            energy: [start, blast.energy(space)?],
            front: blast.front(space)?,
        })
    }

    /// Writes the results.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { size, cycles, time, origin, symmetry, energy: [start, end], front } = self;
        let Symmetry { max_abs_diff, total_abs_diff, max_rel_diff } = symmetry;
        let Energy { internal, kinetic, dissipated } = end;
        writeln!(out, "Sedov blast: {size} elements along each side")?;
        writeln!(out, "  {cycles} cycles to time {time:.6e}")?;
        writeln!(out, "  final origin energy {origin:.6e}")?;
        writeln!(
            out,
            "  symmetry: MaxAbsDiff {max_abs_diff:.6e}, TotalAbsDiff {total_abs_diff:.6e}, MaxRelDiff {max_rel_diff:.6e}"
        )?;
        writeln!(out, "  total energy {:.3}, at the start {:.3}", end.total(), start.total())?;
        writeln!(
            out,
            "    heat {internal:.3}, motion {kinetic:.3}, taken from hourglass modes {dissipated:.3}"
        )?;
        writeln!(out, "  shock at distance {front:.3}, by the exact solution {:.3}", exact_front(*time))
    }

    /// Whether the results are right.
    pub(crate) fn verify(&self) -> Outcome {
        let [start, end] = self.energy.map(|energy| energy.total());
        let change = (end / start - 1.0).abs();
        if change > MAX_ENERGY_CHANGE || change.is_nan() {
            return Err(format!("the total energy was {start:.3} and is {end:.3}").into());
        }
        if self.symmetry.max_rel_diff > MAX_ASYMMETRY {
            return Err(format!("the blast is not symmetric: {:?}", self.symmetry).into());
        }
        if self.time >= END { self.compare_with_published() } else { Ok(()) }
    }

    /// Compares cycles and energy with the published ones, to all of their digits, if there are any for this size.
    fn compare_with_published(&self) -> Outcome {
        let Self { size, cycles, origin: energy, .. } = *self;
        let digits = |energy: f64| format!("{energy:.6e}");
        for (known, expected_cycles, expected_energy) in PUBLISHED {
            if known == size && (cycles, digits(energy)) != (expected_cycles, digits(expected_energy)) {
                let found = format!("{cycles} cycles, energy {}", digits(energy));
                let expected = format!("{expected_cycles} cycles, energy {}", digits(expected_energy));
                return Err(format!("size {size}: {found}; published: {expected}").into());
            }
        }
        Ok(())
    }
}
