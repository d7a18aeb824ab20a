//! The device that the tests run on.

use std::sync::OnceLock;

use spelt::Cuda;

/// A space on the first device, or nothing where plain cargo has built this program: then no closure can run there.
///
/// # Panics
/// If there is device code but no device: tests built for one must not pass without it.
pub(crate) fn space() -> Option<Cuda> {
    /// It stays, and with it the device code that is loaded: that takes longer than most tests.
    static FIRST: OnceLock<Cuda> = OnceLock::new();
    let open = || {
        Cuda::new(0)
            .unwrap_or_else(|error| panic!("these tests were built for a device, but there is none: {error}"))
    };
    Cuda::has_device_code().then(|| {
        FIRST.get_or_init(open);
        open()
    })
}
