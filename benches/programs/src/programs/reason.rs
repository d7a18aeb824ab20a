//! The reasons why a program does not run.

/// Whether a size is one that the program can run at.
pub(super) fn at_least(size: usize, least: usize) -> Result<(), String> {
    if size >= least { Ok(()) } else { Err(format!("the size is {size}: choose {least} or more")) }
}

/// The message of an error.
pub(super) fn told(error: spelt::Error) -> String {
    error.to_string()
}
