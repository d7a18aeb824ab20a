//! The command line.

use clap::Parser;

use crate::program::{Heights, Settings};

/// Surveys and draws a terrain: extremes, mean, histogram, steepest slope, shaded relief.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    #[command(flatten)]
    pub(crate) heights: Heights,
}
