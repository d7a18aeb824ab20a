//! Files that a library leaves beside its rlib for the device link: the list of its dependencies, its bitcode for devices, and the
//! metadata that belongs to it.
//!
//! Cargo tells rustc the direct dependencies of a crate only, and the device link needs all of them.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::unit::Unit;

/// The bitcode for devices that belongs to an rlib or to its metadata.
pub(crate) fn bitcode_beside(library: &Path) -> PathBuf {
    library.with_extension("spelt.bc")
}

/// The metadata of the device pass that belongs to an rlib or to its metadata. rustc finds it by the first part of its name, and tells it
/// from the host's by the hash within.
pub(crate) fn device_metadata_beside(library: &Path) -> PathBuf {
    library.with_extension("spelt.rmeta")
}

/// Whether the device pass has left bitcode beside this rlib or metadata.
pub(crate) fn is_device_crate(library: &Path) -> bool {
    bitcode_beside(library).exists()
}

fn list_beside(library: &Path) -> PathBuf {
    library.with_extension("spelt.crates")
}

/// Writes the list of the dependencies of a library: one path in a line.
pub(crate) fn write(unit: &Unit) -> Result<()> {
    let lines: String = rlibs(&unit.externs).map(|path| format!("{}\n", path.display())).collect();
    let list = list_beside(&unit.rlib());
    fs::write(&list, lines).with_context(|| format!("cannot write {}", list.display()))
}

/// All that a program is linked of, itself apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Closure {
    /// The bitcode of crates that may hold kernels.
    pub(crate) bitcode: Vec<PathBuf>,
    /// The rlibs of the others.
    pub(crate) archives: Vec<PathBuf>,
}

/// All crates that this one depends on, each once, in an order that depends on nothing but the crates.
pub(crate) fn closure(unit: &Unit) -> Closure {
    let mut closure = Closure::default();
    let mut seen = HashSet::new();
    let mut open: Vec<PathBuf> = rlibs(&unit.externs).collect();
    open.reverse();
    while let Some(rlib) = open.pop() {
        if !seen.insert(rlib.clone()) {
            continue;
        }
        // A library that plain cargo built has no list; then its dependencies stay unknown, and functions missing from them
        // is an error of the device link that names the function.
        let list = fs::read_to_string(list_beside(&rlib)).unwrap_or_default();
        for line in list.lines().rev() {
            open.push(found(Path::new(line), &rlib));
        }
        if is_device_crate(&rlib) {
            closure.bitcode.push(bitcode_beside(&rlib));
        } else {
            closure.archives.push(rlib);
        }
    }
    closure
}

/// A dependency where its user's list has it, or beside the user, where the target folder has moved.
fn found(path: &Path, user: &Path) -> PathBuf {
    let beside = path.file_name().and_then(|name| Some(user.parent()?.join(name)));
    match beside {
        Some(beside) if !path.exists() && beside.exists() => beside,
        _ => path.to_owned(),
    }
}

/// The rlibs of crates, which are there when a program is linked; to compile a library cargo names the metadata.
fn rlibs(externs: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    let libraries =
        externs.iter().filter(|path| path.extension().is_some_and(|end| end == "rlib" || end == "rmeta"));
    libraries.map(|path| path.with_extension("rlib"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_of_dependencies_are_found_once() {
        let folder = std::env::temp_dir().join(format!("cargo-spelt-closure-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let rlib = |name: &str| folder.join(format!("lib{name}.rlib"));
        // The list of `a` is from before the folder moved.
        fs::write(list_beside(&rlib("a")), "/elsewhere/libc.rlib\n").unwrap();
        fs::write(list_beside(&rlib("b")), format!("{}\n", rlib("c").display())).unwrap();
        fs::write(rlib("c"), "").unwrap();
        fs::write(bitcode_beside(&rlib("a")), "").unwrap();
        let line = format!(
            "--crate-name p --crate-type bin --emit=link --out-dir d --extern a={} --extern b={} --extern m=libm.so",
            rlib("a").display(),
            rlib("b").display(),
        );
        let words: Vec<_> = line.split(' ').map(std::ffi::OsString::from).collect();
        let unit = Unit::of(&super::super::arguments::Arguments::parse(&words).unwrap(), false).unwrap();
        let found = closure(&unit);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            found,
            Closure { bitcode: vec![bitcode_beside(&rlib("a"))], archives: vec![rlib("c"), rlib("b")] }
        );
    }
}
