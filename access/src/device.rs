//! Facts about the device that an access may run on.
//!
//! The device linker knows these functions by name and replaces their bodies by instructions of the device;
//! `spelt-kernels-gpu` has all others, and explains how such functions are written.

use core::hint::black_box;

/// The threads of a warp.
pub const WARP: u32 = 32;

/// Whether this is a device. The device linker makes it the constant `true`, which removes the host's code.
///
/// Unlike the others it may be called on the host.
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __spelt_on_device() -> bool {
    black_box(false)
}

/// The number of this thread in its block.
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __spelt_thread() -> u32 {
    on_device_only(0)
}

/// The threads of the warp that are here now, one bit each: this one, and perhaps others.
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __spelt_active_lanes() -> u32 {
    on_device_only(0)
}

/// The same pointer, to memory that nothing writes while the kernel runs: loads through it may be moved in front of any store.
///
/// The device linker has the effect of it in `unwritten.rs`.
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __spelt_unwritten(pointer: *mut u8) -> *mut u8 {
    on_device_only(pointer)
}

/// Returns `value`, unknown to the optimiser: it does not see that a caller of an intrinsic never returns.
#[doc(hidden)]
#[cold]
#[inline(never)]
pub fn on_device_only<T>(value: T) -> T {
    if black_box(true) {
        panic!("this function runs on a device only");
    }
    black_box(value)
}
