//! Kernels by the compiler in use and the device linker.

use std::path::{Path, PathBuf};
use std::process::Command;

use spelt_device_link::{Input, Options, Toolchain, link};

use crate::Made;

/// The oldest GPUs that run them: PTX for these runs on all later ones, and the kernels need nothing newer.
const ARCH: &str = "sm_70";

/// Compiles this crate for a device, whatever the profile: these kernels are not the user's to debug.
pub(crate) fn compile(out: &Path) -> Result<Made, String> {
    let rustc = PathBuf::from(std::env::var_os("RUSTC").expect("cargo sets RUSTC"));
    let text = |error: spelt_device_link::Error| error.to_string();
    let toolchain = Toolchain::of(&rustc).map_err(text)?;
    let llvm = toolchain.open_llvm().map_err(text)?;
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
    let mut options = Options::new(llvm);
    options.arch = ARCH.parse().map_err(text)?;
    let input = Input { crates: vec![bitcode], archives: toolchain.archives().map_err(text)? };
    let linked = link(&input, &options).map_err(text)?;
    Ok(Made { ptx: linked.ptx, by: format!("device-link, rustc {}, {ARCH}", toolchain.release()) })
}
