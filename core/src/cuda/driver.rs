//! The calls of the CUDA driver that Spelt makes: the only place with foreign functions.
//!
//! Each function is one call and turns its code into a `Result`. cudarc opens the driver's library when the first
//! call is made and looks each function up by name; both panic if that fails, so [`init`] must be called first.

mod module;

use core::ffi::{CStr, c_uint, c_void};
use core::ptr;

use cudarc::driver::sys::{self, CUresult};

pub(super) use self::module::{
    allow_shared_memory, load_module, max_threads, module_function, module_global, unload_module,
};
pub(super) use super::fault::Fault;
pub(super) use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUmemorytype as MemoryKind};

/// The oldest driver that has every function called here. Source: cuda.h; `cuMemAllocAsync` was added in 11.2, pools that
/// all devices of interest support in 11.4.
const OLDEST: i32 = 11_040;

/// An address in the driver's type.
pub(super) type Address = sys::CUdeviceptr;
pub(super) type RawContext = sys::CUcontext;
pub(super) type RawStream = sys::CUstream;
pub(super) type RawEvent = sys::CUevent;
pub(super) type RawModule = sys::CUmodule;
pub(super) type RawFunction = sys::CUfunction;

type Outcome<T = ()> = Result<T, Fault>;

fn check(code: CUresult) -> Outcome {
    if code == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(Fault(code)) }
}

/// The reason why CUDA cannot be used.
#[derive(Clone, Debug)]
pub(super) enum Missing {
    /// The library cannot be opened.
    Driver,
    /// It is too old; with its version.
    TooOld(i32),
    /// It does not start.
    Broken(Fault),
}

/// Opens the driver, once, and returns its version.
pub(super) fn init() -> Result<i32, Missing> {
    static STARTED: std::sync::OnceLock<Result<i32, Missing>> = std::sync::OnceLock::new();
    STARTED
        .get_or_init(|| {
            // SAFETY: it opens libraries with the driver's name, whose initialisers are part of the driver.
            if !unsafe { sys::is_culib_present() } {
                return Err(Missing::Driver);
            }
            let mut version = 0;
            // SAFETY: the driver writes one integer; the call needs no context and no start.
            check(unsafe { sys::cuDriverGetVersion(&mut version) }).map_err(Missing::Broken)?;
            if version < OLDEST {
                return Err(Missing::TooOld(version));
            }
            // SAFETY: the flags must be 0.
            check(unsafe { sys::cuInit(0) }).map_err(Missing::Broken)?;
            Ok(version)
        })
        .clone()
}

/// The version of the driver as NVIDIA writes it.
pub(super) fn version_text(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// The oldest version that suffices.
pub(super) fn oldest_text() -> String {
    version_text(OLDEST)
}

/// One device; only the driver's own numbers get into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeviceHandle(sys::CUdevice);

/// The number of devices. After [`init`].
pub(super) fn device_count() -> Outcome<usize> {
    let mut count = 0;
    // SAFETY: the driver writes one integer.
    check(unsafe { sys::cuDeviceGetCount(&mut count) })?;
    Ok(usize::try_from(count).unwrap_or(0))
}

impl DeviceHandle {
    /// Device `number`. After [`init`].
    pub(super) fn new(number: i32) -> Outcome<Self> {
        let mut device = 0;
        // SAFETY: the driver writes one integer and checks the number.
        check(unsafe { sys::cuDeviceGet(&mut device, number) })?;
        Ok(Self(device))
    }

    pub(super) fn name(self) -> Outcome<String> {
        let mut name = [0_u8; 256];
        // SAFETY: the buffer has the length that is given.
        check(unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as i32, self.0) })?;
        Ok(CStr::from_bytes_until_nul(&name)
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default())
    }

    pub(super) fn attribute(self, attribute: Attribute) -> Outcome<i32> {
        let mut value = 0;
        // SAFETY: the driver writes one integer.
        check(unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, self.0) })?;
        Ok(value)
    }

    pub(super) fn total_memory(self) -> Outcome<usize> {
        let mut bytes = 0;
        // SAFETY: the driver writes one integer.
        check(unsafe { sys::cuDeviceTotalMem_v2(&mut bytes, self.0) })?;
        Ok(bytes)
    }

    /// Lets the device's pool keep freed memory, so that later allocations need not ask the system.
    pub(super) fn keep_freed_memory(self) -> Outcome {
        let mut pool = ptr::null_mut();
        let mut all = u64::MAX;
        // SAFETY: the driver writes one handle.
        check(unsafe { sys::cuDeviceGetDefaultMemPool(&mut pool, self.0) })?;
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the attribute's value is a `u64`, which lives through the call.
        check(unsafe { sys::cuMemPoolSetAttribute(pool, threshold, ptr::from_mut(&mut all).cast()) })
    }

    /// Returns the pool's unused memory to the system.
    pub(super) fn release_freed_memory(self) -> Outcome {
        let mut pool = ptr::null_mut();
        // SAFETY: the driver writes one handle.
        check(unsafe { sys::cuDeviceGetDefaultMemPool(&mut pool, self.0) })?;
        // SAFETY: the pool is the device's own, which always lives.
        check(unsafe { sys::cuMemPoolTrimTo(pool, 0) })
    }

    /// Retains the primary context; [`release`](Self::release) undoes it.
    pub(super) fn retain(self) -> Outcome<RawContext> {
        let mut context = ptr::null_mut();
        // SAFETY: the driver writes one handle.
        check(unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, self.0) })?;
        Ok(context)
    }

    /// # Safety
    /// It undoes one [`retain`](Self::retain), and the context is not used afterwards.
    pub(super) unsafe fn release(self) -> Outcome {
        // SAFETY: the context was retained once for this release, and nothing uses it afterwards, both of which this
        // function's contract asks for.
        check(unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.0) })
    }
}

