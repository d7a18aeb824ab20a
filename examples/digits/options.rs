//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::program::Settings;

/// Classifies handwritten digits by their similarity to all others.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// The number of images to use, from the first on [default: all]
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    pub(crate) images: usize,

    /// The images, a row of 64 levels of grey from 0 to 16 for each
    #[arg(
        long,
        value_name = "FILE",
        default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits_features_f32.npy"),
        hide_default_value = true
    )]
    pub(crate) input: PathBuf,

    /// The digit that each image shows
    #[arg(
        long,
        value_name = "FILE",
        default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits_labels_u8.npy"),
        hide_default_value = true
    )]
    pub(crate) labels: PathBuf,
}
