//! Whether this is device code.

/// Whether this build may contain device code: a constant, to be tested in a `const` block in front of [`on_device`]. Without optimisation, the
/// compiler leaves out only what such a block excludes.
pub(crate) const HAS_DEVICES: bool = cfg!(feature = "cuda");

/// Whether this runs on a device: a constant for the device linker, which removes the code that only a host runs.
#[inline(always)]
pub(crate) fn on_device() -> bool {
    #[cfg(feature = "cuda")]
    return spelt_access::device::__spelt_on_device();
    #[cfg(not(feature = "cuda"))]
    false
}

/// Marks the following code as the host's: a device has no allocation, locks or formatting.
///
/// The device linker refuses functions that a device does not have, if they can be reached.
///
/// # Safety
/// No device reaches this call.
#[inline(always)]
pub(crate) unsafe fn host_only() {
    if const { HAS_DEVICES } && on_device() {
        // SAFETY: by the contract, a device never runs this code.
        unsafe { core::hint::unreachable_unchecked() }
    }
}
