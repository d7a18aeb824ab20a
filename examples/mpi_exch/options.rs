//! The command line.

use clap::Parser;
use clap::builder::RangedU64ValueParser;

use crate::program::Settings;

/// Adds up contributions of quadrilaterals to their nodes, which other ranks may have.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// The number of quadrilaterals from left to right
    #[arg(short = 'x', long, value_name = "N", default_value_t = 400, value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub(crate) width: usize,

    /// The number of quadrilaterals from bottom to top; with 1, the strip of the exercise
    #[arg(short = 'y', long, value_name = "N", default_value_t = 300, value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub(crate) height: usize,

    /// How often to do it
    #[arg(short, long, value_name = "N", default_value_t = 10, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) repeats: usize,
}
