//! The command line.

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser};

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

/// The numbers of the model, in its own units.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Material {
    /// The temperature at the start
    #[arg(long = "T0", value_name = "T", default_value_t = 0.0)]
    pub(crate) t0: f64,

    /// The length of a time step
    #[arg(long, value_name = "T", default_value_t = 0.1)]
    pub(crate) dt: f64,

    /// The conduction between neighbouring cells
    #[arg(short, long, value_name = "Q", default_value_t = 1.0)]
    pub(crate) q: f64,

    /// The radiation from a cell's side at the surface, times the fourth power of its temperature
    #[arg(long, value_name = "SIGMA", default_value_t = 1.0)]
    pub(crate) sigma: f64,

    /// The power that reaches each cell of the heated side
    #[arg(short = 'P', short_alias = 'p', long, value_name = "P", default_value_t = 1.0)]
    pub(crate) power: f64,
}