/// Makes `context` the current context of this thread.
///
/// # Safety
/// It is retained.
pub(super) unsafe fn set_current(context: RawContext) -> Outcome {
    let mut current = ptr::null_mut();
    // SAFETY: the driver writes one handle.
    check(unsafe { sys::cuCtxGetCurrent(&mut current) })?;
    if current == context {
        return Ok(());
    }
    // SAFETY: the context is retained, as the contract asks, so the handle is valid.
    check(unsafe { sys::cuCtxSetCurrent(context) })
}

/// Waits for everything in the current context.
pub(super) fn synchronize_all() -> Outcome {
    // SAFETY: it has no parameters.
    check(unsafe { sys::cuCtxSynchronize() })
}

/// The free and the total memory of the current context's device. Unit: bytes.
pub(super) fn memory_info() -> Outcome<(usize, usize)> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: the driver writes two integers.
    check(unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) })?;
    Ok((free, total))
}

/// A stream of the current context that does not synchronise implicitly with other streams.
pub(super) fn stream_create() -> Outcome<RawStream> {
    let mut stream = ptr::null_mut();
    let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as c_uint;
    // SAFETY: the driver writes one handle.
    check(unsafe { sys::cuStreamCreate(&mut stream, flags) })?;
    Ok(stream)
}

/// # Safety
/// The stream lives.
pub(super) unsafe fn stream_synchronize(stream: RawStream) -> Outcome {
    // SAFETY: the stream lives, as the contract asks, so the handle is valid.
    check(unsafe { sys::cuStreamSynchronize(stream) })
}

/// # Safety
/// The stream lives and is no longer used.
pub(super) unsafe fn stream_destroy(stream: RawStream) -> Outcome {
    // SAFETY: the stream lives and nothing uses it afterwards, as the contract asks: its handle is valid, and destroyed
    // once.
    check(unsafe { sys::cuStreamDestroy_v2(stream) })
}

/// # Safety
/// Both live, in contexts of one process.
pub(super) unsafe fn stream_wait_event(stream: RawStream, event: RawEvent) -> Outcome {
    // SAFETY: stream and event live, as the contract asks; the flags must be 0.
    check(unsafe { sys::cuStreamWaitEvent(stream, event, 0) })
}

/// An event of the current context without timing.
pub(super) fn event_create() -> Outcome<RawEvent> {
    let mut event = ptr::null_mut();
    let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as c_uint;
    // SAFETY: the driver writes one handle.
    check(unsafe { sys::cuEventCreate(&mut event, flags) })?;
    Ok(event)
}

