//! Files that are written beside those that they replace: a program that ends in the middle leaves the ones before.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use spelt_core::{Error, ErrorKind, Result};

/// The temporary name of a file, in the same folder; different files have different ones.
pub(super) fn beside(path: &Path) -> PathBuf {
    hidden(path, ".unfinished")
}

/// The name `.NAMEending` in the folder of a file.
pub(super) fn hidden(path: &Path, ending: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(ending);
    path.with_file_name(name)
}

/// Writes these bytes to a file beside `path`, and to the disk: after a power failure, too, a renamed file has them.
pub(super) fn write_beside(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = File::create(beside(path)).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_data()
    });
    written.map_err(|error| io_error(path, "writing it", error))
}

/// Puts the file beside `path` in its place.
pub(super) fn put_in_place(path: &Path) -> Result<()> {
    fs::rename(beside(path), path).map_err(|error| io_error(path, "renaming it", error))
}

/// Removes the file beside `path`. Best effort: the error that led here is the one to report.
pub(super) fn remove_beside(path: &Path) {
    let _ = fs::remove_file(beside(path));
}

pub(super) fn io_error(path: &Path, doing: &str, error: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("`{}`: {doing}: {error}", path.display())).with_source(error)
}
