//! A tool's library: how it is opened, and told of the begin and the end of the program.

use core::cell::Cell;
use core::ffi::{CStr, c_int, c_void};
use core::ptr;
use std::ffi::OsStr;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::arguments::Arguments;
use super::interface::{Callback, Callbacks, ToolProgrammingInterface, ToolSettings, VERSION};
use super::turns::Turns;
use crate::tools::at_exit;
use crate::tools::devices::fence_devices;

/// The libraries that are told of the end of the program, in the order of their begins.
static LIBRARIES: Mutex<Vec<&Library>> = Mutex::new(Vec::new());

thread_local! {
    /// Whether this thread runs code of a library.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The end of an event that a library has been told of.
#[derive(Clone, Copy)]
pub(super) enum End {
    For(u64),
    Reduce(u64),
    Scan(u64),
    Fence(u64),
    Copy,
    Region,
}

/// An opened library. It is never closed: any thread may be inside it, and it may have threads of its own.
pub(super) struct Library {
    path: PathBuf,
    pub(super) callbacks: Callbacks,
    pub(super) turns: Turns<End>,
    needs_fences: bool,
}

impl Library {
    /// Opens the library at `path`.
    ///
    /// # Errors
    /// A clause that says why it is no tool.
    pub(super) fn open(path: &OsStr, symbols: Symbols) -> Result<Self, String> {
        let handle = open(path, symbols)?;
        // SAFETY: the library is never closed, so its functions stay where they are.
        let callbacks = unsafe { Callbacks::find(|symbol| handle.address(symbol)) };
        let callbacks = callbacks
            .ok_or("it has no function of Kokkos's tools (`kokkosp_..`): build it as one of them")?;
        Ok(Self { path: path.into(), callbacks, turns: Turns::new(), needs_fences: true })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Tells the library that the program begins, in Kokkos's order, and that of its end when it ends; `place` is its place in the list.
    pub(super) fn begin_program(mut self, place: usize, mut arguments: Arguments) -> &'static Self {
        let place = c_int::try_from(place).unwrap_or(c_int::MAX);
        // SAFETY: there are no device infos, which is what a count of 0 says.
        self.call(&self.callbacks.init_library, |init| unsafe { init(place, VERSION, 0, ptr::null_mut()) });
        let mut settings = ToolSettings { requires_global_fencing: 1, padding: [0; 255] };
        // SAFETY: the pointer is to one structure of settings, which the call may change.
        self.call(&self.callbacks.request_tool_settings, |request| unsafe { request(1, &mut settings) });
        self.needs_fences = settings.requires_global_fencing != 0;
        let interface = ToolProgrammingInterface { fence: tool_fence, padding: [None; 31] };
        // SAFETY: the structure is passed by value; its one function may be called at any time.
        self.call(&self.callbacks.provide_interface, |provide| unsafe { provide(1, interface) });

        let asks_for_help = arguments.asks_for_help;
        let mut words = arguments.pointers();
        let count = words.len() - 1;
        if asks_for_help {
            if self.callbacks.print_help.function().is_none() {
                eprintln!("KOKKOS_TOOLS_ARGS: {} has no help", self.path.display());
            }
            let mut empty = 0;
            let name = if count == 0 { &raw mut empty } else { words[0] };
            // SAFETY: `name` is text with a zero at its end, which nothing else uses during the call.
            self.call(&self.callbacks.print_help, |print| unsafe { print(name) });
        } else if count > 0 {
            let argc = c_int::try_from(count).unwrap_or(c_int::MAX);
            // SAFETY: `words` has `argc` texts with a zero at their ends, and a null pointer; nothing else uses them during the call.
            self.call(&self.callbacks.parse_args, |parse| unsafe { parse(argc, words.as_mut_ptr()) });
        }

        let library: &'static Self = Box::leak(Box::new(self));
        libraries().push(library);
        at_exit::register_again(end_program);
        library
    }

    /// Calls a function, if the library has it.
    pub(super) fn call<F: Copy>(&self, callback: &Callback<F>, call: impl FnOnce(F)) {
        let Some(function) = callback.function() else { return };
        /// Also where the function throws.
        struct Inside(bool);
        impl Drop for Inside {
            fn drop(&mut self) {
                INSIDE.set(self.0);
            }
        }
        let inside = Inside(INSIDE.replace(true));
        call(function);
        drop(inside);
        // Variables that the function's first call has made are destroyed at exit after functions that are registered now have run.
        if callback.is_first_call() {
            at_exit::register_again(end_program);
        }
    }

    /// Tells of an end.
    pub(super) fn end(&self, end: End) {
        let callbacks = &self.callbacks;
        match end {
            End::For(id) => self.end_numbered(&callbacks.end_parallel_for, id),
            End::Reduce(id) => self.end_numbered(&callbacks.end_parallel_reduce, id),
            End::Scan(id) => self.end_numbered(&callbacks.end_parallel_scan, id),
            End::Fence(id) => self.end_numbered(&callbacks.end_fence, id),
            End::Copy => self.end_last(&callbacks.end_deep_copy),
            End::Region => self.end_last(&callbacks.pop_region),
        }
    }

    fn end_numbered(&self, callback: &Callback<unsafe extern "C-unwind" fn(u64)>, id: u64) {
        // SAFETY: the library has given the number when this event began, and the event has not ended.
        self.call(callback, |end| unsafe { end(id) });
    }

    fn end_last(&self, callback: &Callback<unsafe extern "C-unwind" fn()>) {
        // SAFETY: the event that ends is the last one that the library has been told of: ends come in reverse order of begins.
        self.call(callback, |end| unsafe { end() });
    }

    /// Waits for all devices, if the library needs that before its events and listens to those of `callback`.
    pub(super) fn fence_before<F: Copy>(&self, callback: &Callback<F>) {
        if self.needs_fences(callback) {
            fence_devices();
        }
    }

    /// Whether devices are fenced before events of `callback`.
    pub(super) fn needs_fences<F: Copy>(&self, callback: &Callback<F>) -> bool {
        self.needs_fences && callback.function().is_some()
    }

    fn end_program(&self) {
        let finalize = &self.callbacks.finalize_library;
        // SAFETY: `finish` calls it once, and nothing of the library after it.
        let left_out = self.turns.finish(|end| self.end(end), || self.call(finalize, |end| unsafe { end() }));
        if left_out > 0 {
            eprintln!(
                "KOKKOS_TOOLS_LIBS: {} has not been told of {left_out} launches, copies, fences and regions that other threads began \
                 meanwhile: Kokkos's tools follow one thread at a time; SPELT_TOOLS=summary follows all",
                self.path.display()
            );
        }
    }
}

fn libraries() -> std::sync::MutexGuard<'static, Vec<&'static Library>> {
    LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program ends.
extern "C" fn end_program() {
    // A library that ends the program is inside a call, and holds its turn.
    if INSIDE.get() {
        return;
    }
    // Nothing may unwind into the C library.
    let _ = catch_unwind(|| {
        let libraries = std::mem::take(&mut *libraries());
        libraries.iter().rev().for_each(|library| library.end_program());
    });
}

/// The fence that a tool may call: for all devices, as Kokkos's own.
extern "C" fn tool_fence(_device: u32) {
    let _ = catch_unwind(fence_devices);
}

/// The symbols of a library for others that are opened later.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Symbols {
    /// They find them, as in Kokkos.
    Shared,
    /// They do not: two libraries have the same names.
    Own,
}

#[cfg(unix)]
struct Handle(core::mem::ManuallyDrop<libloading::os::unix::Library>);

#[cfg(unix)]
fn open(path: &OsStr, symbols: Symbols) -> Result<Handle, String> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
    let scope = if symbols == Symbols::Shared { RTLD_GLOBAL } else { RTLD_LOCAL };
    // SAFETY: the file is the tool that the user names. Its initialisers are as trusted as those of a library that the program is linked
    // with.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | scope) };
    library.map(|library| Handle(core::mem::ManuallyDrop::new(library))).map_err(|error| reason(&error))
}

