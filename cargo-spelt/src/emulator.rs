//! The emulator: a library in place of the CUDA driver, for machines without one.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use cargo_metadata::Message;
use twox_hash::XxHash3_128;

use crate::build::ignore_interrupts;
use crate::origin::{Origin, VERSION};
use crate::progress::Style;
use crate::workspace::{EMULATOR, Workspace, cargo, values};
use crate::{cache, variable};

/// The name under which programs open the driver.
pub(crate) const DRIVER: &str = "libcuda.so.1";

/// The name that some programs try first; it must not find an installed driver.
const LINK_NAME: &str = "libcuda.so";

/// Names a folder that holds the emulator.
pub(crate) const VARIABLE: &str = "SPELT_EMULATOR";

/// Where the emulator comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A folder with the library.
    Folder(PathBuf),
    /// The package of this manifest in the current workspace, which is built again whenever it changes.
    Member(PathBuf),
    /// The package of this program's version, which is built once, in this folder of the user's cache.
    Cache(Origin<'static>, PathBuf),
}

/// Where the emulator would come from.
///
/// # Errors
/// If the environment names a folder without it, or if this program has no source of it.
pub(crate) fn source(workspace: Option<&Workspace>) -> Result<Source> {
    if let Some(folder) = variable::path(VARIABLE) {
        if !folder.join(DRIVER).is_file() {
            bail!(
                "{VARIABLE} is `{}`, which contains no {DRIVER}: name a folder that does, or unset the variable",
                folder.display()
            );
        }
        let folder =
            std::path::absolute(folder).with_context(|| format!("the path in {VARIABLE} is unusable"))?;
        return Ok(Source::Folder(folder));
    }
    if let Some(manifest) = workspace.and_then(Workspace::emulator_manifest) {
        return Ok(Source::Member(manifest));
    }
    let origin = Origin::of_this_program()?;
    Ok(Source::Cache(origin, cache::folder()?.join("emulator").join(key(origin)?)))
}

impl Source {
    /// The folder of the library, which is built first if necessary. `arguments` are cargo's for the program.
    pub(crate) fn folder(&self, style: Style, arguments: &[OsString]) -> Result<PathBuf> {
        let folder = self.place()?;
        match self {
            Self::Folder(_) => {}
            Self::Member(manifest) => {
                if !folder.join(DRIVER).exists() {
                    style.show("Building", "the emulator of the CUDA driver");
                }
                let target = folder.parent().context("the emulator lies in a folder")?;
                let library = build(manifest, target, &["--quiet".to_owned()])?;
                place(&library, &folder)?;
            }
            Self::Cache(origin, _) => {
                if is_whole(&folder) {
                    mark_as_used(&folder);
                } else {
                    let text = format!(
                        "the emulator of the CUDA driver, once for all projects, into {}",
                        folder.display()
                    );
                    style.show("Building", &text);
                    build_into_cache(*origin, &folder, arguments)?;
                }
            }
        }
        Ok(folder)
    }

    /// The folder in which the library is, or will be when it has been built.
    pub(crate) fn place(&self) -> Result<PathBuf> {
        match self {
            Self::Folder(folder) | Self::Cache(_, folder) => Ok(folder.clone()),
            Self::Member(manifest) => {
                let workspace = Workspace::of(&["--manifest-path".into(), manifest.into()])?;
                Ok(workspace.target_folder(&[])?.join("emulator/library"))
            }
        }
    }
}

/// The name of this program's emulator among all in a cache, which may serve several machines.
fn key(origin: Origin) -> Result<String> {
    let name = format!("{VERSION}-{}", std::env::consts::ARCH);
    let Origin::Checkout(checkout) = origin else { return Ok(name) };
    let package = checkout.join(EMULATOR);
    let mut hash = XxHash3_128::new();
    hash_file(&package.join("Cargo.toml"), &mut hash)?;
    hash_folder(&package.join("src"), &mut hash)?;
    Ok(format!("{name}-{:032x}", hash.finish_128()))
}

fn hash_folder(folder: &Path, hash: &mut XxHash3_128) -> Result<()> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut paths: Vec<PathBuf> = entries
        .with_context(|| format!("cannot read {}", folder.display()))?
        .into_iter()
        .map(|entry| entry.path())
        .collect();
    paths.sort_unstable();
    paths.iter().try_for_each(
        |path| {
            if path.is_dir() { hash_folder(path, hash) } else { hash_file(path, hash) }
        },
    )
}

