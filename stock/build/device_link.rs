//! Kernels by the compiler in use and the device linker.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use spelt_device_link::{Input, Options, Toolchain, link};

use crate::Made;

/// The oldest GPUs that run them: PTX for these runs on all later ones, and the kernels need nothing newer.
const ARCH: &str = "sm_70";

/// Compiles this crate for a device, regardless of the profile: these kernels are not the user's to debug.
pub(crate) fn compile(out: &Path) -> Result<Made, String> {
    let rustc = PathBuf::from(std::env::var_os("RUSTC").expect("cargo sets RUSTC"));
    let text = |error: spelt_device_link::Error| error.to_string();
    let toolchain = Toolchain::of(&rustc).map_err(text)?;
    // Without it there is nothing to compile for.
    toolchain.open_llvm().map_err(text)?;
    let bitcode = out.join("spelt_stock.bc");
    let output = Command::new(&rustc)
        .args(["src/lib.rs", "--crate-name=spelt_stock", "--crate-type=lib", "--edition=2024"])
        .args(["--cfg=spelt_device", "--emit=llvm-bc", "--cap-lints=allow"])
        .args(["-Copt-level=3", "-Cpanic=abort", "-Coverflow-checks=off", "-Cdebug-assertions=off"])
        // Nothing is optimised for the host; lines are for the device linker's messages.
        .args(["-Ccodegen-units=1", "-Cno-prepopulate-passes", "-Cdebuginfo=2"])
        // That pass copies barriers into both arms of a branch.
        .arg("-Zmir-enable-passes=-JumpThreading")
        .env("RUSTC_BOOTSTRAP", "1")
        .arg("-o")
        .arg(&bitcode)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", rustc.display()))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} did not compile the stock kernels:\n{message}", rustc.display()));
    }
    Ok(Made { ptx: link_apart(&bitcode)?, by: format!("device-link, rustc {}, {ARCH}", toolchain.release()) })
}

/// Names the bitcode to link. That it is set is how the build script knows that it is the process of the link.
const BITCODE: &str = "__SPELT_STOCK_BITCODE";

/// Links in a separate process, this executable's: on damaged bitcode LLVM may crash.
fn link_apart(bitcode: &Path) -> Result<String, String> {
    let this = std::env::current_exe().map_err(|error| format!("no path of the build script: {error}"))?;
    let output = Command::new(this)
        .env(BITCODE, bitcode)
        .output()
        .map_err(|error| format!("cannot start a process for the link: {error}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return String::from_utf8(output.stdout).map_err(|error| error.to_string());
    }
    Err(match output.status.code() {
        Some(1) => words.into_owned(),
        _ => format!(
            "LLVM ended the link's process ({}). The bitcode {}, or that of the standard library, may be damaged: build \
             again after `cargo clean -p spelt-stock`, or reinstall the toolchain. {words}",
            output.status,
            bitcode.display()
        ),
    })
}

/// In the process that links, prints PTX, or the reason why there is none. `None` if this is not that process.
pub(crate) fn serve() -> Option<ExitCode> {
    let bitcode = std::env::var_os(BITCODE)?;
    Some(match link_here(Path::new(&bitcode)) {
        Ok(ptx) => {
            print!("{ptx}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprint!("{error}");
            ExitCode::FAILURE
        }
    })
}

fn link_here(bitcode: &Path) -> Result<String, spelt_device_link::Error> {
    let rustc = PathBuf::from(std::env::var_os("RUSTC").expect("cargo sets RUSTC"));
    let toolchain = Toolchain::of(&rustc)?;
    let mut options = Options::new(toolchain.open_llvm()?);
    options.arch = ARCH.parse()?;
    options.until_exit = true;
    let input = Input { crates: vec![bitcode.to_owned()], archives: toolchain.archives()? };
    Ok(link(&input, &options)?.ptx)
}
