//! Compiles small texts as the wrapper compiles crates, and links them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use spelt_device_link::{Error, Input, Llvm, Options, Output, Toolchain, link};

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

impl Profile {
    fn argument(self) -> &'static str {
        match self {
            Self::Debug => "-Copt-level=0",
            Self::Release => "-Copt-level=3",
        }
    }
}

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

/// The crate `name` from `text`, in `folder`: `name.bc` from the device pass, or `libname.rlib` from the host's.
pub(crate) fn compile(folder: &Path, name: &str, text: &str, profile: Profile, arguments: &[&str]) {
    std::fs::write(folder.join(format!("{name}.rs")), text).unwrap();
    let output = Command::new(rustc())
        .current_dir(folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .args([&format!("{name}.rs"), "--edition=2024", "--cap-lints=allow"])
        .arg(profile.argument())
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The arguments of the device pass.
const DEVICE_PASS: [&str; 7] = [
    "--crate-type=lib",
    "--emit=llvm-bc",
    "-Ccodegen-units=1",
    "-Cno-prepopulate-passes",
    "-Cdebuginfo=2",
    "-Cpanic=abort",
    "-Zmir-enable-passes=-JumpThreading",
];

const HOST_PASS: [&str; 4] = ["--crate-type=lib", "--emit=link", "-Cembed-bitcode=yes", "-Cpanic=abort"];

/// The folder with the device side, compiled once for each profile.
fn device_side(profile: Profile) -> &'static Path {
    static SIDES: [LazyLock<PathBuf>; 2] = [
        LazyLock::new(|| device_side_in(Profile::Debug)),
        LazyLock::new(|| device_side_in(Profile::Release)),
    ];
    &SIDES[(profile == Profile::Release) as usize]
}

fn device_side_in(profile: Profile) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("device-side-{profile:?}"));
    std::fs::create_dir_all(&folder).unwrap();
    let text = include_str!("device.rs");
    compile(&folder, "spelt_kernels_gpu", text, profile, &HOST_PASS);
    compile(&folder, "spelt_kernels_gpu", text, profile, &DEVICE_PASS);
    folder
}

/// Bitcode of the crate `kernels`, which may use the device side.
fn kernels(folder: &Path, text: &str, profile: Profile) -> PathBuf {
    kernels_with(folder, text, profile, &[])
}

/// The same with more arguments.
pub(crate) fn kernels_with(folder: &Path, text: &str, profile: Profile, more: &[&str]) -> PathBuf {
    let rlib = device_side(profile).join("libspelt_kernels_gpu.rlib");
    let device_side = format!("--extern=spelt_kernels_gpu={}", rlib.display());
    let mut arguments = DEVICE_PASS.to_vec();
    arguments.push(&device_side);
    arguments.extend(more);
    compile(
        folder,
        "kernels",
        &format!("{text}\n#[allow(unused)] use spelt_kernels_gpu::*;"),
        profile,
        &arguments,
    );
    folder.join("kernels.bc")
}

/// The program of `text`, for the host.
pub(crate) fn program(folder: &Path, text: &str, profile: Profile) -> PathBuf {
    let rlib = device_side(profile).join("libspelt_kernels_gpu.rlib");
    let device_side = format!("--extern=spelt_kernels_gpu={}", rlib.display());
    let text = format!("{text}\n#[allow(unused)] use spelt_kernels_gpu::*;");
    compile(folder, "program", &text, profile, &["--crate-type=bin", "-Cpanic=abort", &device_side]);
    folder.join("program")
}

/// The link of `text` with the device side and the standard library.
pub(crate) fn input(folder: &Path, text: &str, profile: Profile) -> Input {
    let crates = vec![device_side(profile).join("spelt_kernels_gpu.bc"), kernels(folder, text, profile)];
    Input { crates, archives: TOOLCHAIN.archives().unwrap() }
}

pub(crate) fn try_link(text: &str, profile: Profile) -> Result<Output, Error> {
    let folder = Folder::new();
    let mut options = Options::new(LLVM.clone());
    options.ir = true;
    let output = link(&input(&folder.0, text, profile), &options)?;
    assemble(&folder.0, &output.ptx);
    Ok(output)
}

/// Links a text that must do.
#[track_caller]
pub(crate) fn linked(text: &str, profile: Profile) -> Output {
    match try_link(text, profile) {
        Ok(output) => output,
        Err(error) => panic!("{profile:?}: {error}"),
    }
}

/// The message of a text that must not link.
#[track_caller]
pub(crate) fn refused(text: &str, profile: Profile) -> String {
    match try_link(text, profile) {
        Ok(output) => panic!("{profile:?}: linked to {}", output.ptx),
        Err(error) => error.to_string(),
    }
}

/// Assembles the PTX, where `SPELT_PTXAS` names NVIDIA's assembler.
fn assemble(folder: &Path, ptx: &str) {
    let Some(ptxas) = std::env::var_os("SPELT_PTXAS").filter(|path| !path.is_empty()) else { return };
    let file = folder.join("kernels.ptx");
    std::fs::write(&file, ptx).unwrap();
    let target = ptx.lines().find_map(|line| line.strip_prefix(".target ")).unwrap();
    let target = target.split(',').next().unwrap();
    let output = Command::new(ptxas)
        .arg(format!("-arch={target}"))
        .args(["-o", "/dev/null"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}\n{ptx}", String::from_utf8_lossy(&output.stderr));
}