fn hash_file(path: &Path, hash: &mut XxHash3_128) -> Result<()> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    for part in [path.file_name().unwrap_or_default().as_encoded_bytes(), &bytes] {
        hash.write(&part.len().to_le_bytes());
        hash.write(part);
    }
    Ok(())
}

/// The time that an unused emulator stays in the cache. Other versions of cargo-spelt, and other checkouts, have their own.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Whether the folder holds a library. Anything else there, such as the remains of a crash, is replaced.
fn is_whole(folder: &Path) -> bool {
    let mut magic = [0; 4];
    let read = fs::File::open(folder.join(DRIVER)).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *b"\x7fELF"
}

/// Updates the library's modification time, so that [`remove_unused`] keeps it.
fn mark_as_used(folder: &Path) {
    // Another user's cache may be read-only.
    let _ = fs::File::open(folder.join(DRIVER)).and_then(|file| file.set_modified(SystemTime::now()));
}

/// Builds the emulator in a separate folder, which is then renamed to its folder in the cache: concurrent runs build it
/// separately, and the first to finish wins.
fn build_into_cache(origin: Origin, folder: &Path, arguments: &[OsString]) -> Result<()> {
    let cache = folder.parent().context("the emulator lies in a folder")?;
    let cannot =
        || format!("cannot write to the cache {}: {} can name another", cache.display(), cache::VARIABLE);
    fs::create_dir_all(cache).with_context(cannot)?;
    // An interrupt ends cargo; then this function continues, and removes the folder.
    ignore_interrupts();
    let apart = tempfile::Builder::new().prefix("building-").tempdir_in(cache).with_context(cannot)?;
    // A package that depends on the emulator finds it as any package would, in a checkout or in a registry.
    let manifest = apart.path().join("Cargo.toml");
    let dependency = origin.dependency(EMULATOR, "=");
    let text = format!(
        "[package]\nname = \"spelt-emulator\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n[dependencies]\n{EMULATOR} = {{ {dependency} }}\n\n[workspace]\n"
    );
    fs::write(&manifest, text)
        .and_then(|()| fs::write(apart.path().join("lib.rs"), ""))
        .with_context(cannot)?;
    let library = build(&manifest, &apart.path().join("target"), &passed_on(arguments))?;
    let new = apart.path().join("library");
    place(&library, &new)?;
    publish(&new, folder).with_context(cannot)?;
    remove_unused(cache, apart.path());
    Ok(())
}

/// Renames the complete folder `new` to `folder`, unless that is already complete. An incomplete one is moved to a place
/// beside `new`.
fn publish(new: &Path, folder: &Path) -> std::io::Result<()> {
    if folder.symlink_metadata().is_ok() && !is_whole(folder) {
        match fs::rename(folder, new.with_extension("damaged")) {
            // Another run has moved it.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            result => result?,
        }
    }
    match fs::rename(new, folder) {
        Err(_) if is_whole(folder) => Ok(()),
        result => result,
    }
}

/// Moves long-unused emulators from the cache to the folder `apart`, which is deleted soon. Each is renamed at once, so that
/// no process finds half of it. Running programs keep their library.
fn remove_unused(cache: &Path, apart: &Path) {
    let Ok(entries) = fs::read_dir(cache) else { return };
    for (number, entry) in entries.flatten().enumerate() {
        let path = entry.path();
        let library = path.join(DRIVER);
        // Builds that were killed have left a folder without a library.
        let age = [library, path.clone()]
            .iter()
            .find_map(|path| path.metadata().ok()?.modified().ok()?.elapsed().ok());
        if path != apart && age.is_some_and(|age| age > UNUSED) {
            // If that fails it stays, and does no harm.
            let _ = fs::rename(&path, apart.join(format!("unused-{number}")));
        }
    }
}

