//! The program's device code: found in the program, compiled by the driver when the first kernel starts.

use core::ffi::CStr;
use core::ptr;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Mutex, OnceLock};

use spelt_kernels_gpu::failure::FailureRecord;
use spelt_kernels_gpu::kernel::Symbol;

use super::context::{Context, lock};
use super::driver::{self, RawFunction, RawModule};
use crate::{Error, ErrorKind, Result};

/// The registers of a thread with which every kernel can have the largest block. Unit: registers. Source: the CUDA C++ Programming
/// Guide, table of technical specifications by compute capability: 65,536 for each block, of up to 1024 threads.
const REGISTERS_OF_LARGE_BLOCKS: u32 = 64;

/// The modules of a context, and the kernels in them that have been asked for.
#[derive(Default)]
pub(super) struct Code {
    /// Set while `functions` is locked. A failure is not kept: with more memory, the next launch may load it.
    module: OnceLock<Module>,
    /// The same code with fewer registers, for kernels whose blocks would be too large otherwise. Most programs need none, and it takes
    /// as long to compile as the first. Each module has a table of locks for atomics (`access/src/atomic/locks.rs`), which is sound
    /// since launches that write one allocation never run at the same time: see invariant 3 of README.md.
    for_large_blocks: OnceLock<Module>,
    /// By the address of the symbol, which is part of the program.
    functions: Mutex<HashMap<usize, Function>>,
}

/// A kernel in both modules.
#[derive(Clone, Copy)]
struct Function {
    raw: RawFunction,
    max_threads: u32,
    for_large_blocks: Option<RawFunction>,
}

struct Module {
    raw: RawModule,
    /// In pinned memory; null where the code has no place for its address.
    record: *mut FailureRecord,
}

/// The reason why there is no module.
fn no_code(message: String) -> Error {
    Error::new(ErrorKind::DeviceCode, message)
}

/// The facts that device code contains about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// As in `sm_80`.
    pub(super) arch: String,
    /// As in `7.0`.
    pub(super) version: String,
}

impl Code {
    /// The kernel that the code has under `symbol`, by the name that it has there, for blocks of `threads` threads.
    ///
    /// The context is bound.
    pub(super) fn function(&self, context: &Context, symbol: Symbol, threads: u32) -> Result<RawFunction> {
        let key = symbol.name.as_ptr().addr();
        let mut functions = lock(&self.functions);
        let known = functions.get(&key).copied();
        let mut function = match known {
            Some(function) => function,
            None => {
                let module = loaded(&self.module, || Module::embedded(context, None))?;
                let raw = function_in(context, module, symbol)?;
                // SAFETY: the module is loaded.
                let max_threads = unsafe { driver::max_threads(raw) }
                    .map_err(|fault| context.failed("asking for the size of blocks", fault))?;
                Function { raw, max_threads, for_large_blocks: None }
            }
        };
        let large = threads > function.max_threads;
        // The lock is held while it compiles: other launches on the device wait, as they do for the first module.
        if large && function.for_large_blocks.is_none() {
            let first = self.module.get().map_or(ptr::null_mut(), |module| module.record);
            let module = loaded(&self.for_large_blocks, || Module::embedded(context, Some(first)))?;
            function.for_large_blocks = Some(function_in(context, module, symbol)?);
        }
        functions.insert(key, function);
        Ok(function.for_large_blocks.filter(|_| large).unwrap_or(function.raw))
    }

    /// The first failure that a kernel has recorded.
    pub(super) fn record(&self) -> Option<*const FailureRecord> {
        let module = self.module.get()?;
        (!module.record.is_null()).then_some(module.record.cast_const())
    }

    /// Unloads the modules. The context is bound, and no kernel runs.
    pub(super) fn unload(&self) {
        lock(&self.functions).clear();
        for module in [&self.for_large_blocks, &self.module].into_iter().filter_map(OnceLock::get) {
            // SAFETY: only the drop of the context calls this; errors cannot be reported from `drop`.
            let _ = unsafe { driver::unload_module(module.raw) };
        }
        if let Some(module) = self.module.get()
            && !module.record.is_null()
        {
            // SAFETY: it came from `allocate_pinned`, and the code that could write it is gone.
            let _ = unsafe { driver::free_pinned(module.record.cast()) };
        }
    }
}

/// The module at `place`, which `load` loads if there is none. The caller holds the lock of the functions.
fn loaded(place: &OnceLock<Module>, load: impl FnOnce() -> Result<Module>) -> Result<&Module> {
    match place.get() {
        Some(module) => Ok(module),
        None => load().map(|module| place.get_or_init(|| module)),
    }
}

