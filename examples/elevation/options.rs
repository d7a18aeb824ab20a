//! The command line.

use std::path::PathBuf;

use clap::Parser;
use clap::builder::RangedU64ValueParser;
use spelt::SpaceChoice;

/// Surveys and draws a terrain: extremes, mean, histogram, steepest slope, shaded relief.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// Where kernels run: serial, threads, rayon or cuda [default: $SPELT_SPACE, else threads]
    #[arg(long, value_name = "SPACE")]
    space: Option<SpaceChoice>,

    /// The number of threads [default: as many as may run at a time]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub(crate) threads: Option<usize>,

    /// The folder for relief.png and heights.png
    #[arg(long, value_name = "DIR", default_value = "target/elevation")]
    pub(crate) out: PathBuf,

    /// Heights in metres, a matrix of 16-bit integers on the grid of the default file
    #[arg(
        long,
        value_name = "FILE",
        default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/jacksboro_elevation_i16.npy"),
        hide_default_value = true
    )]
    pub(crate) input: PathBuf,
}

impl Options {
    /// The space to run on.
    pub(crate) fn space(&self) -> spelt::Result<SpaceChoice> {
        self.space.map_or_else(SpaceChoice::from_env, Ok)
    }
}
