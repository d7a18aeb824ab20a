//! Under construction.
mod error;

pub use error::{Error, ErrorKind, Result};
