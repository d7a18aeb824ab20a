//! Writing to standard output.

use std::io::{ErrorKind, Write};

use anyhow::{Context, Result};

/// Writes the text. It is not an error if the reader, such as `head`, has closed the pipe.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}
