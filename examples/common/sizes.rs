//! The sizes of the problem y^T * A * x that most tutorials solve, from the options `-N -M -S -nrepeat`.

use std::process::exit;

use getopts::Options;
use spelt::SpaceChoice;

use super::command_line::{CommandLine, wrong};
use super::{general, say};

/// The exponent of the number of columns if neither columns nor rows are given.
const DEFAULT_M: u32 = 10;

/// The problem: `e` times a vector y of `n`, a matrix A of `n` x `m` and a vector x of `m` ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Rows of A.
    pub(crate) n: usize,
    /// Columns of A.
    pub(crate) m: usize,
    /// Elements: problems of this size. 1 if the tutorial has no elements.
    pub(crate) e: usize,
    /// The number of repetitions.
    pub(crate) nrepeat: usize,
    /// The space.
    pub(crate) space: SpaceChoice,
    /// Whether there are elements.
    elements: bool,
}

impl Sizes {
    /// The sizes that the command line gives. Defaults: S = 2^22, M = 2^10.
    pub(crate) fn from_command_line(brief: &str) -> Self {
        Self::parse(brief, 22, None, &mut Options::new(), |_| ()).0
    }

    /// The same for a tutorial that has elements. Defaults: E = 2^10, S = 2^18, M = 2^10.
    pub(crate) fn with_elements(brief: &str) -> Self {
        Self::parse(brief, 18, Some(10), &mut Options::new(), |_| ()).0
    }

    /// [`from_command_line`](Self::from_command_line) with more options, which `read` reads.
    pub(crate) fn with_options<T>(
        brief: &str,
        options: &mut Options,
        read: impl FnOnce(&CommandLine) -> T,
    ) -> (Self, T) {
        Self::parse(brief, 22, None, options, read)
    }

    fn parse<T>(
        brief: &str,
        default_s: u32,
        default_e: Option<u32>,
        options: &mut Options,
        read: impl FnOnce(&CommandLine) -> T,
    ) -> (Self, T) {
        let default_n = default_s - DEFAULT_M;
        options.optopt("N", "Rows", &format!("2^N rows of A; default 2^{default_n}"), "N");
        options.optopt("M", "Columns", &format!("2^M columns of A; default 2^{DEFAULT_M}"), "M");
        options.optopt("S", "Size", &format!("2^S elements of A; default 2^{default_s}"), "S");
        if let Some(e) = default_e {
            options.optopt("E", "Elements", &format!("2^E problems; default 2^{e}"), "E");
        }
        options.optopt("", "nrepeat", "repetitions; default 100", "COUNT");
        let line = CommandLine::parse(brief, 0, std::mem::take(options));

        let n = size(&line, "N");
        let m = size(&line, "M");
        let s = size(&line, "S");
        let e = default_e.map(|default| size(&line, "E").unwrap_or(1 << default));
        let (s, n, m) = consistent(s, n, m, 1 << default_s);
        say!("  Total size S = {s} N = {n} M = {m}");
        match e {
            Some(e) => say!(" E = {e}\n"),
            None => say!("\n"),
        }
        if n.checked_mul(m) != Some(s) {
            wrong("N * M != S");
        }
        let sizes = Self {
            n,
            m,
            e: e.unwrap_or(1),
            nrepeat: line.option("nrepeat").unwrap_or(100),
            space: line.space(),
            elements: e.is_some(),
        };
        (sizes, read(&line))
    }

    /// Checks the result of one repetition, and prints it if it is the last; a wrong one ends the program with status 1.
    pub(crate) fn check(&self, repeat: usize, result: f64) {
        let Self { n, m, e, .. } = *self;
        if repeat + 1 == self.nrepeat {
            match self.elements {
                true => say!("  Computed result for {n} x {m} x {e} is {result:.6}\n"),
                false => say!("  Computed result for {n} x {m} is {result:.6}\n"),
            }
        }
        let solution = n as f64 * m as f64 * e as f64;
        if result != solution {
            say!("  Error: result( {result:.6} ) != solution( {solution:.6} )\n");
            exit(1);
        }
    }

    /// Prints the sizes, the time in seconds, and the resulting bandwidth.
    pub(crate) fn report(&self, time: f64) {
        let Self { n, m, e, nrepeat, .. } = *self;
        // Each of y, A and x is read once.
        let values = e as f64 * (m as f64 + m as f64 * n as f64 + n as f64);
        let gbytes = 1.0e-9 * size_of::<f64>() as f64 * values;
        say!("  N( {n} ) M( {m} ) ");
        if self.elements {
            say!("E( {e} ) ");
        }
        say!(
            "nrepeat ( {nrepeat} ) problem( {} MB ) time( {} s ) bandwidth( {} GB/s )\n",
            general(gbytes * 1000.0),
            general(time),
            general(gbytes * nrepeat as f64 / time)
        );
    }
}

/// The power of two that an option gives, which is printed.
fn size(line: &CommandLine, name: &str) -> Option<usize> {
    let exponent: u32 = line.option(name)?;
    let Some(size) = 1_usize.checked_shl(exponent) else {
        wrong(format!("-{name} `{exponent}`: 2^{exponent} is too large for this machine"));
    };
    say!("  User {name} is {size}\n");
    Some(size)
}

/// S, N and M from those that are given.
fn consistent(
    s: Option<usize>,
    n: Option<usize>,
    m: Option<usize>,
    default_s: usize,
) -> (usize, usize, usize) {
    let s = s.unwrap_or_else(|| match (n, m) {
        (Some(n), Some(m)) => {
            n.checked_mul(m).unwrap_or_else(|| wrong("N * M is too large for this machine"))
        }
        (Some(one), None) | (None, Some(one)) => default_s.max(one),
        (None, None) => default_s,
    });
    let m = m.unwrap_or_else(|| match n {
        Some(n) => s / n,
        None => s.min(1 << DEFAULT_M),
    });
    let n = n.unwrap_or_else(|| s / m);
    (s, n, m)
}
