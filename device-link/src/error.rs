//! Why nothing was linked.

use core::fmt;
use std::path::{Path, PathBuf};

use crate::Diagnostic;

/// Why there is no PTX.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Kernels that cannot run on a device, each with its reason. Warnings come along.
    Diagnostics(Vec<Diagnostic>),
    /// libLLVM was not found, could not be opened, or refused something.
    Llvm(String),
    /// A file could not be read.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// An option has no such value.
    Options(String),
}

impl Error {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_path_buf(), source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diagnostics(diagnostics) => {
                for (number, diagnostic) in diagnostics.iter().enumerate() {
                    let gap = if number == 0 { "" } else { "\n\n" };
                    write!(f, "{gap}{diagnostic}")?;
                }
                Ok(())
            }
            Self::Llvm(message) | Self::Options(message) => f.write_str(message),
            Self::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
