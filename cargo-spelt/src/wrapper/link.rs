//! From the bitcode of a program's crates to an object that holds their PTX.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use spelt_device_link::{Input, Toolchain};
use twox_hash::XxHash3_128;

use super::device_pass::Failure;
use super::link_process::{self, Reply};
use super::record::Closure;
use super::unit::Unit;
use super::{Compilers, diagnostics};
use crate::progress;
use crate::settings::Settings;
use crate::slot::{Linked, Slot};

/// The outcome of a program's device link.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The object to link the program with.
    Object(PathBuf),
    /// The program has no kernels.
    NoKernels,
    /// Kernels that cannot run on a device; their messages have been printed.
    Refused,
    /// rustc did not compile the program for the device.
    NotCompiled(Failure),
}

/// The object for a program: from its slot, if its inputs have not changed.
pub(crate) fn object(
    settings: &Settings,
    compilers: &Compilers,
    unit: &Unit,
    closure: Closure,
    bitcode: &Path,
) -> Result<Outcome> {
    let (toolchain, input) = input(compilers, unit, closure, bitcode)?;
    let slot = Slot::new(&settings.slots, &unit.program_name(), &settings.arch);
    let inputs = hash_of(settings, &toolchain, &input.crates, &input.archives)?;
    let linked = match slot.linked_of(&inputs) {
        Some(linked) => linked,
        None => {
            slot.invalidate()?;
            let Some(linked) = link(settings, compilers, unit, &slot, &toolchain, &input)? else {
                return Ok(Outcome::Refused);
            };
            slot.complete(&inputs, &linked)?;
            linked
        }
    };
    diagnostics::emit(&linked.warnings, unit.wants_json);
    Ok(if linked.kernels.is_empty() { Outcome::NoKernels } else { Outcome::Object(slot.object()) })
}

/// The toolchain, and the files that a link of this unit reads.
fn input(compilers: &Compilers, unit: &Unit, closure: Closure, bitcode: &Path) -> Result<(Toolchain, Input)> {
    let toolchain = Toolchain::of(&compilers.rustc)?;
    let mut crates = closure.bitcode;
    crates.insert(0, bitcode.to_owned());
    let mut archives = closure.archives;
    archives.extend(standard_library(&toolchain, unit)?);
    Ok((toolchain, Input { crates, archives }))
}

/// Checks the kernels of a unit and reports errors and warnings; true if there are no errors.
pub(super) fn examine(
    settings: &Settings,
    compilers: &Compilers,
    unit: &Unit,
    closure: Closure,
    bitcode: &Path,
) -> Result<bool> {
    let start = Instant::now();
    let (toolchain, input) = input(compilers, unit, closure, bitcode)?;
    let llvm = toolchain.open_llvm()?;
    let examined =
        link_process::examine(llvm.path(), settings, &input).context("the check of kernels failed")?;
    diagnostics::emit(&examined.found, unit.wants_json);
    if examined.kernels > 0 {
        send(settings, "Device-check", unit, examined.kernels, start);
    }
    Ok(examined.found.iter().all(|message| message["level"] != "error"))
}

/// Shows that a step has finished, with the number of its kernels and its time.
fn send(settings: &Settings, verb: &str, unit: &Unit, kernels: u64, start: Instant) {
    let count = if kernels == 1 { "1 kernel".to_owned() } else { format!("{kernels} kernels") };
    let seconds = start.elapsed().as_secs_f64();
    let text = format!("{} ({count}, {}) {seconds:.1}s", unit.name, settings.arch);
    progress::send(settings.progress.as_deref(), verb, &text);
}

/// The rlibs of `core`, `alloc`, `std` and their dependencies, for the program's target.
fn standard_library(toolchain: &Toolchain, unit: &Unit) -> Result<Vec<PathBuf>> {
    // A custom target, defined in a file, has no folder here; it brings its standard library by `--extern`.
    let target = unit.target.as_deref().filter(|target| *target != toolchain.host());
    let Some(target) = target else { return Ok(toolchain.archives()?) };
    let folder = toolchain.sysroot().join("lib/rustlib").join(target).join("lib");
    let entries = fs::read_dir(&folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut rlibs: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "rlib")).collect();
    rlibs.sort();
    Ok(rlibs)
}

