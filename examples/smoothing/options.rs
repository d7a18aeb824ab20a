//! The command line.

use clap::Parser;
use clap::builder::RangedU64ValueParser;

use crate::program::{Heights, Settings};

/// Smooths noisy heights at scattered places with a Gaussian.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// The number of places
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20_000,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000)
    )]
    pub(crate) points: usize,

    /// The width of the Gaussian in kilometres
    #[arg(long, value_name = "KM", default_value_t = 0.3, value_parser = width)]
    pub(crate) width: f32,

    #[command(flatten)]
    pub(crate) heights: Heights,
}

/// A width that is neither too narrow for `f32` nor wider than the Earth.
fn width(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(width @ 0.001..=10_000.0) => Ok(width),
        Ok(_) => Err("give 0.001 to 10000".to_owned()),
        Err(_) => Err("this is not a number".to_owned()),
    }
}
