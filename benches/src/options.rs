//! The command line.

use std::path::PathBuf;

use clap::Parser;
pub use spelt_harness::number::size;

/// Times Spelt beside its peers, in turns, and prints the ratios.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Options {
    /// Only these cases
    #[arg(long, value_delimiter = ',')]
    pub cases: Vec<String>,

    /// Only these variants: element types, or shapes
    #[arg(long, value_delimiter = ',')]
    pub variants: Vec<String>,

    /// These sizes instead of each case's own, as in 1e3,1e5
    #[arg(long, value_delimiter = ',', value_parser = size)]
    pub sizes: Vec<usize>,

    /// The number of turns of each contender
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,

    /// Five rounds, up to 1e6 elements
    #[arg(long)]
    pub quick: bool,

    /// Writes the tables into this file too, below the line that marks them
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,

    /// Draws Spelt's time per element against the size into this PNG file, a panel for each case
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,

    /// Lists the rows in which a peer is more than 5 % ahead, or the limit more than 15 %, worst first; fails if there are any
    #[arg(long, conflicts_with = "alone")]
    pub compare: bool,

    /// Runs at 1e2, 1e3 and so on up to each case's largest size, lists where the time per element grows within a cache, and draws
    /// it beside the peers' into this PNG file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plot", "sizes"])]
    pub growth: Option<PathBuf>,

    /// Leaves the peers out: only Spelt's times, as for a picture
    #[arg(long)]
    pub alone: bool,

    /// Lists the cases with their hypotheses
    #[arg(long)]
    pub list: bool,

    /// Runs every contender once at small sizes and compares the results, without timing
    #[arg(long)]
    pub check: bool,

    /// Where Kokkos is installed, with OpenMP; otherwise the environment's Kokkos_ROOT
    #[arg(long, value_name = "PATH")]
    pub kokkos: Option<PathBuf>,

    /// The threads of every contender; by default as many as this process may run at a time
    #[arg(long)]
    pub threads: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }
}