/// An event of the current context with its time.
pub(super) fn timing_event_create() -> Outcome<RawEvent> {
    let mut event = ptr::null_mut();
    let flags = sys::CUevent_flags::CU_EVENT_DEFAULT as c_uint;
    // SAFETY: the driver writes one handle.
    check(unsafe { sys::cuEventCreate(&mut event, flags) })?;
    Ok(event)
}

/// Waits until the work before the event has ended.
///
/// # Safety
/// The event lives.
pub(super) unsafe fn event_synchronize(event: RawEvent) -> Outcome {
    // SAFETY: the event lives, as the contract asks, so the handle is valid.
    check(unsafe { sys::cuEventSynchronize(event) })
}

/// Whether the work before the event has ended.
///
/// # Safety
/// The event lives.
pub(super) unsafe fn event_is_over(event: RawEvent) -> Outcome<bool> {
    // SAFETY: the event lives, as the contract asks, so the handle is valid.
    match unsafe { sys::cuEventQuery(event) } {
        CUresult::CUDA_ERROR_NOT_READY => Ok(false),
        code => check(code).map(|()| true),
    }
}

/// The time between two events that are over. Unit: ms.
///
/// # Safety
/// Both live, in one context, and have times.
pub(super) unsafe fn event_elapsed(begin: RawEvent, end: RawEvent) -> Outcome<f32> {
    type Elapsed = unsafe extern "C" fn(*mut f32, RawEvent, RawEvent) -> CUresult;
    static ELAPSED: std::sync::OnceLock<Option<Elapsed>> = std::sync::OnceLock::new();
    // cudarc has the second version alone, which drivers before 12.8 lack. All have the first, with the same parameters.
    let elapsed = ELAPSED.get_or_init(|| {
        // SAFETY: the driver's library is open, since there are events, and the function has this type. Source: cuda.h.
        unsafe { sys::culib().get::<Elapsed>(b"cuEventElapsedTime\0") }.ok().map(|function| *function)
    });
    let elapsed = elapsed.ok_or(Fault(CUresult::CUDA_ERROR_NOT_FOUND))?;
    let mut milliseconds = 0.0;
    // SAFETY: both events live, as the contract asks; the driver writes one number.
    check(unsafe { elapsed(&mut milliseconds, begin, end) })?;
    Ok(milliseconds)
}

/// # Safety
/// Both live, in one context.
pub(super) unsafe fn event_record(event: RawEvent, stream: RawStream) -> Outcome {
    // SAFETY: event and stream live and belong to one context, as the contract asks; otherwise the driver refuses
    // the call.
    check(unsafe { sys::cuEventRecord(event, stream) })
}

/// # Safety
/// The event lives and is no longer used.
pub(super) unsafe fn event_destroy(event: RawEvent) -> Outcome {
    // SAFETY: the event lives and nothing uses it afterwards, as the contract asks: its handle is valid, and destroyed
    // once.
    check(unsafe { sys::cuEventDestroy_v2(event) })
}

/// Memory of the device from its pool, valid for later work on `stream`.
///
/// # Safety
/// The stream lives; `bytes` is not 0.
pub(super) unsafe fn allocate(bytes: usize, stream: RawStream) -> Outcome<Address> {
    let mut address = 0;
    // SAFETY: the stream lives, as the contract asks; the driver writes one address.
    check(unsafe { sys::cuMemAllocAsync(&mut address, bytes, stream) })?;
    Ok(address)
}

/// # Safety
/// `address` came from [`allocate`], and nothing uses it after the work that is on `stream` now.
pub(super) unsafe fn free(address: Address, stream: RawStream) -> Outcome {
    // SAFETY: the address came from `allocate`, and nothing uses the memory after the work that is on the stream now, as the
    // contract asks: it is freed once, after its last use.
    check(unsafe { sys::cuMemFreeAsync(address, stream) })
}

/// Memory of the current context's device that is not of its pool.
pub(super) fn allocate_plain(bytes: usize) -> Outcome<Address> {
    let mut address = 0;
    // SAFETY: the driver writes one address.
    check(unsafe { sys::cuMemAlloc_v2(&mut address, bytes) })?;
    Ok(address)
}

