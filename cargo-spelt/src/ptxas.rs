//! `ptxas`, NVIDIA's assembler for PTX, if it is installed: it reports a kernel's use of registers and memory.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::variable;

/// Names the program, if it is not on PATH.
pub(crate) const VARIABLE: &str = "SPELT_PTXAS";

/// A kernel's use of resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Registers of each thread.
    pub(crate) registers: u32,
    /// Bytes of registers that each thread keeps in memory: stores and loads.
    pub(crate) spills: (u32, u32),
    /// Bytes of the stack of each thread.
    pub(crate) stack: u32,
    /// Bytes of static shared memory of a block.
    pub(crate) shared: u32,
}

/// The program, if it is installed.
///
/// # Errors
/// If the environment does not name a file.
pub(crate) fn find() -> Result<Option<PathBuf>> {
    if let Some(path) = variable::path(VARIABLE) {
        if !path.is_file() {
            bail!(
                "{VARIABLE} is `{}`, which is not a file: name the program, or unset the variable",
                path.display()
            );
        }
        // A name without a folder would be looked for on PATH.
        let path =
            std::path::absolute(path).with_context(|| format!("the path in {VARIABLE} is unusable"))?;
        return Ok(Some(path));
    }
    let Some(path) = std::env::var_os("PATH") else { return Ok(None) };
    Ok(std::env::split_paths(&path).map(|folder| folder.join("ptxas")).find(|path| path.is_file()))
}

/// The program's version.
pub(crate) fn version(ptxas: &Path) -> Result<String> {
    let output = Command::new(ptxas)
        .arg("--version")
        .output()
        .with_context(|| format!("cannot run {}", ptxas.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let release =
        text.lines().find_map(|line| line.split_once("release ")).map(|(_, version)| version.to_owned());
    release.with_context(|| format!("{} does not report a version", ptxas.display()))
}

/// The use of resources of each kernel in a file, by symbol.
///
/// # Errors
/// If the program does not accept the PTX; the error has its message.
pub(crate) fn usage(ptxas: &Path, ptx: &Path, arch: &str) -> Result<HashMap<String, Usage>> {
    let output = Command::new(ptxas)
        .args(["--verbose", "--gpu-name", arch, "--output-file", "/dev/null"])
        .arg(ptx)
        .output()
        .with_context(|| format!("cannot run {}", ptxas.display()))?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        bail!("{} does not accept {}:\n{}", ptxas.display(), ptx.display(), err.trim_end());
    }
    Ok(parse(&format!("{out}{err}")))
}

fn parse(text: &str) -> HashMap<String, Usage> {
    let mut usage: HashMap<String, Usage> = HashMap::new();
    // The numbers of functions that kernels call are in between.
    let mut kernel: Option<String> = None;
    let mut is_of_kernel = false;
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next().map(str::to_owned);
        } else if let Some((_, rest)) = line.split_once("Function properties for ") {
            is_of_kernel = kernel.as_deref() == Some(rest.trim());
        } else if let Some(kernel) = &kernel {
            let usage = usage.entry(kernel.clone()).or_default();
            if is_of_kernel && line.contains("bytes stack frame") {
                usage.stack = before(line, " bytes stack frame").unwrap_or(0);
                usage.spills = (
                    before(line, " bytes spill stores").unwrap_or(0),
                    before(line, " bytes spill loads").unwrap_or(0),
                );
            } else if line.contains(" registers") {
                usage.registers = before(line, " registers").unwrap_or(0);
                usage.shared = before(line, " bytes smem").unwrap_or(0);
            }
        }
    }
    usage
}

/// The number immediately before a text.
fn before(line: &str, text: &str) -> Option<u32> {
    let (start, _) = line.split_once(text)?;
    start.rsplit(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_ptxas_are_understood() {
        let text = "\
ptxas info    : 8 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_80'
ptxas info    : Function properties for first
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Function properties for helper
    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 400 bytes cmem[0]
ptxas info    : Compiling entry function 'second' for 'sm_80'
ptxas info    : Function properties for second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, 380 bytes cmem[0]
";
        let usage = parse(text);
        assert_eq!(usage["first"], Usage { registers: 40, spills: (4, 8), stack: 16, shared: 1024 });
        assert_eq!(usage["second"], Usage { registers: 12, ..Usage::default() });
        assert_eq!(usage.len(), 2);
    }
}
