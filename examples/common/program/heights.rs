//! The option of the programs about a terrain.

use std::path::PathBuf;

use clap::Args;

/// The place of its heights.
#[derive(Debug, Args)]
pub(crate) struct Heights {
    /// Heights in metres, a matrix of 16-bit integers on the grid of the default file
    #[arg(
        long,
        value_name = "FILE",
        default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/jacksboro_elevation_i16.npy"),
        hide_default_value = true
    )]
    pub(crate) input: PathBuf,
}
