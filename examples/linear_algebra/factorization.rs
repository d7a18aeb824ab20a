//! The options and the output that programs with incomplete factors share.

use getopts::Options;
use spelt::TeamSize;
use spelt::prelude::*;

use crate::common::{CommandLine, general, say, wrong, wrong_result};
use crate::sparse::{Factors, MAX_ROWS, Matrix};

/// The elements that Kokkos's exercises expect in a factor, for each of the matrix and each level of fill.
const EXPANSION: usize = 6;

/// How the rows of a level are computed, with Kokkos's names.
#[derive(Clone, Copy)]
pub(crate) enum Algorithm {
    /// `lvlrp`: one index of a range for each row.
    Range,
    /// `lvltp1`: one team for each row.
    Teams(TeamSize),
}

impl Algorithm {
    /// Adds the option `name`, for the computation of `what`.
    pub(crate) fn option(options: &mut Options, name: &str, what: &str) {
        let help = format!(
            "{what}: lvlrp, a range over the rows of a level, or lvltp1, a team for each; default lvlrp"
        );
        options.optopt("", name, &help, "ALGORITHM");
    }

    /// Adds the option for the size of teams.
    pub(crate) fn team_size_option(options: &mut Options) {
        options.optopt("", "ts", "threads of a team of lvltp1, -1: chosen by the space; default -1", "COUNT");
    }

    /// The value of the option `name`.
    pub(crate) fn read(line: &CommandLine, name: &str) -> Self {
        let team_size = line.option("ts").unwrap_or(-1_i64);
        let size = match usize::try_from(team_size) {
            Ok(threads @ 1..) => TeamSize::Threads(threads),
            _ if team_size == -1 => TeamSize::Auto,
            _ => wrong(format!("-ts `{team_size}`: give a number of threads, or -1")),
        };
        let algorithm = line.option(name).unwrap_or_else(|| "lvlrp".to_owned());
        match algorithm.as_str() {
            "lvlrp" => Self::Range,
            "lvltp1" => Self::Teams(size),
            other => wrong(format!("-{name} `{other}`: choose lvlrp or lvltp1")),
        }
    }

    /// Prints the size of teams, and the name of the algorithm after `title`.
    pub(crate) fn print(self, title: &str) {
        let name = match self {
            Self::Range => "SEQLVLSCHD_RP",
            Self::Teams(size) => {
                match size {
                    TeamSize::Threads(threads) | TeamSize::AtMost(threads) => {
                        say!("TP1 set team_size = {threads}\n")
                    }
                    TeamSize::Auto => say!("TP1 set team_size = -1\n"),
                }
                "SEQLVLSCHD_TP1"
            }
        };
        say!("{title}{name}\n");
    }
}

/// The program that prints: the lines of Kokkos's exercises differ.
#[derive(Clone, Copy, PartialEq)]
#[allow(dead_code, reason = "each program is one of them")]
pub(crate) enum Program {
    /// `spiluk`
    Factors,
    /// `cgsolve_spiluk`
    Solver,
}

/// The matrix and its factors.
pub(crate) struct Problem {
    /// The extents of the grid.
    pub(crate) grid: [usize; 2],
    /// The level of fill.
    pub(crate) fill: usize,
    /// How the factors are computed.
    pub(crate) algorithm: Algorithm,
}

impl Problem {
    /// The options of the problem, of which `algorithm` is the one for the factors.
    pub(crate) fn options(algorithm: &str) -> Options {
        let mut options = Options::new();
        Algorithm::option(&mut options, algorithm, "the factors");
        Algorithm::team_size_option(&mut options);
        options.optopt("", "nx", "points of the grid in x direction; default 10", "COUNT");
        options.optopt("", "ny", "points of the grid in y direction; default 10", "COUNT");
        options.optopt("k", "", "the level of fill; default 0", "LEVEL");
        options
    }

