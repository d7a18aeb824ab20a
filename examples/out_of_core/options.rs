//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::program::Settings;

/// Reduces a file of numbers that need not fit in memory, piece by piece, with the bits of one reduction over all of them.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// A file of 64-bit floats, little-endian [default: one of `--count` numbers, written into the folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,

    /// The numbers of the file that is written: 1000000000 take 8 GB
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    pub(crate) count: usize,

    /// The numbers that are in memory at a time
    #[arg(long, value_name = "N", default_value_t = 1 << 18, value_parser = at_least_one)]
    pub(crate) piece: usize,

    /// Also reads the whole file and reduces it in one launch, which must give the same bits
    #[arg(long)]
    pub(crate) compare: bool,
}

/// A whole number above 0.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "give a whole number above 0".to_owned())
}
