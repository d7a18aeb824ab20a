//! The process that runs the cases. It reports on standard output the case that it begins, and finally the number of accepted cases.

use std::io::{self, Write};

use crate::Options;
use crate::targets::{Outcome, Target};

/// Runs the cases of `options` one after the other.
pub(crate) fn run(target: &Target, options: &Options) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut accepted = 0_u64;
    for case in options.first..options.first.saturating_add(options.cases) {
        writeln!(out, "{case}")?;
        out.flush()?;
        accepted += u64::from((target.run)(&mut random(options.seed, case)) == Outcome::Accepted);
    }
    writeln!(out, "accepted {accepted}")
}

/// The random numbers of one case.
fn random(seed: u64, case: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(fastrand::Rng::with_seed(seed).u64(..).wrapping_add(case))
}
