//! The command line.

use clap::Parser;
use clap::builder::RangedU64ValueParser;

use crate::material::Material;
use crate::program::Settings;

/// Heats one side of a box, which conducts the heat and radiates it from its surface.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// The number of cells along each side
    #[arg(short, long, value_name = "N", default_value_t = 64, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    size: usize,

    /// The number of cells from the heated side to the other [default: SIZE]
    #[arg(short = 'X', long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    x: Option<usize>,

    /// The number of cells in the second dimension [default: SIZE]
    #[arg(short = 'Y', long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    y: Option<usize>,

    /// The number of cells in the third dimension [default: SIZE]
    #[arg(short = 'Z', long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    z: Option<usize>,

    /// The last time step, from step 0; the source is on up to half of it
    #[arg(short = 'N', short_alias = 'n', long, value_name = "N", default_value_t = 500, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) steps: usize,

    /// Print the mean temperature each time after this number of steps
    #[arg(short = 'I', long, value_name = "N", default_value_t = 100, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) every: usize,

    /// Print temperatures to the last digit, in place of the lines of the exercise, which depend on time and on the number of ranks
    #[arg(long)]
    pub(crate) digits: bool,

    #[command(flatten)]
    pub(crate) material: Material,
}

impl Options {
    /// The number of cells in each dimension.
    pub(crate) fn extents(&self) -> [usize; 3] {
        [self.x, self.y, self.z].map(|cells| cells.unwrap_or(self.size))
    }
}