/// The kernel that a module has under `symbol`.
fn function_in(context: &Context, module: &Module, symbol: Symbol) -> Result<RawFunction> {
    let name = name_in_code(symbol);
    if name.is_empty() {
        return Err(no_code(
            "kernels have no names on this machine: device code is for Linux on x86-64 and AArch64"
                .to_owned(),
        ));
    }
    // SAFETY: the module is loaded.
    unsafe { driver::module_function(module.raw, &name) }.map_err(|fault| {
        if !fault.not_found() {
            return context.failed("looking for a kernel", fault);
        }
        no_code(format!(
            "the program's device code does not have it: it was built from other sources, or for another profile, \
             than the program. Build again with `cargo spelt`. (It would be `{}`.)",
            name.to_string_lossy()
        ))
    })
}

/// The suffix that LLVM gives to a function made visible by optimisation across the parts of a crate (ThinLTO):
/// this text and a number. The device's side of the crate is one part.
const OF_PARTS: &[u8] = b".llvm.";

/// The name that a symbol has in device code, where fewer characters are allowed: with the size and alignment of the
/// parameters, so that a kernel is not found if the device's side of the build has laid out its parameters differently.
pub(super) fn name_in_code(symbol: Symbol) -> CString {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    let Symbol { name: symbol, bytes, align } = symbol;
    let symbol = symbol.to_bytes();
    if symbol.is_empty() {
        return CString::default();
    }
    let end = symbol.windows(OF_PARTS.len()).position(|part| part == OF_PARTS).unwrap_or(symbol.len());
    let name = symbol[..end].iter().map(|&byte| if allowed(byte) { byte } else { b'_' });
    CString::new(name.chain(format!("${bytes}_{align}").into_bytes()).collect::<Vec<_>>()).unwrap_or_default()
}

impl Module {
    /// The program's code; with the record of the code that is loaded already, that for large blocks.
    fn embedded(context: &Context, record: Option<*mut FailureRecord>) -> Result<Self> {
        let ptx = embedded().map_err(|message| no_code(message.to_owned()))?.ok_or_else(|| {
            no_code(
                "this program has no device code: plain cargo built it. Use `cargo spelt run` (or `build`, `test`, `bench`) \
                 in place of `cargo run`"
                    .to_owned(),
            )
        })?;
        Self::load(context, ptx, record)
    }

    fn load(context: &Context, ptx: &CStr, record: Option<*mut FailureRecord>) -> Result<Self> {
        let registers = record.map(|_| REGISTERS_OF_LARGE_BLOCKS);
        let raw = driver::load_module(ptx, registers).map_err(|(fault, log)| {
            let target = target(ptx);
            let (arch, version) = (&target.arch, &target.version);
            let (number, facts) = (context.number(), context.facts());
            let (major, minor) = facts.capability;
            no_code(if fault.too_new() {
                format!(
                    "the driver, of version {}, is too old for the program's device code, which is PTX {version}: install a \
                     newer driver, or build for an older PTX version",
                    driver::version_text(context.version())
                )
            } else if fault.other_device() {
                format!(
                    "the program's device code is for {arch}, and device {number} is of capability {major}.{minor}: build for \
                     sm_{major}{minor} or lower"
                )
            } else {
                format!(
                    "the driver does not take the program's device code (PTX {version} for {arch}; device {number} is of \
                     capability {major}.{minor}): {fault}: {log}"
                )
            })
        })?;
        let record = Self::place_record(raw, record).map_err(|fault| {
            // SAFETY: the module was loaded above and nothing else has its handle.
            let _ = unsafe { driver::unload_module(raw) };
            no_code(format!("no memory for the record of failures: {fault}"))
        })?;
        Ok(Self { raw, record })
    }

    /// Gives the code a record to write failures to, if it has a place for its address: the one given, or a new one.
    fn place_record(
        module: RawModule,
        record: Option<*mut FailureRecord>,
    ) -> Result<*mut FailureRecord, driver::Fault> {
        // SAFETY: the module is loaded.
        let place = match unsafe { driver::module_global(module, c"spelt_failure") } {
            Ok((place, bytes)) if bytes == size_of::<u64>() => place,
            Ok(_) => return Ok(ptr::null_mut()),
            Err(fault) if fault.not_found() => return Ok(ptr::null_mut()),
            Err(fault) => return Err(fault),
        };
        let given = record.filter(|record| !record.is_null());
        let record: *mut FailureRecord = match given {
            Some(record) => record,
            None => {
                let record: *mut FailureRecord = driver::allocate_pinned(size_of::<FailureRecord>())?.cast();
                // SAFETY: the block is new and has this size; pinned memory is aligned for pages.
                unsafe { record.write(FailureRecord::new()) };
                record
            }
        };
        // SAFETY: the record is pinned.
        let placed = unsafe { driver::device_address(record.cast()) }.and_then(|address| {
            // SAFETY: the place is a global of eight bytes, and the value lives until it is copied.
            unsafe { driver::write_word(place, address) }
        });
        match placed {
            Ok(()) => Ok(record),
            Err(fault) => {
                if given.is_none() {
                    // SAFETY: no code has its address.
                    let _ = unsafe { driver::free_pinned(record.cast()) };
                }
                Err(fault)
            }
        }
    }
}

/// The target of the program's device code, if it has any.
pub(super) fn embedded_target() -> Option<Target> {
    embedded().ok().flatten().map(target)
}

