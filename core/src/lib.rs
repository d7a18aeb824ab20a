//! Under construction.
mod error;
mod primitive;
mod threads;

pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "threads")]
pub use threads::{ThreadsArguments, ThreadsBuilder};
