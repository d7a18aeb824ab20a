//! The command line.

use clap::Parser;
use clap::builder::RangedU64ValueParser;

use crate::program::Settings;

/// Melts a Lennard-Jones crystal: miniMD, a proxy of codes for molecular dynamics.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// The number of unit cells along each side, with four atoms each
    // With fewer than 4, two images of one atom would be neighbours of another.
    #[arg(short, long, value_name = "N", default_value_t = 20, value_parser = count(4, 200))]
    pub(crate) size: usize,

    /// The number of time steps
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100, value_parser = count(0, usize::MAX))]
    pub(crate) steps: usize,

    /// Print the thermodynamic state every this many steps
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count(1, usize::MAX))]
    pub(crate) thermo: usize,
}

/// A number in this range.
fn count(min: usize, max: usize) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(min as u64..=max as u64)
}