/// Those arguments of the program's build that determine the sources of packages, and cargo's output.
fn passed_on(arguments: &[OsString]) -> Vec<String> {
    let mut own = arguments.iter().take_while(|argument| *argument != "--").filter_map(|it| it.to_str());
    let has = |names: &[&str]| own.clone().any(|argument| names.contains(&argument));
    let mut passed = Vec::new();
    // The new package has no lock file yet.
    if has(&["--offline", "--frozen"]) {
        passed.push("--offline".to_owned());
    }
    if own.any(|argument| matches!(argument, "-q" | "--quiet")) {
        passed.push("--quiet".to_owned());
    }
    for name in ["--config", "--color"] {
        passed.extend(values(arguments, &[name]).into_iter().flat_map(|value| [name.to_owned(), value]));
    }
    passed
}

/// The shared library of the emulator's package. It is built optimised, because an emulator is slow enough.
fn build(manifest: &Path, target: &Path, options: &[String]) -> Result<PathBuf> {
    let mut command = Command::new(cargo());
    command.args(["build", "--release", "--package", EMULATOR]);
    command.args(["--message-format", "json-render-diagnostics"]).args(options);
    command.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(target);
    let output =
        command.stderr(Stdio::inherit()).output().context("cannot run cargo to build the emulator")?;
    if !output.status.success() {
        bail!(
            "the emulator does not build; {VARIABLE} can name a folder with a {DRIVER} that has been built elsewhere"
        );
    }
    let messages = Message::parse_stream(output.stdout.as_slice()).filter_map(Result::ok);
    let artifacts = messages.filter_map(|message| match message {
        Message::CompilerArtifact(artifact) => Some(artifact),
        _ => None,
    });
    artifacts
        .filter(|artifact| artifact.target.name == "cuda_emu")
        .flat_map(|artifact| artifact.filenames)
        .find(|path| path.extension() == Some("so"))
        .map(PathBuf::from)
        .with_context(|| {
            format!("the package {EMULATOR} built no shared library: it must be a cdylib on Linux")
        })
}

/// Puts the library into the folder under the names of the driver. Running programs keep the old files.
fn place(library: &Path, folder: &Path) -> Result<()> {
    let age = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    for name in [DRIVER, LINK_NAME] {
        let driver = folder.join(name);
        if age(&driver).is_some_and(|placed| age(library).is_some_and(|built| built <= placed)) {
            continue;
        }
        let new = folder.join(format!("{name}.{}", std::process::id()));
        fs::create_dir_all(folder)
            .and_then(|()| fs::copy(library, &new))
            // Otherwise a crash could leave a file under the name of the driver that has nothing in it.
            .and_then(|_| fs::File::open(&new)?.sync_all())
            .and_then(|()| fs::rename(&new, &driver))
            .with_context(|| format!("cannot place the emulator in {}", folder.display()))?;
    }
    Ok(())
}

