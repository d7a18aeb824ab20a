//! One device's context, shared by all streams, Views and kernels of the device.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use spelt_kernels_gpu::team::tuning;

use super::code::Code;
use super::driver::{self, Attribute, DeviceHandle, Fault, Missing, RawContext};
use super::notes::Notes;
use super::staged::Buffers;
use super::stock::Stock;
use crate::{Error, ErrorKind, Result, tools};

/// The context of each device that is in use; dropping the last View or space of a device drops its context.
static CONTEXTS: Mutex<Vec<Weak<Context>>> = Mutex::new(Vec::new());

/// A device's primary context, which other CUDA libraries of the program share.
pub(super) struct Context {
    number: usize,
    device: DeviceHandle,
    raw: RawContext,
    version: i32,
    facts: Facts,
    /// Held from reading the uses for which Views must wait until their new uses are recorded.
    order: Mutex<()>,
    notes: Mutex<Notes>,
    code: Code,
    stock: Stock,
    buffers: Buffers,
    broken: OnceLock<Broken>,
}

// SAFETY: the driver's handles may be used on any thread.
unsafe impl Send for Context {}
// SAFETY: the driver's handles may be used on several threads at once; locks protect the data that this type changes.
unsafe impl Sync for Context {}

impl core::fmt::Debug for Context {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Context of device {} ({})", self.number, self.facts.name)
    }
}

/// The facts of a device.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) name: String,
    pub(super) capability: (i32, i32),
    pub(super) memory: usize,
    pub(super) multiprocessors: usize,
    pub(super) threads_per_multiprocessor: usize,
    /// The maximum shared memory of a block. Unit: bytes.
    pub(super) shared_bytes: u32,
    /// Host and device may both use managed memory while kernels run.
    pub(super) shares_managed: bool,
}

impl Facts {
    /// The facts that determine the sizes of teams.
    pub(super) fn for_teams(&self) -> tuning::Device {
        tuning::Device {
            multiprocessors: self.multiprocessors,
            multiprocessor_lanes: self.threads_per_multiprocessor,
            memory: self.memory,
        }
    }

    fn of(device: DeviceHandle) -> Result<Self, Fault> {
        let count = |attribute| device.attribute(attribute).map(|value| usize::try_from(value).unwrap_or(0));
        Ok(Self {
            name: device.name()?,
            capability: (
                device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            memory: device.total_memory()?,
            multiprocessors: count(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            threads_per_multiprocessor: count(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
            shared_bytes: device
                .attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?
                .unsigned_abs(),
            shares_managed: device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)? != 0,
        })
    }
}

/// The reason why a context is broken.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    /// The label of the kernel that failed, if it is known.
    pub(super) kernel: Option<String>,
    /// The event, as a sentence without the kernel's label.
    pub(super) what: String,
    /// Whether something else destroyed the context: the device can be opened again.
    pub(super) gone: bool,
}

impl Broken {
    /// A call failed, and no kernel is known to have caused it.
    pub(super) fn call(doing: &str, fault: Fault) -> Self {
        let what = format!("{doing}: the CUDA driver says: {fault}");
        Self { kernel: None, what, gone: fault.context_gone() }
    }
}

/// Locks data that no panic leaves half written.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of devices.
pub(super) fn devices() -> Result<usize> {
    driver::init().map_err(missing)?;
    driver::device_count().map_err(|fault| said("counting the devices", fault))
}

/// Waits for everything on all devices that are in use, for tools. A failure stays the error of those who wait for its kernel.
fn fence_all() {
    let contexts: Vec<_> = lock(&CONTEXTS).iter().filter_map(Weak::upgrade).collect();
    for context in contexts {
        if context.bind_to_free() {
            let _ = driver::synchronize_all();
        }
    }
}

impl Context {
    /// The context of device `number`.
    pub(super) fn of(number: usize) -> Result<Arc<Self>> {
        let version = driver::init().map_err(missing)?;
        let count = devices()?;
        if number >= count {
            return Err(Error::new(
                ErrorKind::Driver,
                format!("there is no CUDA device {number}: the driver finds {count}, counted from 0"),
            ));
        }
        let mut contexts = lock(&CONTEXTS);
        contexts.retain(|context| context.strong_count() > 0);
        let known = contexts.iter().filter_map(Weak::upgrade).find(|context| context.number == number);
        if let Some(context) = known {
            context.bind()?;
            return Ok(context);
        }
        let context = Arc::new(Self::open(number, version)?);
        tools::fence_devices_by(fence_all);
        contexts.push(Arc::downgrade(&context));
        Ok(context)
    }

