//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::program::Settings;

/// Looks at the heights of a terrain along its rows and columns, and in their order.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// Heights in metres, a matrix of 16-bit integers on the grid of the default file
    #[arg(
        long,
        value_name = "FILE",
        default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/jacksboro_elevation_i16.npy"),
        hide_default_value = true
    )]
    pub(crate) input: PathBuf,
}
