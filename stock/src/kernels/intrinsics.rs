//! The intrinsics of `spelt-kernels-gpu` that the stock kernels use: the device linker defines them.
//!
//! They are declared and not imported, so that `build.rs` compiles this crate alone.

unsafe extern "C" {
    pub(super) safe fn __spelt_thread() -> u32;
    pub(super) safe fn __spelt_block() -> u32;
    pub(super) safe fn __spelt_barrier();
    pub(super) safe fn __spelt_shared() -> *mut u8;
}
