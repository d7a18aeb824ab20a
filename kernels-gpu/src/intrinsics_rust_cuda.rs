//! The intrinsics as rust-cuda has them: in place of `intrinsics.rs` with the feature `rust-cuda`.
//!
//! The crate `cuda_std` 0.2 belongs to a compiler of 2021, so this file is written in the Rust of that time, and the stock
//! kernels for rust-cuda include it unchanged. `docs/rust-cuda.md` has the toolchain.
//!
//! | `cuda_std` 0.2 | here |
//! |---|---|
//! | indices, barriers, dynamic shared memory, fences | the same |
//! | shuffles, ballot | none: [`LACKING`] names them, and they do not exist where rust-cuda compiles |
//! | no launch numbers, no failure records | 0 and null: a failing kernel ends its launch without saying where |
//!
//! On the host these functions panic, like those of `intrinsics.rs`, and the device linker replaces them in the same way.

#[cfg(not(target_os = "cuda"))]
use core::mem::MaybeUninit;

use cuda_std::{shared, thread, warp};

/// The threads of a warp.
pub const WARP: u32 = 32;

/// The intrinsics for which `cuda_std` has nothing.
pub const LACKING: [&str; 5] = [
    "__spelt_shuffle",
    "__spelt_shuffle_down",
    "__spelt_shuffle_up",
    "__spelt_alike",
    "__spelt_active_lanes",
];

// The compiler of 2021 does not know `unsafe(no_mangle)`, and sees it only in code that it discards.
#[cfg(not(target_os = "cuda"))]
macro_rules! intrinsics {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $type:ty),*) $(-> $output:ty)? = $body:expr;)*) => {$(
        $(#[$doc])*
        // SAFETY: the prefix `__spelt_` makes the name unique.
        #[unsafe(no_mangle)]
        #[inline(never)]
        pub extern "C" fn $name($($parameter: $type),*) $(-> $output)? {
            $body
        }
    )*};
}
#[cfg(target_os = "cuda")]
macro_rules! intrinsics {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $type:ty),*) $(-> $output:ty)? = $body:expr;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name($($parameter: $type),*) $(-> $output)? {
            $body
        }
    )*};
}

intrinsics! {
    /// Nothing: rust-cuda marks entries by its attribute `kernel`.
    __spelt_entry(_params_bytes: usize, _params_align: usize) = ();
    /// Nothing: there are no failure records.
    __spelt_launch_number(_number: u32) = ();
    /// Always 0: there are no failure records.
    __spelt_launch() -> u32 = 0;
    /// The number of this block in the grid.
    __spelt_block() -> u32 = thread::block_idx_x();
    /// The number of threads of a block.
    __spelt_block_threads() -> u32 = thread::block_dim_x();
    /// The number of blocks of the grid.
    __spelt_grid_blocks() -> u32 = thread::grid_dim_x();
    /// Waits until all threads of the block are here; their earlier writes are visible afterwards.
    __spelt_barrier() = thread::sync_threads();
    /// Waits until the threads of the warp in `mask` are here; their earlier writes are visible afterwards.
    // SAFETY: kernels call it with exactly the threads of `mask`, none of which has ended.
    __spelt_warp_barrier(mask: u32) = unsafe { warp::sync_warp(mask) };
    /// The same `number`: rust-cuda has nothing that a compiler does not look through.
    __spelt_here(number: u32) -> u32 = number;
    /// The first byte of the block's dynamic shared memory, aligned to 16 bytes.
    __spelt_shared() -> *mut u8 = shared::dynamic_shared_mem::<u8>();
    /// Orders this thread's memory accesses before the fence against those after it, for the whole device.
    __spelt_fence() = thread::device_fence();
    /// [`__spelt_fence`] for the host too.
    __spelt_fence_system() = thread::system_fence();
    /// Always null: there are no failure records.
    __spelt_failure_record() -> *mut u8 = core::ptr::null_mut();
    /// Ends the launch with an error, as rust-cuda does for every panic.
    __spelt_trap() = trap();
}

// On the host they are `spelt-access`'s, which needs them itself.
#[cfg(not(target_os = "cuda"))]
pub use spelt_access::device::{__spelt_active_lanes, __spelt_on_device, __spelt_thread};
#[cfg(target_os = "cuda")]
intrinsics! {
    /// Whether this is a device.
    __spelt_on_device() -> bool = true;
    /// The number of this thread in its block.
    __spelt_thread() -> u32 = thread::thread_idx_x();
}

// They exist only for the host and the device linker, so that every kernel type-checks.
#[cfg(not(target_os = "cuda"))]
intrinsics! {
    /// The `value` of the thread `lane` of the warp; all threads of `mask` call it together.
    __spelt_shuffle(_mask: u32, _value: MaybeUninit<u32>, _lane: u32) -> MaybeUninit<u32> = lacking();
    /// The `value` of the thread `delta` after this one, or this thread's own if that is beyond the warp.
    __spelt_shuffle_down(_mask: u32, _value: MaybeUninit<u32>, _delta: u32) -> MaybeUninit<u32> = lacking();
    /// The `value` of the thread `delta` before this one, or this thread's own if that is before the warp.
    __spelt_shuffle_up(_mask: u32, _value: MaybeUninit<u32>, _delta: u32) -> MaybeUninit<u32> = lacking();
    /// The threads of `mask`, one bit each, that agree with this one on whether their `number` is 0; all of them call it together.
    __spelt_alike(_mask: u32, _number: u32) -> u32 = lacking();
}

#[cold]
#[inline(never)]
fn trap() {
    panic!("this function runs on a device only");
}

#[cfg(not(target_os = "cuda"))]
#[cold]
#[inline(never)]
fn lacking<T>() -> T {
    panic!("cuda_std 0.2 has no such function, and this is not a device");
}
