//! Whether a file holds bitcode that LLVM can read.

use std::collections::HashSet;
use std::path::Path;

use crate::archive::Archive;
use crate::llvm::{Context, Module};
use crate::{Error, Llvm};

/// Reads all the bitcode of `file`, which is bitcode itself or an rlib, and verifies it.
///
/// LLVM may crash on damaged bitcode, here too: to survive that, call this in a separate process.
///
/// # Errors
/// [`Error::Llvm`] if LLVM cannot read it or finds it broken; [`Error::Io`] if the file cannot be read.
pub fn check(llvm: &Llvm, file: &Path) -> Result<(), Error> {
    let verify = |bitcode: &[u8]| {
        let context = Context::new(llvm);
        let name = file.display();
        let broken = |reason| Error::Llvm(format!("the bitcode of {name} is broken: {reason}"));
        Module::parse(&context, &name.to_string(), bitcode)?.verify().map_err(broken)
    };
    if file.extension().is_none_or(|end| end != "rlib") {
        return verify(&std::fs::read(file).map_err(|source| Error::io(file, source))?);
    }
    let archive = Archive::open(file)?;
    let mut members = HashSet::new();
    archive.each_symbol(|_, member| _ = members.insert(member))?;
    for member in members {
        if let Some(bitcode) = archive.bitcode(member)? {
            verify(&bitcode)?;
        }
    }
    Ok(())
}
