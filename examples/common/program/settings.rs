//! The options that all programs with pictures have.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use spelt::SpaceChoice;

/// The space of the program, and the folder of its pictures.
#[derive(Debug, Args)]
pub(crate) struct Settings {
    /// Where kernels run: serial, threads, rayon or cuda [default: $SPELT_SPACE, or threads]
    #[arg(long, value_name = "SPACE")]
    space: Option<SpaceChoice>,

    /// The number of threads [default: the number of available cores]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub(crate) threads: Option<usize>,

    /// The folder for pictures
    #[arg(long, value_name = "DIR", default_value = concat!("target/", env!("CARGO_CRATE_NAME")))]
    out: PathBuf,
}

impl Settings {
    /// The space to run on.
    pub(crate) fn space(&self) -> spelt::Result<SpaceChoice> {
        self.space.map_or_else(SpaceChoice::from_env, Ok)
    }

    /// The folder for pictures, created if necessary.
    pub(crate) fn folder(&self) -> Result<&Path, String> {
        let wrong = |error: &dyn Display| format!("--out {}: {error}: choose another", self.out.display());
        if self.out.as_os_str().is_empty() {
            return Err(wrong(&"no folder"));
        }
        fs::create_dir_all(&self.out).map_err(|error| wrong(&error))?;
        Ok(&self.out)
    }
}
