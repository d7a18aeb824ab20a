//! How a function of the API is written.

use super::error::{INVALID_VALUE, NOT_SUPPORTED, UNKNOWN};
use std::ffi::{CStr, c_char, c_void};

/// A handle of `cuda.h`: a number that only this library can read.
pub(super) type Handle = *mut c_void;

/// The status of a call that succeeded.
pub(super) const OK: i32 = 0;

/// Runs the body of a function; a panic becomes an error, as the caller is not Rust.
pub(super) fn run(f: impl FnOnce() -> Result<i32, i32>) -> i32 {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)) {
        Ok(Ok(v)) | Ok(Err(v)) => v,
        Err(_) => UNKNOWN,
    }
}

/// Defines functions of the API. Names in brackets are further names of the same function.
macro_rules! api {
    (@fn $name:ident ($($a:ident: $t:ty),* $(,)?) $b:block) => {
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "names and arguments are those of cuda.h")]
        pub(crate) unsafe extern "C" fn $name($($a: $t),*) -> i32 {
            #[allow(unused_unsafe, reason = "not each function of the API has a pointer")]
            // SAFETY: the caller gives pointers as the documentation of the CUDA driver asks for.
            crate::driver::api::run(move || unsafe { Ok($b) })
        }
    };
    (@alias $name:ident $alias:ident ($($a:ident: $t:ty),* $(,)?)) => {
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "names and arguments are those of cuda.h")]
        pub(crate) unsafe extern "C" fn $alias($($a: $t),*) -> i32 {
            // SAFETY: the conditions of both names are the same.
            unsafe { $name($($a),*) }
        }
    };
    ($($name:ident [$($alias:ident)*] $args:tt $b:block)*) => {
        $(
            api!(@fn $name $args $b);
            $(api!(@alias $name $alias $args);)*
        )*
    };
}

/// Defines functions that exist but do nothing of use.
macro_rules! stubs {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, reason = "the name is that of cuda.h")]
            pub(crate) extern "C" fn $name() -> i32 {
                crate::driver::api::unsupported(stringify!($name))
            }
        )*
    };
}

pub(super) fn unsupported(name: &str) -> i32 {
    eprintln!("cuda-emu: {name} is not supported");
    NOT_SUPPORTED
}

/// Gives a value back through a pointer.
///
/// # Safety
/// A pointer that is not null must be valid for a write.
pub(super) unsafe fn out<T>(p: *mut T, v: T) -> Result<(), i32> {
    if p.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: by this function's contract, a pointer that is not null is valid for a write.
    unsafe { p.write(v) };
    Ok(())
}

pub(super) fn h(v: u64) -> Handle {
    v as Handle
}

/// A string from the program.
///
/// # Safety
/// A pointer that is not null must point to a C string.
pub(super) unsafe fn text<'a>(p: *const c_char) -> Result<&'a str, i32> {
    if p.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: by this function's contract, a pointer that is not null points to a C string.
    unsafe { CStr::from_ptr(p) }.to_str().map_err(|_| INVALID_VALUE)
}