/// The value of `LD_LIBRARY_PATH` with the folder first.
pub(crate) fn library_path(folder: &Path) -> Result<OsString> {
    let old = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let old = std::env::split_paths(&old).filter(|path| !path.as_os_str().is_empty());
    std::env::join_paths(std::iter::once(folder.to_owned()).chain(old))
        .with_context(|| format!("{} cannot be part of LD_LIBRARY_PATH", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_follows_the_source() {
        let checkout = tempfile::tempdir().unwrap();
        let source = checkout.path().join(EMULATOR).join("src");
        fs::create_dir_all(source.join("inner")).unwrap();
        fs::write(checkout.path().join(EMULATOR).join("Cargo.toml"), "").unwrap();
        fs::write(source.join("inner/a.rs"), "a").unwrap();
        let of = || key(Origin::Checkout(checkout.path())).unwrap();
        let first = of();
        assert!(first.starts_with(VERSION) && first == of());
        fs::write(source.join("inner/a.rs"), "b").unwrap();
        let second = of();
        fs::rename(source.join("inner/a.rs"), source.join("inner/b.rs")).unwrap();
        let third = of();
        assert!(first != second && second != third);
        assert!(!key(Origin::Registry).unwrap().contains(&first));
    }

    #[test]
    fn the_first_library_in_the_cache_stays() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("0.1.0");
        let library = |text: &str| {
            let new = cache.path().join(text);
            fs::create_dir(&new).unwrap();
            fs::write(new.join(DRIVER), format!("\x7fELF {text}")).unwrap();
            new
        };
        let publish = |text: &str| publish(&library(text), &folder).unwrap();
        let read = || fs::read_to_string(folder.join(DRIVER)).unwrap();
        publish("first");
        publish("second");
        assert_eq!(read(), "\x7fELF first");
        // Half of the files have been deleted.
        fs::write(folder.join(LINK_NAME), "").unwrap();
        fs::remove_file(folder.join(DRIVER)).unwrap();
        publish("third");
        assert_eq!(read(), "\x7fELF third");
        assert!(!folder.join(LINK_NAME).exists());
    }

    /// A checkout whose emulator is a library of one function.
    fn checkout() -> tempfile::TempDir {
        let checkout = tempfile::tempdir().unwrap();
        let package = checkout.path().join(EMULATOR);
        fs::create_dir_all(package.join("src")).unwrap();
        let manifest = format!(
            "[package]\nname = \"{EMULATOR}\"\nversion = \"{VERSION}\"\nedition = \"2024\"\n\n[lib]\ncrate-type = [\"cdylib\", \"rlib\"]\n"
        );
        fs::write(package.join("Cargo.toml"), manifest).unwrap();
        fs::write(package.join("src/lib.rs"), "pub extern \"C\" fn nothing() {}").unwrap();
        checkout
    }

    fn is_library(folder: &Path) -> bool {
        fs::read(folder.join(DRIVER)).unwrap().starts_with(b"\x7fELF")
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn builds_at_the_same_time_do_not_disturb_one_another() {
        let (checkout, cache) = (checkout(), tempfile::tempdir().unwrap());
        let folder = cache.path().join("new");
        let origin = Origin::Checkout(checkout.path());
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| build_into_cache(origin, &folder, &["--offline".into()]).unwrap());
            }
        });
        assert!(is_library(&folder));
        assert_eq!(names(&folder), [LINK_NAME, DRIVER]);
        assert_eq!(names(cache.path()), ["new"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_library_is_built_anew() {
        let (checkout, cache) = (checkout(), tempfile::tempdir().unwrap());
        let folder = cache.path().join("damaged");
        // Static, as a program's own origin is.
        let origin = Origin::Checkout(Box::leak(checkout.path().to_owned().into_boxed_path()));
        let source = Source::Cache(origin, folder.clone());
        type Damage = fn(&Path);
        let damages: [Damage; 4] = [
            |folder| fs::write(folder, "a file").unwrap(),
            |folder| fs::create_dir(folder).unwrap(),
            |folder| fs::create_dir_all(folder.join(DRIVER).join("a folder")).unwrap(),
            |folder| {
                fs::create_dir(folder).unwrap();
                fs::write(folder.join(DRIVER), "no library").unwrap();
            },
        ];
        for damage in damages {
            let _ = fs::remove_dir_all(&folder);
            damage(&folder);
            assert_eq!(source.folder(Style::of(&["-q".into()]), &["--offline".into()]).unwrap(), folder);
            assert!(is_library(&folder));
            assert_eq!(names(cache.path()), ["damaged"]);
        }
    }

    #[test]
    fn what_nobody_uses_goes() {
        let cache = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - 2 * UNUSED;
        for name in ["used", "unused", "building-now", "building-killed"] {
            let folder = cache.path().join(name);
            fs::create_dir(&folder).unwrap();
            if name.ends_with("used") {
                fs::write(folder.join(DRIVER), "\x7fELF").unwrap();
                fs::File::open(folder.join(DRIVER)).unwrap().set_modified(old).unwrap();
            }
            if name != "building-now" {
                fs::File::open(&folder).unwrap().set_modified(old).unwrap();
            }
        }
        mark_as_used(&cache.path().join("used"));
        let apart = cache.path().join("apart");
        fs::create_dir(&apart).unwrap();
        fs::File::open(&apart).unwrap().set_modified(old).unwrap();
        remove_unused(cache.path(), &apart);
        assert_eq!(names(cache.path()), ["apart", "building-now", "used"]);
        assert_eq!(names(&apart).len(), 2);
    }

    #[test]
    fn options_about_packages_are_passed_on() {
        let words: Vec<OsString> = "-p x --frozen --config a=1 --release -q -- --color never"
            .split_whitespace()
            .map(OsString::from)
            .collect();
        assert_eq!(passed_on(&words), ["--offline", "--quiet", "--config", "a=1"]);
    }
}