/// # Safety
/// `address` came from [`allocate_plain`], and nothing uses it any more.
pub(super) unsafe fn free_plain(address: Address) -> Outcome {
    // SAFETY: the address came from `allocate_plain`, whose memory this call frees, and nothing uses it any more, as the contract asks.
    check(unsafe { sys::cuMemFree_v2(address) })
}

/// Whether `cuIpcGetMemHandle` takes this memory, so that other processes can open it.
#[cfg(test)]
pub(super) fn is_shareable(address: Address) -> Outcome<bool> {
    let mut answer = 0_u32;
    let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE;
    // SAFETY: the driver looks the address up, and writes one number of up to 32 bits.
    check(unsafe { sys::cuPointerGetAttribute(ptr::from_mut(&mut answer).cast(), attribute, address) })?;
    Ok(answer != 0)
}

/// Whether the driver knows this memory of the host as pinned.
#[cfg(test)]
pub(super) fn is_pinned(address: Address) -> bool {
    let mut answer = 0_u32;
    let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    // SAFETY: the driver looks the address up, and writes one number of 32 bits.
    let known = unsafe { sys::cuPointerGetAttribute(ptr::from_mut(&mut answer).cast(), attribute, address) };
    check(known).is_ok() && answer == MemoryKind::CU_MEMORYTYPE_HOST as u32
}

/// Memory of the host that every device reaches.
pub(super) fn allocate_pinned(bytes: usize) -> Outcome<*mut u8> {
    let mut pointer = ptr::null_mut();
    // SAFETY: the driver writes one pointer.
    check(unsafe {
        sys::cuMemHostAlloc(
            &mut pointer,
            bytes,
            sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP,
        )
    })?;
    Ok(pointer.cast())
}

/// # Safety
/// `pointer` came from [`allocate_pinned`] and nothing uses it afterwards.
pub(super) unsafe fn free_pinned(pointer: *mut u8) -> Outcome {
    // SAFETY: the pointer came from `allocate_pinned`, whose memory this call frees, and nothing uses it afterwards, as
    // the contract asks.
    check(unsafe { sys::cuMemFreeHost(pointer.cast()) })
}

/// The address of memory of [`allocate_pinned`] on devices.
///
/// # Safety
/// `pointer` came from there and is not freed.
pub(super) unsafe fn device_address(pointer: *mut u8) -> Outcome<Address> {
    let mut address = 0;
    // SAFETY: the pointer came from `allocate_pinned` and is not freed, as the contract asks; the flags must be
    // 0, and writes one address.
    check(unsafe { sys::cuMemHostGetDevicePointer_v2(&mut address, pointer.cast(), 0) })?;
    Ok(address)
}

/// Memory that migrates between host and devices.
pub(super) fn allocate_managed(bytes: usize) -> Outcome<*mut u8> {
    let mut address = 0;
    let global = sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as c_uint;
    // SAFETY: the driver writes one address.
    check(unsafe { sys::cuMemAllocManaged(&mut address, bytes, global) })?;
    Ok(ptr::with_exposed_provenance_mut(address as usize))
}

/// # Safety
/// `pointer` came from [`allocate_managed`] and nothing uses it afterwards.
pub(super) unsafe fn free_managed(pointer: *mut u8) -> Outcome {
    // SAFETY: the pointer came from `allocate_managed`, whose memory this call frees, and nothing uses it afterwards, as
    // the contract asks.
    check(unsafe { sys::cuMemFree_v2(pointer.expose_provenance() as Address) })
}

/// Copies between any two memories, which the driver distinguishes by their addresses.
///
/// # Safety
/// Both hold `bytes` bytes and stay allocated until the copy has ended; until then nothing else writes the target and
/// nothing writes the source; the stream lives.
pub(super) unsafe fn copy(to: Address, from: Address, bytes: usize, stream: RawStream) -> Outcome {
    // SAFETY: both memories hold `bytes` bytes and stay allocated until the copy has ended, nothing else writes them, and the
    // stream lives: the contract asks for each.
    check(unsafe { sys::cuMemcpyAsync(to, from, bytes, stream) })
}

