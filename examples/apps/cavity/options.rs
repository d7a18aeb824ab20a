//! The command line.

use clap::Parser;
use clap::builder::RangedU64ValueParser;

use crate::program::Settings;

/// The velocity of the lid. Unit: cells per step. Small beside the speed of sound, 0.58.
pub(crate) const LID: f64 = 0.1;

/// Simulates a cube of fluid that is driven by its lid, by a lattice Boltzmann method.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// The number of cells along each side
    #[arg(short, long, value_name = "N", default_value_t = 48,
        value_parser = RangedU64ValueParser::<usize>::new().range(2..=1000))]
    pub(crate) size: usize,

    /// The number of time steps
    #[arg(short = 'n', long, value_name = "N", default_value_t = 3000)]
    pub(crate) steps: usize,

    /// The Reynolds number: large ones need more cells
    #[arg(short, long, value_name = "NUMBER", default_value_t = 100.0, value_parser = reynolds)]
    pub(crate) reynolds: f64,
}

/// A Reynolds number.
fn reynolds(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if (1.0..=1e4).contains(&number) { Ok(number) } else { Err("choose 1 to 10000".into()) }
}
