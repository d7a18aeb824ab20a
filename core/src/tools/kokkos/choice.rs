//! `KOKKOS_TOOLS_LIBS`: the list of libraries.

use std::ffi::{OsStr, OsString};

use super::arguments::Arguments;
use super::forward::Forward;
use super::library::{Library, Symbols, is_open};
use crate::tools::installed::install;

/// The environment's list of libraries, with semicolons between them.
const LIBRARIES: &str = "KOKKOS_TOOLS_LIBS";

/// Its old name, which Kokkos reads too.
const OLD_NAME: &str = "KOKKOS_PROFILE_LIBRARY";

/// The environment's command line for them.
const ARGUMENTS: &str = "KOKKOS_TOOLS_ARGS";

/// Opens and installs the libraries that the environment names. One that cannot be opened, or is no tool, is named on standard error,
/// and the program goes on without it, as with Kokkos.
///
/// Kokkos opens the first alone, and leaves the others to it: a filter passes the events to them. So one that an earlier library of
/// the list has opened gets its events from that; the others get theirs from here.
pub(in crate::tools) fn load() {
    let Some(list) = std::env::var_os(LIBRARIES).or_else(|| std::env::var_os(OLD_NAME)) else { return };
    let paths: Vec<_> = list.as_encoded_bytes().split(|byte| *byte == b';').map(<[u8]>::trim_ascii).collect();
    let paths: Vec<_> = paths.into_iter().filter(|path| !path.is_empty()).map(text).collect();
    let symbols = if paths.len() == 1 { Symbols::Shared } else { Symbols::Own };
    let were_open: Vec<_> = paths.iter().map(|path| is_open(path)).collect();
    for (place, path) in paths.iter().enumerate() {
        if place > 0 && !were_open[place] && is_open(path) {
            continue;
        }
        match Library::open(path, symbols) {
            Ok(library) => {
                let library = library.begin_program(place, arguments());
                install(library.path().display().to_string(), Forward(library));
            }
            Err(reason) => {
                eprintln!("{LIBRARIES}: the program runs without the tool {}: {reason}", path.display());
            }
        }
    }
}

fn arguments() -> Arguments {
    let text = std::env::var_os(ARGUMENTS);
    let program = std::env::args_os().next().unwrap_or_default();
    Arguments::new(text.as_deref().map(OsStr::as_encoded_bytes), program.as_encoded_bytes())
}

fn text(bytes: &[u8]) -> OsString {
    // SAFETY: the bytes are a part of an `OsString` between semicolons, white space and its ends, and so between characters of ASCII.
    unsafe { OsString::from_encoded_bytes_unchecked(bytes.to_vec()) }
}
