//! Kernels by rust-cuda, whose compiler is of 2021: a separate package drives `cuda_builder` with the toolchain that it
//! needs. What that is, and where it is looked for: docs/rust-cuda.md.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Made;

/// The compiler that `rustc_codegen_nvvm` 0.3 is a part of.
const NIGHTLY: &str = "nightly-2021-12-04";

/// The LLVM that `rustc_codegen_nvvm` 0.3 links: the one whose bitcode NVIDIA's libNVVM reads.
const LLVM_MAJOR: &str = "7";

/// Variables that name the folder of CUDA, in the order in which rust-cuda looks at them.
const CUDA_VARIABLES: [&str; 3] = ["CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR"];

/// Compiles the kernels, or says everything that is missing.
pub(crate) fn compile(out: &Path) -> Result<Made, String> {
    if std::env::var_os("CARGO_FEATURE_RUST_CUDA").is_none() {
        return Err("SPELT_STOCK_KERNELS=rust-cuda requires the feature `rust-cuda`".to_owned());
    }
    let missing: Vec<String> = [package(), cuda_root(), nightly(), llvm()].into_iter().flatten().collect();
    if !missing.is_empty() {
        let list = missing.join("\n- ");
        return Err(format!(
            "rust-cuda cannot compile the stock kernels. It needs\n- {list}\nSee docs/rust-cuda.md"
        ));
    }
    let ptx = out.join("rust-cuda.ptx");
    let mut cargo = Command::new("rustup");
    cargo
        .args(["run", NIGHTLY, "cargo", "run", "--release", "--locked"])
        .args(["--manifest-path", "rust-cuda/builder/Cargo.toml", "--"])
        .arg(folder().join("kernels"))
        .arg(&ptx);
    // Variables that this build sets for its own compiler would mislead the other one.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let ours = text.starts_with("CARGO") && text != "CARGO_HOME" || text.starts_with("RUSTC");
        if ours || ["RUSTFLAGS", "RUSTUP_TOOLCHAIN", "RUSTDOC", "OUT_DIR", "PROFILE"].contains(&&*text) {
            cargo.env_remove(&name);
        }
    }
    // For the builder and for the build that it starts.
    cargo.env("CARGO_TARGET_DIR", out.join("rust-cuda"));
    let output = cargo.output().map_err(|error| format!("cannot run rustup: {error}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("rust-cuda did not compile the stock kernels:\n{message}"));
    }
    let text =
        std::fs::read_to_string(&ptx).map_err(|error| format!("cannot read {}: {error}", ptx.display()))?;
    Ok(Made { ptx: text, by: format!("rust-cuda, {NIGHTLY}") })
}

fn folder() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
        .join("rust-cuda")
}

/// The packages are there, which a published crate does not contain.
fn package() -> Option<String> {
    let missing = !folder().join("builder/Cargo.toml").is_file();
    missing
        .then(|| format!("Spelt's repository: {} is not there, as in a published crate", folder().display()))
}

fn cuda_root() -> Option<String> {
    let mut folders = Vec::new();
    for variable in CUDA_VARIABLES {
        println!("cargo::rerun-if-env-changed={variable}");
        folders.extend(std::env::var_os(variable).map(PathBuf::from));
    }
    folders.extend(["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from));
    let found = folders.iter().any(|folder| folder.join("include/cuda.h").is_file());
    (!found).then(|| {
        let looked: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        format!(
            "a CUDA toolkit, version 11: there is no include/cuda.h in {}. Install one, and name its folder in {}",
            looked.join(", "),
            CUDA_VARIABLES[0]
        )
    })
}

/// The pinned compiler with the components that a code generator is built from.
fn nightly() -> Option<String> {
    let remedy = format!(
        "Install it: rustup toolchain install {NIGHTLY} --profile minimal -c rust-src -c rustc-dev -c llvm-tools-preview"
    );
    let sysroot = Command::new("rustup").args(["run", NIGHTLY, "rustc", "--print", "sysroot"]).output();
    let sysroot = match sysroot {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Ok(_) => return Some(format!("the toolchain {NIGHTLY}, which rustup does not have. {remedy}")),
        Err(error) => {
            return Some(format!("the toolchain {NIGHTLY} by rustup, which does not run: {error}. {remedy}"));
        }
    };
    let host = std::env::var("HOST").expect("cargo sets HOST");
    let library = Path::new(&sysroot).join("lib/rustlib");
    let lacking: Vec<&str> = [
        ("rust-src", library.join("src/rust/library/core")),
        ("rustc-dev", library.join("rustc-src")),
        ("llvm-tools-preview", library.join(&host).join("bin")),
    ]
    .iter()
    .filter(|(_, path)| !path.exists())
    .map(|(component, _)| *component)
    .collect();
    (!lacking.is_empty()).then(|| format!("the component {} of {NIGHTLY}. {remedy}", lacking.join(", ")))
}

fn llvm() -> Option<String> {
    println!("cargo::rerun-if-env-changed=LLVM_CONFIG");
    let program = std::env::var_os("LLVM_CONFIG").unwrap_or_else(|| "llvm-config".into());
    let found = match Command::new(&program).arg("--version").output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(error) => format!("nothing: {error}"),
    };
    (found.split('.').next() != Some(LLVM_MAJOR)).then(|| {
        format!(
            "LLVM {LLVM_MAJOR} with its headers: `{} --version` says {found}. Build it with the targets X86 and NVPTX, and \
             name its llvm-config in LLVM_CONFIG",
            program.to_string_lossy()
        )
    })
}
