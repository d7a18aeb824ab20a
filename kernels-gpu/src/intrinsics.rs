//! Device operations that Rust cannot express.
//!
//! The device linker knows these functions by name and replaces their bodies by instructions of the device. The bodies here are
//! for the host, where nothing may call them: they panic, which in an `extern "C"` function ends the program. Their types return,
//! so that the compiler does not regard code after a call as unreachable. They are never inlined, so that the names survive.
//!
//! Threads are numbered in one dimension, as are blocks. A warp is 32 threads with consecutive numbers.
//!
//! Functions that threads must call together, and those that only an entry may call, are private to this crate.
//!
//! Compilers must neither duplicate, merge nor move the calls that threads make together (barriers, shuffles, ballots):
//! the device linker marks them convergent.

use core::hint::black_box;
use core::mem::MaybeUninit;

use spelt_access::device::on_device_only;
pub use spelt_access::device::{__spelt_active_lanes, __spelt_on_device, __spelt_thread, WARP};

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $visible:vis $name:ident($($parameter:ident: $type:ty),*) $(-> $output:ty = $value:expr)?;)*) => {$(
        $(#[$doc])*
        // SAFETY: the prefix `__spelt_` makes the name unique.
        #[unsafe(no_mangle)]
        #[inline(never)]
        $visible extern "C" fn $name($($parameter: $type),*) $(-> $output)? {
            $(black_box($parameter);)*
            on_device_only(($($value)?))
        }
    )*};
}

intrinsics! {
    /// Marks the function that calls it as a kernel entry with one parameter by reference, of this size and alignment.
    pub(crate) __spelt_entry(params_bytes: usize, params_align: usize);
    /// Keeps the number of the running launch for failure records.
    pub(crate) __spelt_launch_number(number: u32);
    /// The number of the running launch, recorded by the entry.
    pub __spelt_launch() -> u32 = 0;
    /// The number of this block in the grid.
    pub __spelt_block() -> u32 = 0;
    /// The number of threads of a block.
    pub __spelt_block_threads() -> u32 = 0;
    /// The number of blocks of the grid.
    pub __spelt_grid_blocks() -> u32 = 0;
    /// Waits until all threads of the block that have not ended are here; their earlier writes are visible afterwards.
    pub(crate) __spelt_barrier();
    /// Waits until the threads of the warp in `mask` are here; their earlier writes are visible afterwards.
    pub(crate) __spelt_warp_barrier(mask: u32);
    /// The `value` of the thread `lane` of the warp; all threads of `mask` call it together.
    pub(crate) __spelt_shuffle(mask: u32, value: MaybeUninit<u32>, lane: u32) -> MaybeUninit<u32> = MaybeUninit::new(0);
    /// The `value` of the thread `delta` after this one, or this thread's own if that is beyond the warp.
    pub(crate) __spelt_shuffle_down(mask: u32, value: MaybeUninit<u32>, delta: u32) -> MaybeUninit<u32> = MaybeUninit::new(0);
    /// The `value` of the thread `delta` before this one, or this thread's own if that is before the warp.
    pub(crate) __spelt_shuffle_up(mask: u32, value: MaybeUninit<u32>, delta: u32) -> MaybeUninit<u32> = MaybeUninit::new(0);
    /// The threads of `mask`, one bit each, that agree with this one on whether their `number` is 0; all of them call it together.
    pub(crate) __spelt_alike(mask: u32, number: u32) -> u32 = 0;
    /// The same `number`, hidden from the compiler, which computes what follows from it behind this call, and not before a loop around it.
    pub(crate) __spelt_here(number: u32) -> u32 = 0;
    /// The first byte of the block's dynamic shared memory, aligned to 16 bytes.
    pub __spelt_shared() -> *mut u8 = core::ptr::null_mut();
    /// Orders this thread's memory accesses before the fence against those after it, for the whole device.
    pub __spelt_fence();
    /// [`__spelt_fence`] for the host too.
    pub __spelt_fence_system();
    /// The address of the [`FailureRecord`](crate::failure::FailureRecord), or null.
    pub __spelt_failure_record() -> *mut u8 = core::ptr::null_mut();
    /// Ends the launch with an error.
    pub(crate) __spelt_trap();
}
