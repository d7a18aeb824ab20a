//! rustc's second run for a crate: the same arguments, types and symbols, to bitcode without the host's optimisation passes.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};

use super::arguments::{Argument, Arguments};
use super::unit::Unit;
use super::{Compilers, record};

/// The options of `-C` that the device pass sets itself, or that do not apply to it.
const DROPPED: &[&str] = &[
    "codegen-units",
    "debuginfo",
    "embed-bitcode",
    "incremental",
    "instrument-coverage",
    "link-arg",
    "link-args",
    "link-dead-code",
    "link-self-contained",
    "linker",
    "linker-features",
    "linker-flavor",
    "linker-plugin-lto",
    "lto",
    "panic",
    "prefer-dynamic",
    "profile-generate",
    "profile-use",
    "rpath",
    "save-temps",
    "split-debuginfo",
    "strip",
];

/// Without this, rustc copies the code after a branch, barriers included, into both arms if that saves a later branch.
pub(super) const NO_COPIES: (&str, &str) = ("-Z", "mir-enable-passes=-JumpThreading");

/// The `cfg` by which Spelt leaves out the loops of hosts: they would be most of the code of a device pass, and no kernel reaches them.
/// Types, and the numbers of closures in functions, do not depend on it, so symbols are those of the host.
///
/// Generic functions come from the metadata of other crates, so a library's device pass writes that too, and others read it.
const CFG: &str = "spelt_device_pass";

/// The outcome of the device pass.
#[derive(Debug)]
pub(crate) enum DevicePass {
    Done,
    /// rustc failed, with these messages.
    Failed(Failure),
}

/// The failing rustc's standard error.
#[derive(Debug)]
pub(crate) struct Failure(Vec<u8>);

impl Failure {
    /// Shows the failure, unless rustc has failed for the host too and reported the reason.
    pub(crate) fn after(self, host: ExitCode) -> Result<ExitCode> {
        if host != ExitCode::SUCCESS {
            return Ok(host);
        }
        use std::io::Write;
        std::io::stderr().write_all(&self.0)?;
        Ok(ExitCode::from(1))
    }
}

impl DevicePass {
    /// Compiles the crate of `arguments` to `bitcode`.
    pub(crate) fn run(
        compilers: &Compilers,
        arguments: &Arguments,
        unit: &Unit,
        bitcode: &Path,
    ) -> Result<Self> {
        let output = Command::new(&compilers.rustc)
            .args(of_device(arguments, unit, bitcode).to_words())
            // For the option -Z below; cargo has already decided which features the crate may use.
            .env("RUSTC_BOOTSTRAP", "1")
            .stdout(Stdio::null())
            .output()
            .with_context(|| format!("cannot run {}", compilers.rustc.to_string_lossy()))?;
        Ok(if output.status.success() { Self::Done } else { Self::Failed(Failure(output.stderr)) })
    }
}

fn of_device(arguments: &Arguments, unit: &Unit, bitcode: &Path) -> Arguments {
    let mut device = arguments.clone();
    device.remove_codegen(DROPPED);
    device.retain(|argument| match argument {
        Argument::Valued(name, value) => {
            // The lines of rustc's JSON that cargo would take for events of the crate itself.
            let is_event = name == "--json" && value.split(',').all(is_event);
            !is_event && !matches!(name.as_str(), "--emit" | "--out-dir" | "-o" | "--cap-lints")
        }
        Argument::Word(word) => word != "-g",
    });
    if unit.is_checked && unit.is_linked {
        // Code is generated for a program, which takes more than metadata; `check.rs` has the libraries' rlibs written.
        device.map_values("--extern", |value| match value.strip_suffix(".rmeta") {
            Some(library) => format!("{library}.rlib"),
            None => value.to_owned(),
        });
    }
    device.map_values("--json", |value| {
        value.split(',').filter(|kind| !is_event(kind)).collect::<Vec<_>>().join(",")
    });
    device.push("--emit", &format!("llvm-bc={}", bitcode.display()));
    // The check of kernels finds the launches of hosts by their loops.
    if !unit.is_checked {
        device.push("--cfg", CFG);
        read_what_device_passes_left(&mut device);
        if unit.is_library {
            let metadata = record::device_metadata_beside(&unit.rlib());
            device.push("--emit", &format!("metadata={}", metadata.display()));
        }
    }
    // The host's run shows the warnings.
    device.push("--cap-lints", "allow");
    device.push_codegen("codegen-units", "1");
    device.push_codegen("embed-bitcode", "yes");
    // Lines for messages, types for the check of closures' captures.
    device.push_codegen("debuginfo", "2");
    device.push_codegen("panic", "abort");
    device.push("-C", "no-prepopulate-passes");
    let (name, value) = NO_COPIES;
    device.push(name, value);
    if unit.is_harness {
        device.push("-Z", "panic-abort-tests");
    }
    device
}

/// Names the metadata of the device pass for each library that has some.
///
/// A library of several types, such as `dylib` and `rlib`, has several files under one name; the others are dropped, since rustc
/// refuses files that are not of one compilation.
fn read_what_device_passes_left(arguments: &mut Arguments) {
    let mut left = HashMap::new();
    arguments.map_values("--extern", |library| match library.split_once('=') {
        Some((name, path)) if record::is_device_crate(Path::new(path)) => {
            let library = format!("{name}={}", record::device_metadata_beside(Path::new(path)).display());
            left.insert(name.to_owned(), library.clone());
            library
        }
        _ => library.to_owned(),
    });
    arguments.retain(|argument| match argument {
        Argument::Valued(option, library) if option == "--extern" => {
            let name = library.split('=').next().unwrap_or_default();
            left.get(name).is_none_or(|left| left == library)
        }
        _ => true,
    });
}

