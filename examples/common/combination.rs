//! The problem of the tutorials with vectors of lanes: sums of M numbers with weights, N times, from `N M R A`.

use getopts::Options;
use spelt::SpaceChoice;

use super::command_line::{CommandLine, wrong};
use super::{say, scientific};

/// N must be a multiple of this: the most lanes of a vector.
const WIDTH: usize = 32;

/// `n` sums of `m` numbers, `r` times, with weights that begin with `a`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Combination {
    /// The number of sums.
    pub(crate) n: usize,
    /// The numbers of a sum.
    pub(crate) m: usize,
    /// Repetitions.
    pub(crate) r: usize,
    /// The first weight.
    pub(crate) a: f64,
    /// The space.
    pub(crate) space: SpaceChoice,
}

impl Combination {
    /// The sizes that the command line gives.
    pub(crate) fn from_command_line(brief: &str) -> Self {
        let brief = format!("Usage: [N] [M] [R] [A]: {brief}; defaults 320000, 3, 10 and 1.5");
        let line = CommandLine::parse(&brief, 4, Options::new());
        let n = line.positional(0, "N", 320_000_usize);
        if !n.is_multiple_of(WIDTH) {
            wrong(format!("N `{n}`: choose a multiple of {WIDTH}"));
        }
        let (m, r) = (line.positional(1, "M", 3_usize), line.positional(2, "R", 10_usize));
        if n.checked_mul(m).is_none() {
            wrong(format!("N * M: {n} times {m} numbers are too many for this machine"));
        }
        Self { n, m, r, a: line.positional(3, "A", 1.5), space: line.space() }
    }

    /// Each number of sum `i`.
    pub(crate) fn number(i: usize) -> f64 {
        (i % 8) as f64
    }

    /// Prints the time of all repetitions, and the total of all sums.
    pub(crate) fn report(form: &str, seconds: f64, total: f64) {
        say!("{form} Time: {:.6} ms ( {} )\n", 1e3 * seconds, scientific(total));
    }
}
