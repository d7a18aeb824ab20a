//! The command line.

use clap::Parser;
use clap::builder::RangedU64ValueParser;

use crate::program::Settings;

/// Exchanges elements at random indices between the halves of an array.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// The number of elements of each half
    #[arg(short, long, value_name = "N", default_value_t = 1_000_000, value_parser = RangedU64ValueParser::<usize>::new().range(1..=100_000_000))]
    pub(crate) size: usize,

    /// The number of elements of each half that are exchanged
    #[arg(short, long, value_name = "N", default_value_t = 100_000, value_parser = RangedU64ValueParser::<usize>::new().range(1..=100_000_000))]
    pub(crate) buffer: usize,

    /// The number of exchanges
    #[arg(short, long, value_name = "N", default_value_t = 11, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) repeats: usize,

    /// Chooses the random indices; 1 has those of the exercise
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u32,

    /// Leave out the lines of the exercise, which depend on time and on the number of ranks
    #[arg(long)]
    pub(crate) digits: bool,
}