fn is_event(kind: &str) -> bool {
    matches!(kind, "artifacts" | "future-incompat" | "unused-externs" | "unused-externs-silent" | "timings")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use super::*;

    /// The words of the device pass for those of the host.
    fn device_pass(line: &str, check: bool) -> String {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let arguments = Arguments::parse(&words).unwrap();
        let unit = Unit::of(&arguments, check).unwrap();
        of_device(&arguments, &unit, Path::new("b.bc")).to_words().join(" ")
    }

    /// A folder with the bitcode of a library `spelt-1`, as its device pass leaves it; a library `serde-1` has none.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("cargo-spelt-{test}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(record::bitcode_beside(&folder.join("libspelt-1.rlib")), "").unwrap();
            Self(folder)
        }

        /// [`device_pass`] of a line in which `F` is this folder.
        fn device_pass(&self, line: &str, check: bool) -> String {
            let folder = self.0.display().to_string();
            device_pass(&line.replace("=F/", &format!("={folder}/")), check).replace(&folder, "F")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_library_of_several_types_is_named_by_its_device_passes_metadata_alone() {
        let folder = std::env::temp_dir().join(format!("cargo-spelt-types-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(record::bitcode_beside(&folder.join("liba-1.rlib")), "").unwrap();
        let place = folder.display();
        let line = format!(
            "src/main.rs --extern a={place}/liba.so --extern a={place}/liba-1.rlib --extern b={place}/libb.so \
             --extern b={place}/libb-1.rlib --extern proc_macro"
        );
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let mut arguments = Arguments::parse(&words).unwrap();
        read_what_device_passes_left(&mut arguments);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            arguments.to_words().join(" "),
            format!(
                "src/main.rs --extern=a={place}/liba-1.spelt.rmeta --extern=b={place}/libb.so \
                 --extern=b={place}/libb-1.rlib --extern=proc_macro"
            )
        );
    }

    #[test]
    fn the_device_gets_the_hosts_semantics_and_none_of_its_outputs() {
        let line = "--crate-name a --edition=2024 src/main.rs --error-format=json \
            --json=diagnostic-rendered-ansi,artifacts,future-incompat --crate-type bin --emit=dep-info,link \
            -C opt-level=2 -C overflow-checks=on -C panic=abort -C lto=thin -C debuginfo=1 -C incremental=/i \
            -C strip=symbols -C metadata=m -C extra-filename=-m --out-dir d --cap-lints warn -g -C link-arg=-x --cfg f";
        assert_eq!(
            device_pass(line, false),
            "--crate-name=a --edition=2024 src/main.rs --error-format=json --json=diagnostic-rendered-ansi \
             --crate-type=bin -C opt-level=2 -C overflow-checks=on -C metadata=m -C extra-filename=-m --cfg=f \
             --emit=llvm-bc=b.bc --cfg=spelt_device_pass --cap-lints=allow -C codegen-units=1 -C embed-bitcode=yes -C debuginfo=2 -C panic=abort \
             -C no-prepopulate-passes -Z mir-enable-passes=-JumpThreading"
        );
    }

    #[test]
    fn a_librarys_device_pass_reads_and_writes_the_metadata_of_device_passes() {
        let folder = Folder::new("library");
        let line = "--crate-name a src/lib.rs --crate-type lib --emit=dep-info,metadata,link --out-dir d \
            -C extra-filename=-m --extern spelt=F/libspelt-1.rmeta --extern serde=F/libserde-1.rmeta --extern alloc";
        assert_eq!(
            folder.device_pass(line, false),
            "--crate-name=a src/lib.rs --crate-type=lib -C extra-filename=-m \
             --extern=spelt=F/libspelt-1.spelt.rmeta --extern=serde=F/libserde-1.rmeta --extern=alloc \
             --emit=llvm-bc=b.bc --cfg=spelt_device_pass --emit=metadata=d/liba-m.spelt.rmeta --cap-lints=allow \
             -C codegen-units=1 -C embed-bitcode=yes -C debuginfo=2 -C panic=abort -C no-prepopulate-passes \
             -Z mir-enable-passes=-JumpThreading"
        );
    }

    /// The check has the host's loops, so it reads the host's metadata too.
    #[test]
    fn a_check_reads_what_the_host_has_left() {
        let folder = Folder::new("check");
        let line = "--crate-name a src/a.rs --crate-type TYPE --emit=dep-info,metadata --out-dir d \
            --extern spelt=F/libspelt-1.rmeta --extern serde=F/libserde-1.rmeta";
        // Code is generated for a program alone.
        for (kind, end) in [("bin", "rlib"), ("lib", "rmeta")] {
            assert_eq!(
                folder.device_pass(&line.replace("TYPE", kind), true),
                format!(
                    "--crate-name=a src/a.rs --crate-type={kind} --extern=spelt=F/libspelt-1.{end} \
                     --extern=serde=F/libserde-1.{end} --emit=llvm-bc=b.bc --cap-lints=allow -C codegen-units=1 \
                     -C embed-bitcode=yes -C debuginfo=2 -C panic=abort -C no-prepopulate-passes \
                     -Z mir-enable-passes=-JumpThreading"
                )
            );
        }
    }
}