/// The loader's own sentence.
#[cfg(unix)]
fn reason(error: &libloading::Error) -> String {
    use std::error::Error;
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(unix)]
impl Handle {
    fn address(&self, symbol: &CStr) -> *mut c_void {
        // SAFETY: the type names no type of the symbol's; only its address is taken.
        let found = unsafe { self.0.get_singlethreaded::<*mut c_void>(symbol.to_bytes_with_nul()) };
        found.map_or(ptr::null_mut(), libloading::os::unix::Symbol::into_raw)
    }
}

/// Whether the file is a library of the process already.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn is_open(path: &OsStr) -> bool {
    use libloading::os::unix::{Library, RTLD_NOW};
    // SAFETY: with this flag nothing is opened, so no initialisers run.
    unsafe { Library::open(Some(path), RTLD_NOW | libc::RTLD_NOLOAD) }.is_ok()
}

/// Whether the file is a library of the process already, if that can be known.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn is_open(_path: &OsStr) -> bool {
    false
}

#[cfg(not(unix))]
struct Handle;

#[cfg(not(unix))]
fn open(_path: &OsStr, _symbols: Symbols) -> Result<Handle, String> {
    Err("Kokkos's tools are opened on Unix systems only".to_owned())
}

#[cfg(not(unix))]
impl Handle {
    fn address(&self, _symbol: &CStr) -> *mut c_void {
        ptr::null_mut()
    }
}
