//! Checks that rustc finds a working linker, which every program needs and Rust does not include.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use spelt_device_link::Toolchain;

use crate::workspace::configured;

/// The default linker of rustc. Source: rustc's targets of Unix.
const USUAL: &str = "cc";

/// Links an empty program and returns the name of the linker.
///
/// # Errors
/// If that fails, with rustc's message.
pub(crate) fn run(rustc: &OsStr, toolchain: &Toolchain) -> Result<String> {
    let host = toolchain.host();
    let variable = format!("CARGO_TARGET_{}_LINKER", host.to_uppercase().replace(['-', '.'], "_"));
    let named = std::env::var(variable).ok().filter(|linker| !linker.is_empty());
    let named = named.or_else(|| configured(&format!("target.{host}.linker")));
    let folder = tempfile::tempdir().context("there is no folder for temporary files")?;
    let mut command = Command::new(rustc);
    command.args(["--crate-name=empty", "--crate-type=bin", "-", "-o"]).arg(folder.path().join("empty"));
    command.args(named.iter().map(|linker| format!("-Clinker={linker}")));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot run {}", rustc.display()))?;
    if let Some(mut source) = child.stdin.take() {
        source.write_all(b"fn main() {}").context("rustc does not read its source")?;
    }
    let output = child.wait_with_output().context("cannot wait for rustc")?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let error = text.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or(text.trim());
        bail!("{error}");
    }
    Ok(named.unwrap_or_else(|| USUAL.to_owned()))
}