    fn open(number: usize, version: i32) -> Result<Self> {
        let refused = |fault| said(&format!("opening device {number}"), fault);
        let device = DeviceHandle::new(i32::try_from(number).unwrap_or(i32::MAX)).map_err(refused)?;
        let pools =
            device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED).map_err(refused)?;
        if pools == 0 {
            return Err(Error::new(
                ErrorKind::Driver,
                format!(
                    "device {number} has no memory pools, which Spelt needs: a newer driver or a device that is not \
                     partitioned may have them"
                ),
            ));
        }
        let facts = Facts::of(device).map_err(refused)?;
        let raw = device.retain().map_err(|fault| {
            if !fault.lasts() {
                return refused(fault);
            }
            // Seen on an H200 with driver 580: neither the release nor a reset of the context changes it.
            Error::new(
                ErrorKind::Device,
                format!(
                    "device {number} cannot be opened: the CUDA driver says: {fault}. After a kernel has failed on it, or its hardware, \
                     the driver gives it to this process no more. Start the program again, or continue in another space"
                ),
            )
        })?;
        let context = Self {
            number,
            device,
            raw,
            version,
            facts,
            order: Mutex::new(()),
            notes: Mutex::default(),
            code: Code::default(),
            stock: Stock::default(),
            buffers: Buffers::default(),
            broken: OnceLock::new(),
        };
        context.bind()?;
        device.keep_freed_memory().map_err(refused)?;
        Ok(context)
    }

    /// Makes this the context of the thread's calls.
    ///
    /// # Errors
    /// The earlier, permanent failure in it.
    pub(super) fn bind(&self) -> Result<()> {
        match self.broken.get() {
            Some(broken) => Err(self.still_broken(broken)),
            // SAFETY: `self` holds the context until it is dropped.
            None => unsafe { driver::set_current(self.raw) }
                .map_err(|fault| self.failed("making the device current", fault)),
        }
    }

    /// [`bind`](Self::bind) for clean-up: false if the context, and so everything in it, is broken.
    pub(super) fn bind_to_free(&self) -> bool {
        // SAFETY: `self` holds the context until it is dropped.
        self.broken.get().is_none() && unsafe { driver::set_current(self.raw) }.is_ok()
    }

    /// The error of a call that failed; `doing` is the operation, as in "copying view `x`".
    ///
    /// If the fault is permanent, this records the reason in the context.
    #[cold]
    pub(super) fn failed(&self, doing: &str, fault: Fault) -> Error {
        if !fault.lasts() {
            return said(doing, fault);
        }
        let mut first = false;
        let broken = self.broken.get_or_init(|| {
            first = true;
            super::failure::diagnose(&self.code, &lock(&self.notes), doing, fault)
        });
        if !first {
            return self.still_broken(broken);
        }
        let then = match broken.gone {
            true => format!("Spelt's data on device {} are lost", self.number),
            false => format!(
                "this program can no longer use device {}, but can continue in another space",
                self.number
            ),
        };
        let error = Error::new(ErrorKind::Device, format!("{}; {then}", broken.what));
        match &broken.kernel {
            Some(label) => error.in_kernel(label),
            None => error,
        }
    }

    fn still_broken(&self, broken: &Broken) -> Error {
        let kernel = broken.kernel.as_ref().map_or_else(String::new, |label| format!("kernel `{label}`: "));
        let then = if broken.gone { "" } else { ": continue in another space" };
        Error::new(
            ErrorKind::Device,
            format!(
                "device {} can no longer be used since this failed on it: {kernel}{}; its Views are lost{then}",
                self.number, broken.what
            ),
        )
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    pub(super) fn raw(&self) -> RawContext {
        self.raw
    }

    /// Whether a failure has ended all work in it.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.get().is_some()
    }

    pub(super) fn version(&self) -> i32 {
        self.version
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(super) fn code(&self) -> &Code {
        &self.code
    }

    pub(super) fn stock(&self) -> &Stock {
        &self.stock
    }

    pub(super) fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    pub(super) fn notes(&self) -> MutexGuard<'_, Notes> {
        lock(&self.notes)
    }

    /// Keeps other threads from using Views of this device while it is held.
    pub(super) fn order(&self) -> MutexGuard<'_, ()> {
        lock(&self.order)
    }

    /// Returns freed memory to the system, after pending frees.
    pub(super) fn release_memory(&self) -> Result<(), Fault> {
        driver::synchronize_all()?;
        self.device.release_freed_memory()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // Kernels that nothing has waited for may still run and write the record of failures. Errors cannot be reported from
        // `drop`.
        if self.bind_to_free() && driver::synchronize_all().is_ok() {
            self.code.unload();
            self.stock.unload();
            self.buffers.free();
        }
        // SAFETY: it undoes the retain of `open`; nothing holds this context any more. Errors cannot be reported from `drop`.
        let _ = unsafe { self.device.release() };
    }
}

/// The error of a call that may succeed next time.
fn said(doing: &str, fault: Fault) -> Error {
    Error::new(ErrorKind::Driver, format!("{doing}: the CUDA driver says: {fault}"))
}

/// The error of a machine without CUDA.
fn missing(missing: Missing) -> Error {
    Error::new(
        ErrorKind::Driver,
        match missing {
            Missing::Driver => "there is no CUDA driver: its library (libcuda.so.1, nvcuda.dll) cannot be opened. \
                                Install NVIDIA's driver, or run the program with `cargo spelt`, which has an emulator"
                .to_owned(),
            Missing::TooOld(version) => format!(
                "the CUDA driver is too old: it is of version {}, and Spelt needs {}: install a newer one",
                driver::version_text(version),
                driver::oldest_text()
            ),
            Missing::Broken(fault) => format!(
                "the CUDA driver does not start: {fault}. Is there a device, and does its kernel module fit the driver?"
            ),
        },
    )
}
