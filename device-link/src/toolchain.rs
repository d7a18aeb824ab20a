//! Where a Rust toolchain keeps libLLVM and the rlibs of its standard library.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, Llvm};

/// A rustc with its folders.
#[derive(Clone, Debug)]
pub struct Toolchain {
    sysroot: PathBuf,
    host: String,
    release: String,
    llvm_major: u32,
}

/// Folders where distributions keep shared libraries, below `/`.
fn library_folders(host: &str) -> Vec<PathBuf> {
    // Debian's name of the host has no vendor.
    let multiarch = host.replace("-unknown-", "-").replace("-pc-", "-");
    let mut folders: Vec<PathBuf> =
        ["/usr/lib64", "/usr/lib", "/usr/local/lib", "/lib64", "/lib", "/opt/homebrew/lib"]
            .iter()
            .map(PathBuf::from)
            .collect();
    folders.push(Path::new("/usr/lib").join(multiarch));
    folders
}

impl Toolchain {
    /// Asks `rustc` (a path, or a name to be looked up) for its folders and versions.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be run, [`Error::Llvm`] if it does not name its LLVM.
    pub fn of(rustc: impl AsRef<Path>) -> Result<Self, Error> {
        let rustc = rustc.as_ref();
        let ask = |arguments: &[&str]| {
            let output =
                Command::new(rustc).args(arguments).output().map_err(|source| Error::io(rustc, source))?;
            Ok::<_, Error>(String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let (sysroot, version) = (ask(&["--print", "sysroot"])?, ask(&["-vV"])?);
        Self::from_texts(sysroot.trim(), &version).ok_or_else(|| {
            Error::Llvm(format!("`{} -vV` does not name its LLVM version: {version}", rustc.display()))
        })
    }

    fn from_texts(sysroot: &str, version: &str) -> Option<Self> {
        let field = |name: &str| version.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        Some(Self {
            sysroot: PathBuf::from(sysroot),
            host: field("host:")?.to_owned(),
            release: field("release:")?.to_owned(),
            llvm_major: field("LLVM version:")?.split('.').next()?.parse().ok()?,
        })
    }

    /// The folder of the toolchain.
    pub fn sysroot(&self) -> &Path {
        &self.sysroot
    }

    /// The target that it runs on, and compiles for by default.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The version of rustc.
    pub fn release(&self) -> &str {
        &self.release
    }

    /// The major version of the LLVM in it.
    pub fn llvm_major(&self) -> u32 {
        self.llvm_major
    }

    /// Files that may be the libLLVM of this toolchain, the most likely first: those in the toolchain's own folder (rustup),
    /// then the system's of the same major version (distributions).
    pub fn llvm_candidates(&self) -> Vec<PathBuf> {
        let mut found = libraries(&self.sysroot.join("lib"), None);
        for folder in library_folders(&self.host) {
            found.extend(libraries(&folder, Some(self.llvm_major)));
            found.extend(libraries(
                &folder.join(format!("llvm-{}/lib", self.llvm_major)),
                Some(self.llvm_major),
            ));
            found.extend(libraries(
                &folder.join(format!("llvm{}/lib", self.llvm_major)),
                Some(self.llvm_major),
            ));
            found.extend(libraries(
                &folder.join(format!("llvm{}/lib64", self.llvm_major)),
                Some(self.llvm_major),
            ));
            found.extend(libraries(
                &folder.join(format!("llvm/{}/lib", self.llvm_major)),
                Some(self.llvm_major),
            ));
            found.extend(libraries(
                &folder.join(format!("llvm/{}/lib64", self.llvm_major)),
                Some(self.llvm_major),
            ));
        }
        found
    }

    /// Opens the libLLVM of this toolchain.
    ///
    /// # Errors
    /// [`Error::Llvm`] if none of the candidates can be opened; it says which were tried, where others were looked for,
    /// and why each was refused.
    pub fn open_llvm(&self) -> Result<Llvm, Error> {
        let mut refused = String::new();
        for path in self.llvm_candidates() {
            match Llvm::open(&path) {
                Ok(llvm) if llvm.version().0 == self.llvm_major => return Ok(llvm),
                Ok(llvm) => {
                    let (major, minor, _) = llvm.version();
                    refused += &format!("\n  {} is LLVM {major}.{minor}", path.display());
                }
                Err(error) => refused += &format!("\n  {error}"),
            }
        }
        let folders: Vec<_> =
            library_folders(&self.host).iter().map(|folder| folder.display().to_string()).collect();
        Err(Error::Llvm(format!(
            "no libLLVM for rustc {}, which uses LLVM {major}. Looked for libLLVM*.so* in {}, and for libLLVM-{major}.so, \
             libLLVM.so.{major}.* in {} and their folders llvm-{major}/lib.{refused}\n\
             Use a toolchain of rustup, or install the shared library of LLVM {major} (on Debian: libllvm{major})",
            self.release,
            self.sysroot.join("lib").display(),
            folders.join(", "),
            major = self.llvm_major,
        )))
    }

    /// The folder of the standard library's rlibs for the host.
    pub fn library_folder(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib").join(&self.host).join("lib")
    }

    /// The rlibs of the standard library for the host.
    ///
    /// # Errors
    /// [`Error::Io`] if their folder cannot be read.
    pub fn archives(&self) -> Result<Vec<PathBuf>, Error> {
        let folder = self.library_folder();
        let entries = std::fs::read_dir(&folder).map_err(|source| Error::io(&folder, source))?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut rlibs: Vec<_> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "rlib")).collect();
        rlibs.sort();
        Ok(rlibs)
    }
}

