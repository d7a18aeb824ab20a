//! `cargo spelt check`: checks the kernels of a unit as a device link would, where cargo asks for metadata only.
//!
//! Kernels need the code of their libraries. So rustc writes an rlib beside a library's metadata, while a program gets the device pass
//! only. Problems are reported for the unit that has the kernel, as rustc's are.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::arguments::Arguments;
use super::device_pass::DevicePass;
use super::unit::Unit;
use super::{Compilers, depend_on_settings, device_pass, exit_code, link, record};
use crate::settings::Settings;

/// Keeps launches out of line: their closures are found by the types of the launches' parameters.
const NO_INLINING: (&str, &str) = ("-Z", "mir-enable-passes=-Inline");

/// Makes rustc write an rlib as well as metadata.
pub(super) fn add_code(arguments: &mut Arguments) {
    arguments.map_values("--emit", |kinds| format!("{kinds},link"));
}

/// Compiles a unit that may hold kernels, and checks them.
pub(super) fn run(
    settings: &Settings,
    compilers: &Compilers,
    mut arguments: Arguments,
    unit: &Unit,
    bitcode: &Path,
) -> Result<ExitCode> {
    let folder = bitcode.parent().context("the bitcode has no folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for (name, value) in [device_pass::NO_COPIES, NO_INLINING] {
        arguments.push(name, value);
    }
    let compilers =
        &Compilers { unstable: true, host: compilers.host.clone(), rustc: compilers.rustc.clone() };
    let host = compilers.host().args(arguments.to_words()).spawn();
    let mut host = host.with_context(|| format!("cannot run {}", compilers.host[0].to_string_lossy()))?;
    let pass = DevicePass::run(compilers, &arguments, unit, bitcode);
    let status = exit_code(host.wait().context("cannot wait for rustc")?);
    match pass? {
        DevicePass::Failed(failure) => return failure.after(status),
        DevicePass::Done if status != ExitCode::SUCCESS => return Ok(status),
        DevicePass::Done => {}
    }
    // Cargo silences dependencies outside the workspace.
    let is_silent = arguments.values("--cap-lints").any(|level| level == "allow");
    if unit.is_part_of_spelt() || is_silent {
        return Ok(status);
    }
    if let Some(dep_info) = &unit.dep_info {
        depend_on_settings(settings, dep_info)?;
    }
    let is_sound = link::examine(settings, compilers, unit, record::closure(unit), bitcode)?;
    Ok(if is_sound { status } else { ExitCode::from(1) })
}
