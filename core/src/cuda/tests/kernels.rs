//! Kernels for tests, each of which is its own parameters; their device code is written by hand: `kernels.ptx`.

use core::ffi::CStr;
use std::ffi::CString;
use std::sync::OnceLock;

use spelt_kernels_gpu::kernel::{Kernel, symbol};

macro_rules! kernels {
    ($($(#[$about:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {
        $(
            $(#[$about])*
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub(super) struct $name { $(pub(super) $field: $type),* }

            // SAFETY: nothing calls the body, which stands in for the one in `kernels.ptx`.
            unsafe impl Kernel for $name {
                type Params = Self;
                unsafe fn run(_params: &Self) {
                    unreachable!("the device has its own body");
                }
            }
        )*

        /// The device code, with the symbols that the entries have in this program.
        pub(in crate::cuda) fn device_code() -> &'static CStr {
            static CODE: OnceLock<CString> = OnceLock::new();
            CODE.get_or_init(|| {
                let mut code = include_str!("kernels.ptx").to_owned();
                $({
                    let name = crate::cuda::code::name_in_code(symbol::<$name>());
                    code = code.replace(concat!("{", stringify!($name), "}"), name.to_str().expect("ASCII"));
                })*
                CString::new(code).expect("text")
            })
        }
    };
}

kernels! {
    /// Adds `value` to each of `count` elements.
    Add { target: *mut u32, count: u64, value: u32 }
    /// Makes each of `count` elements of `target` three times that of `source`, plus 1.
    Follow { target: *mut u32, source: *const u32, count: u64 }
    /// Writes the sum of `data` to `total`: its parameters are far.
    Total { total: *mut u64, data: [u64; 1024] }
    /// Writes `bytes` at the end of dynamic shared memory, reads it from there, and writes it to `target`.
    Shared { target: *mut u32, bytes: u32 }
    /// Writes 1 to `target`.
    Store { target: *mut u32 }
    /// Writes 77 to `target`, leaves a record of `kind` with the two values, and traps.
    Fail { target: *mut u32, first: u64, second: u64, kind: u32 }
}
