//! `cargo spelt doctor`: what is present, and what to do about what is not.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use spelt_device_link::Toolchain;

use crate::emulator::{self, Source};
use crate::workspace::Workspace;
use crate::{driver, ptxas};

/// Bytes in a gibibyte.
const GIBIBYTE: f64 = 1_073_741_824.0;

/// Reports everything. It fails where kernels cannot be built; what is missing to run them is no failure.
pub(crate) fn run() -> Result<ExitCode> {
    let can_run = report_driver();
    report_emulator(can_run);
    let can_build = report_llvm();
    report_ptxas();
    Ok(if can_build { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A line of the report, and what to do.
fn report(what: &str, state: &str, advice: Option<&str>) {
    println!("{what:10} {state}");
    if let Some(advice) = advice {
        for line in advice.lines() {
            println!("{:10} -> {line}", "");
        }
    }
}

fn report_driver() -> bool {
    let driver = match driver::query() {
        Ok(driver) => driver,
        Err(error) => {
            let advice = if driver::is_present() {
                "the driver is installed but does not work: see whether `nvidia-smi` runs, and restart after an update"
            } else {
                "with an NVIDIA GPU: install its driver (of a distribution or of NVIDIA; no CUDA toolkit is needed)\n\
                 without: programs run on the emulator"
            };
            report("driver", &format!("missing: {error:#}"), Some(advice));
            report("GPU", "none that a driver knows", None);
            return false;
        }
    };
    let (major, minor) = driver.version;
    report("driver", &format!("present, for CUDA {major}.{minor}"), None);
    if driver.devices.is_empty() {
        let advice = "see whether `nvidia-smi` lists one, and whether CUDA_VISIBLE_DEVICES hides it; without a GPU, \
                      `cargo spelt --emulator` runs programs";
        report("GPU", "none", Some(advice));
    }
    for (number, device) in driver.devices.iter().enumerate() {
        let (major, minor) = device.capability;
        #[expect(clippy::cast_precision_loss, reason = "a size to read, with one digit after the point")]
        let memory = device.memory_bytes as f64 / GIBIBYTE;
        let advice =
            (major < 8).then(|| format!("build for it with `--arch sm_{major}{minor}`, or with SPELT_ARCH"));
        report(
            &format!("GPU {number}"),
            &format!("{}, sm_{major}{minor}, {memory:.1} GiB", device.name),
            advice.as_deref(),
        );
    }
    !driver.devices.is_empty()
}

fn report_emulator(can_run: bool) {
    // Outside of a workspace there is none to look into.
    let workspace = Workspace::of(&[]).ok();
    match emulator::source(workspace.as_ref()) {
        Ok(Some(Source::Folder(folder))) => {
            report("emulator", &format!("present: {}", folder.display()), None);
        }
        Ok(Some(Source::Package(manifest))) => {
            report("emulator", &format!("built when it is first used, from {}", manifest.display()), None);
        }
        Ok(None) => {
            let advice = format!(
                "{}: put the folder of its {} into {}",
                if can_run {
                    "to test without the GPU, and with checks for races"
                } else {
                    "to run programs here"
                },
                emulator::DRIVER,
                emulator::VARIABLE
            );
            report("emulator", "not found", Some(&advice));
        }
        Err(error) => report("emulator", &format!("unusable: {error:#}"), None),
    }
}

fn report_llvm() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    match Toolchain::of(&rustc).and_then(|toolchain| toolchain.open_llvm()) {
        Ok(llvm) => {
            let (major, minor, patch) = llvm.version();
            report("libLLVM", &format!("present, {major}.{minor}.{patch}: {}", llvm.path().display()), None);
            report("NVPTX", "present in libLLVM", None);
            true
        }
        Err(error) => {
            let advice = "use a toolchain of rustup, which brings it: `rustup toolchain install stable`\n\
                          a distribution's rustc wants the distribution's shared libLLVM of the same version";
            report("libLLVM", &format!("unusable: {error:#}"), Some(advice));
            false
        }
    }
}

fn report_ptxas() {
    let advice = format!(
        "optional, for the numbers of `cargo spelt ptx`: it is in NVIDIA's CUDA toolkit, and in the Python package\n\
         nvidia-cuda-nvcc-cu12; put it on PATH, or its path into {}",
        ptxas::VARIABLE
    );
    match ptxas::find() {
        None => report("ptxas", "not found", Some(&advice)),
        Some(path) => match ptxas::version(&path) {
            Ok(version) => report("ptxas", &format!("present, {version}: {}", path.display()), None),
            Err(error) => report("ptxas", &format!("unusable: {error:#}"), Some(&advice)),
        },
    }
}
