//! The numbers of the model.

use clap::Args;

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
