//! The command line.

use clap::Parser;
use clap::builder::RangedU64ValueParser;

use crate::blast::Costs;
use crate::program::Settings;

/// Simulates the Sedov blast: LULESH, a proxy of codes for shocks.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// The number of elements along each side
    #[arg(short, long, value_name = "N", default_value_t = 30, value_parser = count(1, 800))]
    pub(crate) size: usize,

    /// The largest number of cycles [default: until the end of the blast]
    #[arg(short, long, value_name = "N", value_parser = count(0, usize::MAX))]
    pub(crate) iterations: Option<usize>,

    /// The number of regions
    #[arg(short, long, value_name = "N", default_value_t = 11, value_parser = count(1, 1000))]
    regions: usize,

    /// The balance of the regions: their sizes grow with this power of their numbers
    #[arg(short, long, value_name = "POWER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=4))]
    balance: u32,

    /// The extra cost of half of the regions: more solutions of the equation of state
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = count(0, 1000))]
    cost: usize,
}

impl Options {
    /// The regions and their costs.
    pub(crate) fn costs(&self) -> Costs {
        Costs { regions: self.regions, balance: self.balance, cost: self.cost }
    }
}

/// A number in this range.
fn count(min: usize, max: usize) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(min as u64..=max as u64)
}