/// Shared libraries in `folder` that are LLVM by their name, and of this major version if one is named.
fn libraries(folder: &Path, major: Option<u32>) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let suits = |name: &str| match major {
        _ if !name.starts_with("libLLVM") => false,
        None => name.contains(".so") || name.ends_with(".dylib"),
        Some(major) => [".so", "-rust", ".dylib"].iter().any(|end| {
            name.starts_with(&format!("libLLVM-{major}{end}"))
                || name.starts_with(&format!("libLLVM{end}.{major}"))
        }),
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut found: Vec<_> = names.filter(|name| suits(name)).map(|name| folder.join(name)).collect();
    // `libLLVM-22-rust-1.95.0-stable.so` of rustup is a linker script; `libLLVM.so.22.1-..` is the library.
    found.sort_by_key(|path| !path.to_string_lossy().contains(".so."));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: &str = "rustc 1.95.0\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\nLLVM version: 22.1.2\n";

    #[test]
    fn versions_are_read() {
        let toolchain = Toolchain::from_texts("/opt/rust", VERSION).unwrap();
        assert_eq!((toolchain.llvm_major(), toolchain.host()), (22, "x86_64-unknown-linux-gnu"));
        assert_eq!(
            toolchain.library_folder(),
            Path::new("/opt/rust/lib/rustlib/x86_64-unknown-linux-gnu/lib")
        );
        assert!(Toolchain::from_texts("/opt/rust", "rustc 1.95.0").is_none());
    }

    #[test]
    fn libraries_are_told_by_name_and_version() {
        let folder = std::env::temp_dir().join(format!("spelt-device-link-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in [
            "libLLVM-22.so",
            "libLLVM.so.22.1",
            "libLLVM-21.so",
            "libLLVMCore.a",
            "libclang.so.22",
            "libLLVM-2.so",
        ] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let found = libraries(&folder, Some(22));
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, [folder.join("libLLVM.so.22.1"), folder.join("libLLVM-22.so")]);
    }

    #[test]
    fn what_was_looked_for_is_in_the_error() {
        let version = VERSION.replace("22.1.2", "99.0.0");
        let toolchain = Toolchain::from_texts("/nonexistent", &version).unwrap();
        let error = toolchain.open_llvm().unwrap_err().to_string();
        for part in
            ["rustc 1.95.0", "LLVM 99", "/nonexistent/lib", "libLLVM-99.so", "/usr/lib/x86_64-linux-gnu"]
        {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
