//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::program::Settings;

/// Sums up a year of hourly temperatures by day and month.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// A table of hours, such as `2010/01/31 23:00`, and temperatures, ascending
    #[arg(
        long,
        value_name = "FILE",
        default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/seattle_temps.csv"),
        hide_default_value = true
    )]
    pub(crate) input: PathBuf,
}
