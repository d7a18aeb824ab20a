//! LLVM through its C interface: handles that borrow the objects they point into.
//!
//! | file | concept |
//! |---|---|
//! | `api.rs` | the functions, looked up when the library is opened |
//! | `context.rs` | an LLVM context, with the diagnostics that LLVM reports |
//! | `module.rs` | a module: parsing, linking, passes, printing |
//! | `value.rs`, `instruction.rs` | functions, globals; instructions, calls |
//! | `attribute.rs` | attributes of functions and calls |
//! | `build.rs` | new instructions, constants and types |
//! | `metadata.rs` | debug information |
//! | `machine.rs` | the NVPTX target: data layout, passes, PTX |
//!
//! Handles are pointers that borrow their module. Functions that may delete values in bulk (linking, passes) take the module
//! mutably, so no handle outlives it; functions that delete a single value are `unsafe`.

mod api;
mod attribute;
mod build;
mod context;
mod instruction;
mod machine;
mod metadata;
mod module;
mod value;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use api::{Api, ffi};
use libloading::Library;

pub(crate) use attribute::Place;
pub(crate) use build::Builder;
pub(crate) use context::Context;
pub(crate) use instruction::{Call, Instruction, Opcode};
pub(crate) use machine::Machine;
pub(crate) use metadata::{Location, Metadata, MetadataKind};
pub(crate) use module::Module;
pub(crate) use value::{Function, Global, Linkage, Type, Value};

use crate::Error;

/// An opened libLLVM.
///
/// Cloning gives another handle to the same library. The library stays open until the process ends: LLVM registers
/// its own state that must not outlive its code.
#[derive(Clone, Debug)]
pub struct Llvm {
    api: Arc<Api>,
    path: PathBuf,
    version: (u32, u32, u32),
}

impl Llvm {
    /// Opens the library at `path` and registers its NVPTX target.
    ///
    /// # Errors
    /// [`Error::Llvm`] if the file is not a shared library, lacks a function, or has no NVPTX target.
    pub fn open(path: &Path) -> Result<Self, Error> {
        // SAFETY: libLLVM's initialisers register its own options and targets and touch nothing of this process.
        let library = unsafe { Library::new(path) }
            .map_err(|error| Error::Llvm(format!("cannot open {}: {error}", path.display())))?;
        // Never closed: see the type's documentation.
        let library = std::mem::ManuallyDrop::new(library);
        for target in ["LLVMInitializeNVPTXTargetInfo\0", "LLVMInitializeNVPTXTarget\0"] {
            // SAFETY: only the address is looked at.
            let found = unsafe { library.get::<unsafe extern "C" fn()>(target.as_bytes()) };
            if found.is_err() {
                return Err(Error::Llvm(format!("{} was built without the target NVPTX", path.display())));
            }
        }
        // SAFETY: the file has LLVM-C's functions for NVPTX, so it is a libLLVM; it is never closed.
        let api = unsafe { Api::load(&library) }?;
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        ffi!(api, LLVMGetVersion(&mut major, &mut minor, &mut patch));
        ffi!(api, LLVMInstallFatalErrorHandler(explain));
        ffi!(api, LLVMInitializeNVPTXTargetInfo());
        ffi!(api, LLVMInitializeNVPTXTarget());
        ffi!(api, LLVMInitializeNVPTXTargetMC());
        ffi!(api, LLVMInitializeNVPTXAsmPrinter());
        Ok(Self { api: Arc::new(api), path: path.to_path_buf(), version: (major, minor, patch) })
    }

    /// The file that was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// LLVM's version: major, minor, patch.
    pub fn version(&self) -> (u32, u32, u32) {
        self.version
    }

    pub(crate) fn api(&self) -> &Api {
        &self.api
    }
}

/// Prints LLVM's fatal error; LLVM ends the process when this returns.
extern "C" fn explain(reason: *const core::ffi::c_char) {
    // SAFETY: LLVM passes a text that ends with NUL.
    let reason = unsafe { core::ffi::CStr::from_ptr(reason) }.to_string_lossy();
    eprintln!("error: LLVM cannot compile the kernels for the device: {reason}");
}

/// A C string for LLVM; text up to the first NUL.
pub(crate) fn c_string(text: &str) -> std::ffi::CString {
    let end = text.find('\0').unwrap_or(text.len());
    std::ffi::CString::new(&text[..end]).expect("no NUL before the first NUL")
}

/// Text of LLVM's that is `length` bytes long.
///
/// # Safety
/// `start` is null, or points to `length` readable bytes that stay for `'a`.
unsafe fn text<'a>(start: *const core::ffi::c_char, length: usize) -> &'a str {
    if start.is_null() {
        return "";
    }
    // SAFETY: `start` is not null here, so it points to `length` readable bytes that stay for `'a`, as the contract
    // asks.
    let bytes = unsafe { core::slice::from_raw_parts(start.cast::<u8>(), length) };
    // Rust's names and LLVM's texts are UTF-8.
    core::str::from_utf8(bytes).unwrap_or("")
}

/// Copies a message of LLVM's and frees it.
fn take_message(api: &Api, message: *mut core::ffi::c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM's messages end with NUL and stay until they are disposed of.
    let owned = unsafe { core::ffi::CStr::from_ptr(message) }.to_string_lossy().into_owned();
    ffi!(api, LLVMDisposeMessage(message));
    owned
}
