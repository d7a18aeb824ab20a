//! The command line.

use clap::Parser;
use clap::builder::RangedU64ValueParser;

use crate::product::Product;
use crate::program::Settings;

/// Solves a sparse system of equations by conjugate gradients.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// The number of cells along each side
    #[arg(short, long, value_name = "N", default_value_t = 48, value_parser = RangedU64ValueParser::<usize>::new().range(1..=500))]
    pub(crate) size: usize,

    /// The way to multiply by the matrix: rows, teams or segments
    #[arg(short, long, value_name = "WAY", default_value = "rows")]
    pub(crate) product: Product,

    /// Iterate until the relative residual is at most this
    #[arg(short, long, value_name = "PART", default_value_t = 1e-9, value_parser = part)]
    pub(crate) tolerance: f64,

    /// The largest number of iterations
    #[arg(short, long, value_name = "N", default_value_t = 1000)]
    pub(crate) iterations: usize,
}

/// A number between 0 and 1.
fn part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if part > 0.0 && part < 1.0 => Ok(part),
        _ => Err("give a number between 0 and 1, such as 1e-9".into()),
    }
}
