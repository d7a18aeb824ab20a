//! The command line.

use std::path::PathBuf;

use clap::Parser;
use spelt_harness::number::size;

/// Times programs in Spelt's natural form beside C++ with OpenMP and Kokkos, in turns, and prints the ratios.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Options {
    /// Only these programs
    #[arg(long, value_delimiter = ',')]
    pub programs: Vec<String>,

    /// These sizes instead of each program's own, as in 64,1e3
    #[arg(long, value_delimiter = ',', value_parser = size)]
    pub sizes: Vec<usize>,

    /// The number of turns of each contender
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,

    /// The numbers of threads, one after the other
    #[arg(long, value_delimiter = ',', value_parser = size, default_value = "1,2")]
    pub threads: Vec<usize>,

    /// Where Kokkos is installed, with OpenMP and as position-independent code; otherwise the environment's Kokkos_ROOT
    #[arg(long, value_name = "PATH")]
    pub kokkos: Option<PathBuf>,

    /// Writes the table into this file too, below the line that marks it
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,

    /// Lists the rows in which C++ or Kokkos is more than 10 % ahead, or C++ with -ffast-math more than 30 %, worst first; fails if there are any
    #[arg(long)]
    pub compare: bool,

    /// Lists the programs with their hypotheses
    #[arg(long)]
    pub list: bool,

    /// Runs every contender once at the smaller of each program's sizes and compares the results, without timing
    #[arg(long)]
    pub check: bool,
}
