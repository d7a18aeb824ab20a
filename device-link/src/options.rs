//! The inputs and outputs of a link.

use std::path::PathBuf;

use crate::{Arch, Diagnostic, Llvm};

/// How to link.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The architecture to compile for.
    pub arch: Arch,
    /// The PTX version to write, as major * 10 + minor; by default the architecture's ([`Arch::ptx_version`]).
    pub ptx_version: Option<u32>,
    /// The opened libLLVM. Its major version is that of the rustc that wrote the bitcode.
    pub llvm: Llvm,
    /// Whether [`Output::ir`] is wanted.
    pub ir: bool,
    /// Whether LLVM's memory stays until the process ends: to free it took 7 % of a small link. For a process that links once.
    pub until_exit: bool,
}

impl Options {
    /// The defaults, with this library.
    pub fn new(llvm: Llvm) -> Self {
        Self { arch: Arch::default(), ptx_version: None, llvm, ir: false, until_exit: false }
    }
}

/// The input of a link.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Bitcode files of crates with kernels, or with functions of kernels. Every kernel in them is kept.
    pub crates: Vec<PathBuf>,
    /// Rlibs whose embedded bitcode supplies functions that are missing in the crates.
    pub archives: Vec<PathBuf>,
}

/// A kernel in the PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// Its name in the PTX.
    pub symbol: String,
    /// The label of its launch, where that is a literal.
    pub label: Option<String>,
    /// The source file of its closure.
    pub file: Option<String>,
    /// The line of its closure, from 1; 0 where unknown.
    pub line: u32,
}

impl KernelInfo {
    /// Its name in messages: its label, or the place of its closure, or its symbol, the first that is known.
    pub(crate) fn name(&self) -> String {
        match (&self.label, &self.file) {
            (Some(label), _) => label.clone(),
            (None, Some(file)) => format!("closure at {file}:{}", self.line),
            (None, None) => self.symbol.clone(),
        }
    }
}

/// The output of a link.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// The PTX module.
    pub ptx: String,
    /// The same as LLVM IR, after optimisation, if [`Options::ir`] asked for it; otherwise empty.
    pub ir: String,
    /// The kernels.
    pub kernels: Vec<KernelInfo>,
    /// Warnings, which did not prevent the link.
    pub warnings: Vec<Diagnostic>,
}
