//! The wait for all devices, which tools need and spaces know.

use std::sync::OnceLock;

static FENCE: OnceLock<fn()> = OnceLock::new();

/// Names the function that waits for everything that runs on devices. The first one counts.
#[cfg(any(feature = "cuda", all(test, target_os = "linux", not(spelt_loom))))]
pub(crate) fn fence_devices_by(fence: fn()) {
    let _ = FENCE.set(fence);
}

/// Waits for all devices if one of them may fill memory of this name.
pub(super) fn fence_devices_of(memory: &str) {
    if memory != "HostSpace" {
        fence_devices();
    }
}

/// Waits for all devices. Launches on host spaces have finished when they return.
pub(super) fn fence_devices() {
    if let Some(fence) = FENCE.get() {
        fence();
    }
}
