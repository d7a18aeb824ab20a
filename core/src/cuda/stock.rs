//! Spelt's own kernels: fills and copies for which the driver has no call.
//!
//! They are a module separate from the program's device code, so programs built by plain cargo have them too.
//! Without them (the build had no libLLVM, or the driver rejects them), copies use only the driver and the host, and are
//! slower.

use core::ffi::CStr;
use core::mem::MaybeUninit;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Mutex, OnceLock};

use spelt_access::{Layout, RawView};
use spelt_stock::{CopyBox, FillBox, Kind, Launch};

use super::context::lock;
use super::driver::{self, Address, Fault, Grid, RawFunction, RawModule, RawStream};

/// The stock kernels of a context, loaded at the first request.
#[derive(Default)]
pub(super) struct Stock {
    loaded: OnceLock<Result<Kernels, String>>,
}

/// The stock kernels, loaded and ready to be launched.
pub(super) struct Kernels {
    module: RawModule,
    functions: Mutex<HashMap<&'static CStr, RawFunction>>,
}

impl Stock {
    /// The kernels, or the reason why there are none.
    ///
    /// The context must be bound.
    pub(super) fn kernels(&self) -> Result<&Kernels, &str> {
        self.loaded.get_or_init(Kernels::load).as_ref().map_err(String::as_str)
    }

    /// Unloads the module. The context must be bound, and no kernel may be running.
    pub(super) fn unload(&self) {
        if let Some(Ok(kernels)) = self.loaded.get() {
            lock(&kernels.functions).clear();
            // SAFETY: only the drop of the context calls this; errors cannot be reported from `drop`.
            let _ = unsafe { driver::unload_module(kernels.module) };
        }
    }
}

impl Kernels {
    fn load() -> Result<Self, String> {
        if spelt_stock::PTX.is_empty() {
            return Err(spelt_stock::MADE_BY.to_owned());
        }
        let ptx = CString::new(spelt_stock::PTX).map_err(|error| error.to_string())?;
        let module =
            driver::load_module(&ptx, None).map_err(|(fault, log)| format!("none: {fault}: {log}"))?;
        Ok(Self { module, functions: Mutex::default() })
    }

    /// Starts one launch on the stream.
    ///
    /// # Safety
    /// The context is bound, and the memory of the launch is valid, and ordered for it, until the stream has run it.
    unsafe fn launch(&self, launch: &Launch, stream: RawStream) -> Result<(), Fault> {
        let known = lock(&self.functions).get(launch.kernel).copied();
        let function = match known {
            Some(function) => function,
            None => {
                // SAFETY: the module is loaded as long as this lives.
                let function = unsafe { driver::module_function(self.module, launch.kernel)? };
                lock(&self.functions).insert(launch.kernel, function);
                function
            }
        };
        let grid = Grid { blocks: launch.blocks, threads: launch.threads, shared_bytes: launch.shared_bytes };
        // SAFETY: the plan pairs each kernel with the parameter and the shape that it asks for; by the contract, the
        // memory is valid.
        unsafe { driver::launch(function, grid, stream, launch.parameters.pointer().cast()) }
    }

    /// Copies each element of `from` to the same index of `to`.
    ///
    /// # Safety
    /// Both are memory of this device, of equal extents, and only this copy uses `to`'s; the context is bound, and earlier
    /// and later work is ordered with the stream.
    pub(super) unsafe fn copy<T, const R: usize, L1: Layout, L2: Layout>(
        &self,
        to: RawView<T, R, L1>,
        from: RawView<T, R, L2>,
        stream: RawStream,
    ) -> Result<(), Fault> {
        let copy = CopyBox {
            to: to.pointer().addr() as Address,
            from: from.pointer().addr() as Address,
            element: size_of::<T>(),
            extents: &to.extents(),
            to_strides: &to.strides(),
            from_strides: &from.strides(),
        };
        match copy.kind() {
            Kind::Nothing => Ok(()),
            // SAFETY: by the contract, both are memory of this device and only this copy uses `to`; the kind says that each
            // View consists of exactly these bytes.
            Kind::Contiguous(bytes) => unsafe { driver::copy(copy.to, copy.from, bytes, stream) },
            // SAFETY: by the contract, both are memory of this device and only this copy uses `to`; `CopyBox` plans the
            // kernels for the extents and strides of these two Views.
            Kind::Kernels => copy.launch(|launch| unsafe { self.launch(launch, stream) }),
        }
    }

    /// Sets every element of `to` to this value; `room` is memory for one element, if
    /// [`needs_room`](Self::needs_room) says that it is needed.
    ///
    /// # Safety
    /// As for [`copy`](Self::copy); `room` is memory of this device that only this fill uses.
    pub(super) unsafe fn fill<T: Copy, const R: usize, L: Layout>(
        &self,
        to: RawView<T, R, L>,
        value: &T,
        room: Option<Address>,
        stream: RawStream,
    ) -> Result<(), Fault> {
        if let Some(room) = room {
            let from = core::ptr::from_ref(value).expose_provenance() as Address;
            // SAFETY: the room has the size of the value. The value is in pageable memory, so the driver has read it when the
            // call returns.
            unsafe { driver::copy(room, from, size_of::<T>(), stream)? };
            let pointer = core::ptr::without_provenance_mut(room as usize);
            let all = RawView::<T, R, spelt_access::Stride>::new(pointer, to.extents(), [0; R]);
            // SAFETY: every index refers to the single element.
            return unsafe { self.copy(to, all, stream) };
        }
        // SAFETY: the value has these bytes, which need not be initialised.
        let element: &[MaybeUninit<u8>] =
            unsafe { core::slice::from_raw_parts(core::ptr::from_ref(value).cast(), size_of::<T>()) };
        let fill = FillBox {
            to: to.pointer().addr() as Address,
            element,
            extents: &to.extents(),
            strides: &to.strides(),
        };
        // SAFETY: by the contract, `to` is memory of this device and only this fill uses it; `FillBox` plans the kernels
        // for the extents and strides of the View.
        fill.launch(|launch| unsafe { self.launch(launch, stream) })
    }

    /// Whether a fill with elements of this size needs room for one of them.
    pub(super) fn needs_room(bytes: usize) -> bool {
        !matches!(bytes, 1 | 2 | 4 | 8 | 16)
    }
}
