//! The end of the program: the functions that are registered last run first.

use std::sync::Once;

/// Has `finish` called once when the program ends: by its return from `main`, or by `std::process::exit`.
///
/// Where the platform has no such call, it is never called.
pub(super) fn register(finish: fn()) {
    static REGISTERED: Once = Once::new();
    static FINISH: std::sync::OnceLock<fn()> = std::sync::OnceLock::new();

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    extern "C" fn at_exit() {
        if let Some(finish) = FINISH.get() {
            // Nothing may unwind into the C library.
            let _ = std::panic::catch_unwind(finish);
        }
    }

    REGISTERED.call_once(|| {
        let _ = FINISH.set(finish);
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        // SAFETY: `at_exit` is a function of the program, does not unwind, and may run at any time after this.
        let _ = unsafe { libc::atexit(at_exit) };
    });
}

/// Has `finish` called when the program ends, before all that is registered already; it may be called several times.
///
/// Where the platform has no such call, it is never called.
pub(super) fn register_again(finish: extern "C" fn()) {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    // SAFETY: `finish` is a function of the program that may run at any time after this; nothing unwinds out of an `extern "C"` function.
    let _ = unsafe { libc::atexit(finish) };
    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    let _ = finish;
}
