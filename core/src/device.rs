//! Whether this is device code.

/// Whether this runs on a device: known to the device linker, which removes the code that only a host runs.
#[inline(always)]
pub(crate) fn on_device() -> bool {
    #[cfg(feature = "cuda")]
    return spelt_access::device::__spelt_on_device();
    #[cfg(not(feature = "cuda"))]
    false
}

/// Marks the code that follows as the host's: a device has neither allocation, locks nor text.
///
/// The device linker refuses functions that a device does not have where they can be reached.
///
/// # Safety
/// No device comes here.
#[inline(always)]
pub(crate) unsafe fn host_only() {
    if on_device() {
        // SAFETY: a device never comes here, as the caller promises.
        unsafe { core::hint::unreachable_unchecked() }
    }
}
