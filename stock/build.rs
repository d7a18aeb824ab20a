//! Compiles the stock kernels to device code.
//!
//! | `SPELT_STOCK_KERNELS` | |
//! |---|---|
//! | not set | by the device linker; where that cannot be, a warning says why and there are no stock kernels |
//! | `device-link` | by the device linker, or the build fails |
//! | `rust-cuda` | by rust-cuda, or the build fails; requires the feature `rust-cuda` and the tools in docs/rust-cuda.md |
//! | `none` | no stock kernels |

#[path = "build/device_link.rs"]
mod device_link;
#[path = "build/rust_cuda.rs"]
mod rust_cuda;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The kernels, and the compiler that made them.
struct Made {
    ptx: String,
    by: String,
}

impl Made {
    fn nothing(reason: &str) -> Self {
        Self { ptx: String::new(), by: format!("none: {reason}") }
    }
}

fn main() -> ExitCode {
    if let Some(code) = device_link::serve() {
        return code;
    }
    for path in ["build.rs", "build", "src/lib.rs", "src/entries.rs", "src/kernels"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let made = match make(&out) {
        Ok(made) => made,
        Err(message) => {
            for line in message.lines() {
                println!("cargo::error={line}");
            }
            return ExitCode::FAILURE;
        }
    };
    write(&out, "spelt-stock.ptx", &made.ptx);
    write(&out, "made-by", &made.by);
    ExitCode::SUCCESS
}

fn make(out: &Path) -> Result<Made, String> {
    println!("cargo::rerun-if-env-changed=DOCS_RS");
    if std::env::var_os("DOCS_RS").is_some() {
        return Ok(Made::nothing("documentation needs none"));
    }
    println!("cargo::rerun-if-env-changed=SPELT_STOCK_KERNELS");
    // By the rule of Spelt's variables: without white space, empty as unset, upper or lower case.
    let chosen = std::env::var_os("SPELT_STOCK_KERNELS").unwrap_or_default();
    let chosen = chosen.to_string_lossy();
    match chosen.trim().to_ascii_lowercase().as_str() {
        "" => Ok(device_link::compile(out).unwrap_or_else(|message| {
            let rest = "fills and strided copies in GPU memory go through host memory";
            println!("cargo::warning=no stock kernels, so {rest}: {}", message.replace('\n', " "));
            Made::nothing(&message)
        })),
        "device-link" => device_link::compile(out),
        "rust-cuda" => rust_cuda::compile(out),
        "none" => Ok(Made::nothing("SPELT_STOCK_KERNELS=none when it was built")),
        _ => Err(format!(
            "SPELT_STOCK_KERNELS is `{chosen}`: choose device-link, rust-cuda or none, or leave it unset"
        )),
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}