/// Copies from a device's memory to another's, with or without direct access between them.
///
/// # Safety
/// As [`copy`]; each side is memory of the device of its context, and both contexts are retained.
pub(super) unsafe fn copy_between(
    to: (Address, RawContext),
    from: (Address, RawContext),
    bytes: usize,
    stream: RawStream,
) -> Outcome {
    // SAFETY: both memories hold `bytes` bytes and stay allocated until the copy has ended, nothing else writes them, and the
    // stream and both contexts live: the contract asks for each.
    check(unsafe { sys::cuMemcpyPeerAsync(to.0, to.1, from.0, from.1, bytes, stream) })
}

/// One side of a copy of lines: the address of the first, and the distance between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    pub(super) address: Address,
    pub(super) pitch: usize,
    pub(super) kind: MemoryKind,
}

/// Copies `count` lines of `width` bytes each.
///
/// # Safety
/// As [`copy`], for each of the lines.
pub(super) unsafe fn copy_lines(
    to: Lines,
    from: Lines,
    width: usize,
    count: usize,
    stream: RawStream,
) -> Outcome {
    let pointer = |lines: Lines| ptr::with_exposed_provenance_mut::<c_void>(lines.address as usize);
    let shape = sys::CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: from.kind,
        srcHost: pointer(from),
        srcDevice: from.address,
        srcArray: ptr::null_mut(),
        srcPitch: from.pitch,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: to.kind,
        dstHost: pointer(to),
        dstDevice: to.address,
        dstArray: ptr::null_mut(),
        dstPitch: to.pitch,
        WidthInBytes: width,
        Height: count,
    };
    // SAFETY: the contract of `copy` is met for each line of the shape: `count` of them, `width`
    // bytes each. The driver reads the shape before it returns.
    check(unsafe { sys::cuMemcpy2DAsync_v2(&shape, stream) })
}

/// The value that fills memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    One(u8),
    Two(u16),
    Four(u32),
}

/// Writes `count` copies of `pattern`.
///
/// # Safety
/// The memory holds that many, is aligned for the pattern, and nothing else uses it until the fill has ended.
pub(super) unsafe fn fill(to: Address, pattern: Pattern, count: usize, stream: RawStream) -> Outcome {
    // SAFETY: the memory holds `count` copies, is aligned for one, and nothing else uses it until the fill has ended, as
    // the contract asks.
    check(unsafe {
        match pattern {
            Pattern::One(value) => sys::cuMemsetD8Async(to, value, count, stream),
            Pattern::Two(value) => sys::cuMemsetD16Async(to, value, count, stream),
            Pattern::Four(value) => sys::cuMemsetD32Async(to, value, count, stream),
        }
    })
}

/// The extents of a launch, in one dimension each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) blocks: u32,
    pub(super) threads: u32,
    pub(super) shared_bytes: u32,
}

/// Starts a kernel with one parameter, which is copied before this returns.
///
/// # Safety
/// The function's module and the stream live; `parameter` points to a value of the parameter's size and alignment that
/// makes the kernel sound to run.
pub(super) unsafe fn launch(
    function: RawFunction,
    grid: Grid,
    stream: RawStream,
    parameter: *const c_void,
) -> Outcome {
    let mut parameters = [parameter.cast_mut()];
    // SAFETY: the function's module and the stream live, and `parameter` points to a value of the kernel's parameter
    // type, as the contract asks; the driver reads it before it returns and does not write it.
    check(unsafe {
        sys::cuLaunchKernel(
            function,
            grid.blocks,
            1,
            1,
            grid.threads,
            1,
            1,
            grid.shared_bytes,
            stream,
            parameters.as_mut_ptr(),
            ptr::null_mut(),
        )
    })
}

/// Writes eight bytes of a device's memory, and waits for the write.
///
/// # Safety
/// They are allocated, aligned, and nothing else uses them now.
pub(super) unsafe fn write_word(to: Address, word: u64) -> Outcome {
    let from = ptr::from_ref(&word).expose_provenance() as Address;
    // SAFETY: eight aligned bytes are allocated at `to` and nothing else uses them now, as the contract asks; the word
    // is in pageable memory, which the driver has read when this returns.
    check(unsafe { sys::cuMemcpy(to, from, size_of::<u64>()) })?;
    // The write may still be in flight, and the kernels' streams do not wait for it.
    synchronize_all()
}