/// The architecture and version that PTX declares.
fn target(ptx: &CStr) -> Target {
    // The first lines say it, and the whole text may have megabytes.
    let after = |word: &str| {
        let mut lines = ptx.to_bytes().split(|byte| *byte == b'\n').map(String::from_utf8_lossy);
        let line = lines.find_map(|line| line.trim().strip_prefix(word).map(str::to_owned));
        let line = line.unwrap_or_else(|| "?".to_owned());
        line.split([',', ' ', '\t']).find(|part| !part.is_empty()).unwrap_or("?").to_owned()
    };
    Target { arch: after(".target"), version: after(".version") }
}

/// The PTX that the build put into the program: nothing in a plain build.
#[cfg(not(test))]
fn embedded() -> Result<Option<&'static CStr>, &'static str> {
    let start = device_code();
    if start.is_null() {
        return Ok(None);
    }
    // SAFETY: the symbol is that of a length of eight bytes, then as many bytes of text, then a NUL, all of them part of the
    // program; the build that defines the symbol writes them so.
    let text = unsafe {
        let len = u64::from_le_bytes(start.cast::<[u8; 8]>().read_unaligned()) as usize;
        core::slice::from_raw_parts(start.add(8), len + 1)
    };
    CStr::from_bytes_with_nul(text)
        .map(Some)
        .map_err(|_| "the program's device code is damaged: build it again with `cargo spelt`")
}

/// The unit tests of this crate have their own kernels.
#[cfg(test)]
#[allow(clippy::unnecessary_wraps, reason = "as the one above")]
fn embedded() -> Result<Option<&'static CStr>, &'static str> {
    Ok(Some(super::tests::kernels::device_code()))
}

/// The address of the symbol `__spelt_device_code`, or null in a program that has none: the reference is weak.
#[cfg(all(not(test), unix, not(target_vendor = "apple"), target_arch = "x86_64"))]
fn device_code() -> *const u8 {
    let address: *const u8;
    // SAFETY: it reads one pointer from the global offset table.
    unsafe {
        core::arch::asm!(
            ".weak __spelt_device_code",
            "mov {address}, qword ptr [rip + __spelt_device_code@GOTPCREL]",
            address = out(reg) address,
            options(pure, readonly, preserves_flags, nostack),
        );
    }
    address
}

/// The address of the symbol on this architecture, or null.
#[cfg(all(not(test), unix, not(target_vendor = "apple"), target_arch = "aarch64"))]
fn device_code() -> *const u8 {
    let address: *const u8;
    // SAFETY: it reads one pointer from the global offset table, in the two instructions of this architecture.
    unsafe {
        core::arch::asm!(
            ".weak __spelt_device_code",
            "adrp {address}, :got:__spelt_device_code",
            "ldr {address}, [{address}, :got_lo12:__spelt_device_code]",
            address = out(reg) address,
            options(pure, readonly, preserves_flags, nostack),
        );
    }
    address
}

/// Elsewhere no build can put device code into a program.
#[cfg(all(
    not(test),
    not(all(unix, not(target_vendor = "apple"), any(target_arch = "x86_64", target_arch = "aarch64")))
))]
fn device_code() -> *const u8 {
    ptr::null()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &'static CStr) -> Symbol {
        Symbol { name, bytes: 24, align: 8 }
    }

    #[test]
    fn code_says_what_it_is_for() {
        let ptx = c"//\n.version 7.0\n.target sm_80, debug\n.address_size 64\n";
        assert_eq!(target(ptx), Target { arch: "sm_80".to_owned(), version: "7.0".to_owned() });
        assert_eq!(target(c"").arch, "?");
    }

    #[test]
    fn code_that_the_driver_refuses_is_told_with_its_reasons() {
        let Some(space) = super::super::tests::space() else { return };
        let context = space.context();
        context.bind().unwrap();
        let ptx = c".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry e()\n{ spelt.u32 %r1; }\n";
        let error =
            Module::load(context, ptx, None).map(|_module| ()).expect_err("there is no such instruction");
        assert_eq!(error.kind(), ErrorKind::DeviceCode);
        for part in ["PTX 7.0 for sm_70", "device 0", "capability", "spelt"] {
            assert!(error.to_string().contains(part), "no {part} in {error}");
        }
        // Only this module fails: the program's own still loads.
        assert!(
            context
                .code()
                .function(context, named(c"none"), 1)
                .is_err_and(|error| error.to_string().contains("none"))
        );
    }

    #[test]
    fn names_have_the_characters_that_code_allows() {
        assert_eq!(&*name_in_code(named(c"_ZN5entry17h0E..x@y$a")), c"_ZN5entry17h0E__x_y$a$24_8");
        assert_eq!(&*name_in_code(named(c"_RINvC5entryE.llvm.1435392524448128391")), c"_RINvC5entryE$24_8");
        assert_eq!(&*name_in_code(named(c"")), c"");
    }
}