/// Fills the slot, except its record. `None` if kernels cannot run on a device.
fn link(
    settings: &Settings,
    compilers: &Compilers,
    unit: &Unit,
    slot: &Slot,
    toolchain: &Toolchain,
    input: &Input,
) -> Result<Option<Linked>> {
    let start = Instant::now();
    let llvm = toolchain.open_llvm()?;
    let reply = link_process::link(llvm.path(), settings, input).context("the device link failed")?;
    let (linked, ptx, ir) = match reply {
        Reply::Linked { linked, ptx, ir } => (linked, ptx, ir),
        Reply::Refused(messages) => {
            diagnostics::emit(&messages, unit.wants_json);
            return Ok(None);
        }
    };
    if !linked.kernels.is_empty() {
        slot.create()?;
        write(&slot.ptx(), &slot.marked(&ptx))?;
        write(&slot.ir(), &ir)?;
        compile_object(compilers, unit, slot)?;
        send(settings, "Device-link", unit, linked.kernels.len() as u64, start);
    }
    Ok(Some(linked))
}

/// Makes the object with rustc, which knows the target's object format.
fn compile_object(compilers: &Compilers, unit: &Unit, slot: &Slot) -> Result<()> {
    let length =
        fs::metadata(slot.ptx()).with_context(|| format!("cannot read {}", slot.ptx().display()))?.len();
    // Beside the PTX, so that the source contains no path.
    let source = format!(
        "#![no_std]\n\
         #[repr(C)]\n\
         pub struct DeviceCode {{ length: [u8; 8], text: [u8; {length}], end: u8 }}\n\
         #[unsafe(no_mangle)]\n\
         pub static __spelt_device_code: DeviceCode = DeviceCode {{\n    \
             length: {length}u64.to_le_bytes(),\n    \
             text: *include_bytes!(\"kernels.ptx\"),\n    \
             end: 0,\n\
         }};\n"
    );
    write(&slot.object_source(), &source)?;
    let mut command = Command::new(&compilers.rustc);
    command.args([
        "--crate-name",
        "spelt_device_code",
        "--crate-type",
        "lib",
        "--edition",
        "2024",
        "--emit",
        "obj",
    ]);
    command.args(["-C", "codegen-units=1", "-C", "panic=abort", "--cap-lints", "allow"]);
    if let Some(target) = &unit.target {
        command.args(["--target", target]);
    }
    let output = command
        .arg("-o")
        .arg(slot.object())
        .arg(slot.object_source())
        .output()
        .context("cannot run rustc to make the object of the device code")?;
    if !output.status.success() {
        bail!(
            "rustc made no object of the device code:\n{}",
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(())
}

/// A hash of everything that the result depends on. For rlibs, which are large, the modification time replaces the contents.
fn hash_of(
    settings: &Settings,
    toolchain: &Toolchain,
    bitcode: &[PathBuf],
    archives: &[PathBuf],
) -> Result<String> {
    let mut hash = XxHash3_128::new();
    let mut field = |bytes: &[u8]| {
        hash.write(&(bytes.len() as u64).to_le_bytes());
        hash.write(bytes);
    };
    field(settings.fingerprint().as_bytes());
    for path in bitcode {
        field(&fs::read(path).with_context(|| format!("cannot read {}", path.display()))?);
    }
    for path in archives.iter().chain(&toolchain.llvm_candidates()) {
        let metadata = path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
        field(path.as_os_str().as_encoded_bytes());
        field(&metadata.len().to_le_bytes());
        let age = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        field(&age.map_or(0, |age| age.as_nanos()).to_le_bytes());
    }
    Ok(format!("{:032x}", hash.finish_128()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
