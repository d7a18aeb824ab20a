//! The error of a library that is missing, or that refuses a call.

use core::fmt;

/// A sentence that says which call failed, and why.
///
/// # Examples
/// ```
/// let failure = spelt_mpi_library::Library::open("no-such-library.so").expect_err("there is none");
/// assert!(failure.to_string().contains("no-such-library.so"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub(crate) String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}
