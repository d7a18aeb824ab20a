//! Compiles small texts as the wrapper compiles crates, and links them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use spelt_device_link::{Error, Input, Llvm, Options, Output, Toolchain, link};

const DEVICE: &str = include_str!("device.rs");

pub(crate) static TOOLCHAIN: LazyLock<Toolchain> = LazyLock::new(|| Toolchain::of(rustc()).unwrap());
pub(crate) static LLVM: LazyLock<Llvm> = LazyLock::new(|| TOOLCHAIN.open_llvm().unwrap());

fn rustc() -> PathBuf {
    std::env::var_os("RUSTC").map_or_else(|| "rustc".into(), PathBuf::from)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    Debug,
    Release,
}

pub(crate) const PROFILES: [Profile; 2] = [Profile::Debug, Profile::Release];

/// A folder that goes when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("spelt-link-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Bitcode of a crate with the test's device side and `text`, in `folder`.
pub(crate) fn bitcode(folder: &Path, text: &str, profile: Profile, arguments: &[&str]) -> PathBuf {
    let (source, bitcode) = (folder.join("kernels.rs"), folder.join("kernels.bc"));
    std::fs::write(&source, format!("{text}\n{DEVICE}")).unwrap();
    let output = Command::new(rustc())
        .current_dir(folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .args([
            "kernels.rs",
            "--crate-type=lib",
            "--edition=2024",
            "--emit=llvm-bc=kernels.bc",
            "--cap-lints=allow",
        ])
        .args(["-Ccodegen-units=1", "-Cno-prepopulate-passes", "-Cdebuginfo=2", "-Cpanic=abort"])
        .arg("-Zmir-enable-passes=-JumpThreading")
        .arg(if profile == Profile::Release { "-Copt-level=3" } else { "-Copt-level=0" })
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    bitcode
}

/// Links `text` with the standard library behind it.
pub(crate) fn try_link(text: &str, profile: Profile) -> Result<Output, Error> {
    let folder = Folder::new();
    let input = Input {
        crates: vec![bitcode(&folder.0, text, profile, &[])],
        archives: TOOLCHAIN.archives().unwrap(),
    };
    let mut options = Options::new(LLVM.clone());
    options.ir = true;
    link(&input, &options)
}

/// Links a text that must do.
#[track_caller]
pub(crate) fn linked(text: &str, profile: Profile) -> Output {
    match try_link(text, profile) {
        Ok(output) => output,
        Err(error) => panic!("{profile:?}: {error}"),
    }
}
