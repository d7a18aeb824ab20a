//! Slots: the results of a program's device link, in one folder for each program and architecture.
//!
//! The wrapper fills a slot and reuses its content; `cargo spelt ptx` reads it. The device code inside a
//! program begins with a line that names its slot, so a program leads to its slot wherever cargo puts either.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// A kernel of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kernel {
    /// Its name in the PTX.
    pub(crate) symbol: String,
    /// The label of its launch, if that is a literal.
    pub(crate) label: Option<String>,
    /// The file of its closure.
    pub(crate) file: String,
    pub(crate) line: u32,
}

/// The result of a device link.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Linked {
    pub(crate) kernels: Vec<Kernel>,
    /// Warnings, in rustc's JSON: they are shown each time that the program is built.
    pub(crate) warnings: Vec<Value>,
}

impl Linked {
    /// As an object to which fields can be added.
    pub(crate) fn to_json(&self) -> Value {
        let kernels = self.kernels.iter().map(|kernel| {
            json!({ "symbol": kernel.symbol, "label": kernel.label, "file": kernel.file, "line": kernel.line })
        });
        json!({ "kernels": kernels.collect::<Vec<_>>(), "warnings": self.warnings })
    }

    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let kernels = value["kernels"].as_array()?.iter().map(|kernel| {
            Some(Kernel {
                symbol: kernel["symbol"].as_str()?.to_owned(),
                label: kernel["label"].as_str().map(str::to_owned),
                file: kernel["file"].as_str()?.to_owned(),
                line: u32::try_from(kernel["line"].as_u64()?).ok()?,
            })
        });
        Some(Self {
            kernels: kernels.collect::<Option<_>>()?,
            warnings: value["warnings"].as_array()?.clone(),
        })
    }
}

/// The results for one program and one architecture.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    folder: PathBuf,
    name: String,
}

/// The beginning of the first line of a program's device code.
const MARK: &str = "// cargo-spelt slot ";

impl Slot {
    /// `root` is the folder of all slots. Nothing is created.
    pub(crate) fn new(root: &Path, program: &str, arch: &str) -> Self {
        let name = format!("{program}/{arch}");
        Self { folder: root.join(program).join(arch), name }
    }

    /// The slot that the device code in this executable came from.
    ///
    /// # Errors
    /// If the executable cannot be read.
    pub(crate) fn of_executable(root: &Path, executable: &Path) -> Result<Option<Self>> {
        let bytes = fs::read(executable).with_context(|| format!("cannot read {}", executable.display()))?;
        // If the executable is cargo-spelt, it also contains this constant, with no name after it.
        for start in memchr::memmem::find_iter(&bytes, MARK) {
            let rest = &bytes[start + MARK.len()..];
            let end = memchr::memchr(b'\n', rest).unwrap_or(0);
            let name = std::str::from_utf8(&rest[..end]).unwrap_or_default();
            if let Some((program, arch)) = name.split_once('/') {
                let slot = Self::new(root, program, arch);
                if slot.linked().is_some() {
                    return Ok(Some(slot));
                }
            }
        }
        Ok(None)
    }

    pub(crate) fn create(&self) -> Result<()> {
        fs::create_dir_all(&self.folder).with_context(|| format!("cannot create {}", self.folder.display()))
    }

    pub(crate) fn arch(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn ptx(&self) -> PathBuf {
        self.folder.join("kernels.ptx")
    }

    pub(crate) fn ir(&self) -> PathBuf {
        self.folder.join("kernels.ll")
    }

    /// The object that holds the PTX.
    pub(crate) fn object(&self) -> PathBuf {
        self.folder.join("kernels.o")
    }

    /// The source that the object is made of.
    pub(crate) fn object_source(&self) -> PathBuf {
        self.folder.join("kernels.rs")
    }

    /// The PTX that is embedded in the program: with the line that names the slot.
    pub(crate) fn marked(&self, ptx: &str) -> String {
        format!("{MARK}{}\n{ptx}", self.name)
    }

    fn record(&self) -> PathBuf {
        self.folder.join("kernels.json")
    }

    /// The slot's content, if there is any.
    pub(crate) fn linked(&self) -> Option<Linked> {
        self.read().map(|(_, linked)| linked)
    }

    /// The slot's content, if it was made of inputs with this hash.
    pub(crate) fn linked_of(&self, inputs: &str) -> Option<Linked> {
        self.read().filter(|(hash, _)| hash == inputs).map(|(_, linked)| linked)
    }

    fn read(&self) -> Option<(String, Linked)> {
        let value: Value = serde_json::from_slice(&fs::read(self.record()).ok()?).ok()?;
        Some((value["inputs"].as_str()?.to_owned(), Linked::from_json(&value)?))
    }

    /// Declares the files of this slot incomplete.
    pub(crate) fn invalidate(&self) -> Result<()> {
        match fs::remove_file(self.record()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", self.record().display()))
            }
            _ => Ok(()),
        }
    }

    /// Declares the files of this slot complete, made of inputs with this hash.
    pub(crate) fn complete(&self, inputs: &str, linked: &Linked) -> Result<()> {
        let mut value = linked.to_json();
        value["inputs"] = inputs.into();
        self.create()?;
        fs::write(self.record(), value.to_string())
            .with_context(|| format!("cannot write {}", self.record().display()))
    }
}
