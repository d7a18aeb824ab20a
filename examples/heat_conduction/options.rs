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
    pub(crate) size: usize,

    /// The number of time steps; the source is on during the first half
    #[arg(short = 'n', long, value_name = "N", default_value_t = 500, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) steps: usize,

    /// Print the mean temperature each time after this number of steps
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) every: usize,

    #[command(flatten)]
    pub(crate) material: Material,
}

/// The numbers of the model, in its own units.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Material {
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
    #[arg(short, long, value_name = "P", default_value_t = 1.0)]
    pub(crate) power: f64,
}
