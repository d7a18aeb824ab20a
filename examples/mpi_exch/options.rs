//! The command line.

use clap::Parser;
use clap::builder::RangedU64ValueParser;

use crate::program::Settings;

/// Adds up contributions of quadrilaterals to their nodes, which other ranks may have.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// The number of quadrilaterals from left to right; without it and `--height`, the strip of the exercise, one on each rank
    #[arg(short = 'x', long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    width: Option<usize>,

    /// The number of quadrilaterals from bottom to top
    #[arg(short = 'y', long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    height: Option<usize>,

    /// How often to do it
    #[arg(short, long, value_name = "N", default_value_t = 10, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) repeats: usize,
}

impl Options {
    /// The extents of the mesh, if one is chosen: 400 x 300, where only one of them is given.
    pub(crate) fn mesh(&self) -> Option<[usize; 2]> {
        let is_given = self.width.is_some() || self.height.is_some();
        is_given.then(|| [self.width.unwrap_or(400), self.height.unwrap_or(300)])
    }
}