    /// Reads and prints them.
    pub(crate) fn read(line: &CommandLine, algorithm: &str) -> Self {
        let (nx, ny, fill) = (line.option("nx"), line.option("ny"), line.option("k"));
        let given =
            [("grid points in x direction", nx), ("grid points in y direction", ny), ("fill level", fill)];
        for (what, value) in given {
            if let Some(value) = value {
                say!("  User's {what} is {value}\n");
            }
        }
        if let Some(size) = line.option::<i64>("ts") {
            say!("  User's team_size is {size}\n");
        }
        let (nx, ny, fill) = (nx.unwrap_or(10), ny.unwrap_or(10), fill.unwrap_or(0_usize));
        for (name, extent) in [("nx", nx), ("ny", ny)] {
            if extent < 2 {
                wrong(format!("-{name} `{extent}`: a grid has at least 2 points in each direction"));
            }
        }
        // The fill makes rows longer, by about this factor.
        let size = [nx, ny, fill.saturating_add(1)].into_iter().try_fold(1, usize::checked_mul);
        if !size.is_some_and(|size| (1..=MAX_ROWS).contains(&size)) {
            wrong(format!("-nx `{nx}` -ny `{ny}` -k `{fill}`: nx * ny * (k + 1) is from 1 to {MAX_ROWS}"));
        }
        Self { grid: [nx, ny], fill, algorithm: Algorithm::read(line, algorithm) }
    }

    /// The matrix: the Laplacian on the grid.
    pub(crate) fn matrix<S: ExecutionSpace>(
        &self,
        space: &S,
        program: Program,
    ) -> spelt::Result<Matrix<S::Memory>> {
        let title = if program == Program::Factors { "ILU(k)" } else { "CGSolve" };
        let memory = std::any::type_name::<S::Memory>();
        let memory = memory.rsplit("::").next().unwrap_or(memory);
        say!("{title} execution_space: {}, memory_space: {memory}\n", space.name());
        let matrix = Matrix::laplacian(space, self.grid)?;
        say!("Matrix size: {0} x {0}, nnz = {1}\n", matrix.rows(), matrix.columns.len());
        Ok(matrix)
    }

    /// Its factors, checked. `created` prints the lines about handles that come before them.
    pub(crate) fn factors<S: ExecutionSpace>(
        &self,
        space: &S,
        a: &Matrix<S::Memory>,
        program: Program,
        created: impl FnOnce(),
    ) -> spelt::Result<Factors<S::Memory>> {
        let (fill, n) = (self.fill, a.rows());
        let (phase, actual) = match program {
            Program::Factors => ("", "Actual "),
            Program::Solver => ("ILU(k) ", ""),
        };
        let sizes = |which: &str, nonzeros: [usize; 2]| {
            for (name, nonzeros) in ["L", "U"].into_iter().zip(nonzeros) {
                say!("{which}{name}_row_map size = {}\n", n + 1);
                say!("{which}{name}_entries size = {nonzeros}\n{which}{name}_values size  = {nonzeros}\n");
            }
        };
        say!("Create {}handle ...\n", if program == Program::Factors { "" } else { "SPILUK " });
        self.algorithm.print("Kernel implementation type: ");
        created();
        if program == Program::Factors {
            // Kokkos's library needs a guess before the symbolic phase. Here that phase counts, and nothing has this size.
            sizes("Expected ", [EXPANSION * a.columns.len() * (fill + 1); 2]);
            say!("\n");
        }

        say!("Run {phase}symbolic phase ...\n");
        let timer = Timer::new(space)?;
        let mut factors = Factors::symbolic(space, &a.columns.to_host()?, fill)?;
        say!("ILU({fill}) Symbolic Time: {} seconds\n", general(timer.seconds()?));
        let nonzeros = factors.nonzeros()?;
        sizes(actual, nonzeros);
        say!("ILU(k) fill_level: {fill}\n");
        let fill_factor = (nonzeros[0] + nonzeros[1] - n) as f64 / a.columns.len() as f64;
        say!("ILU(k) fill-factor: {}\n", general(fill_factor));
        say!("num levels: {}\n", factors.levels.len());
        let most = factors.levels.iter().map(|level| level.len()).max().unwrap_or(0);
        say!("max num rows levels: {most}\n\n");

        say!("Run {phase}numeric phase ...\n");
        let timer = Timer::new(space)?;
        match self.algorithm {
            Algorithm::Range => factors.numeric(space, a)?,
            Algorithm::Teams(size) => factors.numeric_by_teams(space, a, size)?,
        }
        say!("ILU({fill}) Numeric Time: {} seconds\n", general(timer.seconds()?));
        let difference = factors.difference(space, a)?;
        let bound = 1e-14 * a.columns.len() as f64;
        if difference > bound || difference.is_nan() {
            let message = format!("L U differs from A, where that has elements, by {difference:e} in all");
            return Err(wrong_result(message));
        }
        Ok(factors)
    }
}
