//! `cargo spelt doctor`: checks the machine, with advice for each part that is missing.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::process::ExitCode;

use anyhow::Result;
use spelt_device_link::Toolchain;
use spelt_mpi_library::{Library, candidates};

use crate::emulator::{self, DRIVER, Source};
use crate::origin::Origin;
use crate::workspace::Workspace;
use crate::{driver, link_test, output, ptxas};

/// Bytes in a gibibyte.
const GIBIBYTE: f64 = 1_073_741_824.0;

/// Reports everything. It fails if programs cannot be built; it is not a failure if kernels cannot be run.
pub(crate) fn run() -> Result<ExitCode> {
    let mut report = Report::default();
    let can_run = report.driver();
    report.emulator(can_run);
    let can_build = report.toolchain();
    report.ptxas();
    report.mpi();
    output::print(&report.text)?;
    Ok(if can_build { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Debug, Default)]
struct Report {
    text: String,
}

impl Report {
    /// A line, with advice.
    fn add(&mut self, what: &str, state: &str, advice: Option<&str>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{what:10} {state}");
        for line in advice.unwrap_or_default().lines() {
            let _ = writeln!(self.text, "{:10} -> {line}", "");
        }
    }

    /// Whether there is a GPU to run on.
    fn driver(&mut self) -> bool {
        let driver = match driver::query_apart(OsStr::new(DRIVER)) {
            Ok(driver) => driver,
            Err(error) => {
                let error = format!("{error:#}");
                // The C library's message for a file that it does not find.
                let (state, advice) = if error.contains("No such file or directory") {
                    let advice = "with an NVIDIA GPU: install its driver (from the distribution or from NVIDIA; no CUDA toolkit is needed)\n\
                                  without one: programs run on the emulator";
                    ("missing", advice)
                } else {
                    let advice = "the driver is installed but does not work: check that `nvidia-smi` runs, and reboot after an \
                                  update\n\
                                  until then: `cargo spelt --emulator` runs programs";
                    ("unusable", advice)
                };
                self.add("driver", &format!("{state}: {error}"), Some(advice));
                self.add("GPU", "unknown without a driver", None);
                return false;
            }
        };
        let (major, minor) = driver.version;
        self.add("driver", &format!("present, for CUDA {major}.{minor}"), None);
        if driver.devices.is_empty() {
            let advice = "check that `nvidia-smi` lists one and that CUDA_VISIBLE_DEVICES does not hide it; without a GPU, \
                          `cargo spelt --emulator` runs programs";
            self.add("GPU", "none", Some(advice));
        }
        for (number, device) in driver.devices.iter().enumerate() {
            let (major, minor) = device.capability;
            #[expect(clippy::cast_precision_loss, reason = "a size to read, with one digit after the point")]
            let memory = device.memory_bytes as f64 / GIBIBYTE;
            let advice = (major < 8)
                .then(|| format!("build for it with `--arch sm_{major}{minor}`, or with SPELT_ARCH"));
            self.add(
                &format!("GPU {number}"),
                &format!("{}, sm_{major}{minor}, {memory:.1} GiB", device.name),
                advice.as_deref(),
            );
        }
        !driver.devices.is_empty()
    }

    fn emulator(&mut self, can_run: bool) {
        if !cfg!(target_os = "linux") {
            self.add("emulator", "unavailable: it runs on Linux only", None);
            return;
        }
        // There may be no workspace here.
        let workspace = Workspace::of(&[]).ok();
        let found = emulator::source(workspace.as_ref()).and_then(|source| Ok((source.place()?, source)));
        let (folder, source) = match found {
            Ok(found) => found,
            Err(error) => return self.add("emulator", &format!("unusable: {error:#}"), None),
        };
        let library = folder.join(DRIVER);
        if !library.is_file() {
            let of = match &source {
                Source::Member(manifest) => format!("from {}", manifest.display()),
                Source::Cache(Origin::Checkout(checkout), _) => format!("from {}", checkout.display()),
                Source::Cache(Origin::Registry, _) | Source::Folder(_) => "from the registry".to_owned(),
            };
            let when = if can_run { "with `--emulator`" } else { "by `cargo spelt run`" };
            let state = format!("will be built at its first use, {when}, {of}, in {}", folder.display());
            return self.add("emulator", &state, None);
        }
        match driver::query_apart(library.as_os_str()) {
            Ok(_) => self.add("emulator", &format!("present: {}", folder.display()), None),
            Err(error) => {
                let advice = match source {
                    Source::Folder(_) => format!("build it again, or unset {}", emulator::VARIABLE),
                    _ => format!("delete {}: the next run builds it again", folder.display()),
                };
                self.add("emulator", &format!("unusable: {error:#}"), Some(&advice));
            }
        }
    }

    /// Whether programs and their kernels can be built.
    fn toolchain(&mut self) -> bool {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
        let toolchain = match Toolchain::of(&rustc) {
            Ok(toolchain) => toolchain,
            Err(error) => {
                let advice = "install Rust with rustup, see https://rustup.rs";
                self.add("rustc", &format!("unusable: {error:#}"), Some(advice));
                return false;
            }
        };
        let linker = link_test::run(&rustc, &toolchain);
        match &linker {
            Ok(name) => self.add("linker", &format!("present, {name}: it linked a test program"), None),
            Err(error) => {
                let advice =
                    "install a C compiler, which includes it, such as the distribution's package gcc";
                self.add("linker", &format!("unusable: {error:#}"), Some(advice));
            }
        }
        let llvm = toolchain.open_llvm();
        match &llvm {
            Ok(llvm) => {
                let (major, minor, patch) = llvm.version();
                self.add(
                    "libLLVM",
                    &format!("present, {major}.{minor}.{patch}: {}", llvm.path().display()),
                    None,
                );
                self.add("NVPTX", "present in libLLVM", None);
            }
            Err(error) => {
                let advice = "use a toolchain of rustup, which includes it: `rustup toolchain install stable`\n\
                              a distribution's rustc needs the distribution's shared libLLVM of the same version";
                self.add("libLLVM", &format!("unusable: {error:#}"), Some(advice));
            }
        }
        linker.is_ok() && llvm.is_ok()
    }

    fn mpi(&mut self) {
        match Library::open_first(&candidates()) {
            Ok(library) => self.add("MPI", &format!("present, {library}"), None),
            Err(reasons) => {
                let advice = "optional, for programs with the feature `mpi` on more than one rank: install the machine's MPI (such as the\n\
                              distribution's package mpich or openmpi-bin), or name its file in SPELT_MPI_LIBRARY";
                self.add("MPI", &format!("not found: {reasons}"), Some(advice));
            }
        }
    }

    fn ptxas(&mut self) {
        let advice = format!(
            "optional, for the registers in `cargo spelt ptx`: it is part of NVIDIA's CUDA toolkit and of the Python package\n\
             nvidia-cuda-nvcc-cu12; put it on PATH, or its path in {}",
            ptxas::VARIABLE
        );
        match ptxas::find() {
            Err(error) => self.add("ptxas", &format!("unusable: {error:#}"), Some(&advice)),
            Ok(None) => self.add("ptxas", "not found", Some(&advice)),
            Ok(Some(path)) => match ptxas::version(&path) {
                Ok(version) => self.add("ptxas", &format!("present, {version}: {}", path.display()), None),
                Err(error) => self.add("ptxas", &format!("unusable: {error:#}"), Some(&advice)),
            },
        }
    }
}
