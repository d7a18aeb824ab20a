//! The copy of the workspace that has all mutants in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::list::Mutant;
use crate::rewrite::{Places, with_alone, with_choices};

/// The module that says which mutant is chosen. `CRATE` is replaced by the crate's name.
const SWITCH: &str = include_str!("switch.rs");

/// The register from which a device reads the choice; Spelt's kernels do not use it otherwise.
const REGISTER: &str = "\ndeclare i32 @llvm.nvvm.read.ptx.sreg.envreg2()\n";

/// The function of [`SWITCH`] on a device: the bitcode of the crate has the host's.
const INTRINSIC: &str = "
define zeroext i1 @__spelt_mutant_CRATE(i32 %number) alwaysinline nounwind {
  %chosen = call i32 @llvm.nvvm.read.ptx.sreg.envreg2()
  %active = icmp eq i32 %chosen, %number
  ret i1 %active
}
";

/// Changes of the copy that make mutants possible: file, text, replacement.
const CHANGES: [(&str, &str, &str); 5] = [
    (
        "cuda-emu/src/exec/special.rs",
        "Sreg::Env2 => self.env & 0xffff_ffff",
        "Sreg::Env2 => u64::from(crate::mutant::chosen())",
    ),
    // The module of the choice exports a name.
    ("math/src/lib.rs", "#![forbid(unsafe_code)]", ""),
    ("random/src/lib.rs", "#![deny(unsafe_code)]", ""),
    ("simd/src/lib.rs", "#![deny(unsafe_code)]", ""),
    ("reducers/src/lib.rs", "#![forbid(unsafe_code)]", ""),
];

/// The copy.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    pub(crate) folder: PathBuf,
}

impl Tree {
    /// Brings the copy up to date. Files that stay the same are not touched, so cargo builds only the changes.
    pub(crate) fn update(root: &Path, places: &Places<'_>) -> Result<Self> {
        let folder = root.join("target/mutants/tree");
        let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
        for file in listed(root)? {
            let path = root.join(&file);
            // Listed, but deleted since, or a link to a folder. The contents stand in for a link to a file.
            if path.is_file() {
                let bytes =
                    std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                files.insert(file.into(), bytes);
            }
        }
        change(&mut files, "Cargo.toml", without_lints)?;
        for (file, places) in &places.files {
            change(&mut files, file, |text| with_choices(text, places))?;
        }
        for (file, original, replacement) in CHANGES {
            change(&mut files, file, |text| text.replacen(original, replacement, 1))?;
        }
        let mut roots: BTreeSet<String> =
            places.files.keys().filter_map(|file| crate_root(file, &files)).collect();
        roots.extend(crate_root(CHANGES[0].0, &files));
        let mut intrinsics = REGISTER.to_owned();
        for root in roots {
            change(&mut files, &root, |text| text.to_owned() + &of_crate(SWITCH, &root))?;
            intrinsics.push_str(&of_crate(INTRINSIC, &root));
        }
        change(&mut files, "device-link/src/intrinsics.ll", |text| text.to_owned() + &intrinsics)?;
        let tree = Self { root: root.to_owned(), folder };
        tree.write(&files)?;
        Ok(tree)
    }

    fn write(&self, files: &BTreeMap<PathBuf, Vec<u8>>) -> Result<()> {
        let record = self.folder.with_file_name("tree-files.txt");
        for old in std::fs::read_to_string(&record).unwrap_or_default().lines().map(Path::new) {
            if !files.contains_key(old) {
                // It may no longer exist.
                drop(std::fs::remove_file(self.folder.join(old)));
            }
        }
        for (file, bytes) in files {
            self.put(file, bytes)?;
        }
        let names: Vec<_> = files.keys().map(|file| file.to_string_lossy()).collect();
        std::fs::write(&record, names.join("\n"))
            .with_context(|| format!("cannot write {}", record.display()))
    }

    fn put(&self, file: &Path, bytes: &[u8]) -> Result<()> {
        let path = self.folder.join(file);
        if std::fs::read(&path).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        let folder = path.parent().expect("a file lies in a folder");
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, bytes))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Runs `body` while the mutant is in the copy, the only one in its file.
    pub(crate) fn with_alone<T>(&self, mutant: &Mutant, body: impl FnOnce() -> Result<T>) -> Result<T> {
        let read = |path: PathBuf| {
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
        };
        let with_choices = read(self.folder.join(&mutant.file))?;
        let mut mutated =
            with_alone(&read(self.root.join(&mutant.file))?, mutant).map_err(anyhow::Error::msg)?;
        let switch = of_crate(SWITCH, &mutant.file);
        if with_choices.ends_with(&switch) {
            mutated.push_str(&switch);
        }
        self.put(Path::new(&mutant.file), mutated.as_bytes())?;
        let result = body();
        self.put(Path::new(&mutant.file), with_choices.as_bytes())?;
        result
    }
}

/// The files of the workspace that git knows or would take.
fn listed(root: &Path) -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("cannot run git")?;
    if !output.status.success() {
        bail!("git cannot list the files: {}", String::from_utf8_lossy(&output.stderr));
    }
    let names = String::from_utf8(output.stdout).context("a file's name is not UTF-8")?;
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn change(
    files: &mut BTreeMap<PathBuf, Vec<u8>>,
    file: &str,
    change: impl FnOnce(&str) -> String,
) -> Result<()> {
    let bytes = files.get_mut(Path::new(file)).with_context(|| format!("there is no {file}"))?;
    let text = std::str::from_utf8(bytes).with_context(|| format!("{file} is not UTF-8"))?;
    *bytes = change(text).into_bytes();
    Ok(())
}

/// A text that each crate contains once, for the crate of this root. The folder makes the names in one program differ.
fn of_crate(text: &str, root: &str) -> String {
    let folder = root.split("src/").next().unwrap_or_default();
    let name: String = folder.chars().filter(char::is_ascii_alphanumeric).collect();
    text.replace("CRATE", &name)
}

/// The root of the crate that the file is part of.
fn crate_root(file: &str, files: &BTreeMap<PathBuf, Vec<u8>>) -> Option<String> {
    let folder = &file[..file.find("src/")? + "src/".len()];
    let mut roots = ["lib.rs", "main.rs"].into_iter().map(|name| format!("{folder}{name}"));
    roots.find(|root| files.contains_key(Path::new(root)))
}

/// Mutants need not be pretty: the workspace's lints, which deny, would reject some.
fn without_lints(manifest: &str) -> String {
    let mut kept = true;
    let mut text = String::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            kept = !line.starts_with("[workspace.lints.");
        }
        if kept {
            text.push_str(line);
            text.push('\n');
        }
    }
    text + "\n[workspace.lints.rust]\nwarnings = \"allow\"\n"
}
