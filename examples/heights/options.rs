//! The command line.

use clap::Parser;

use crate::program::{Heights, Settings};

/// Looks at the heights of a terrain along its rows and columns, and in their order.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    #[command(flatten)]
    pub(crate) heights: Heights,
}
