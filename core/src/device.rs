//! Whether this is device code.

use spelt_reducers::Reducer;

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

/// Whether this is compiled for the kernels in it alone: by the device pass of cargo-spelt, whose host code never runs.
///
/// Code of hosts that reaches no kernel is left out there, as a branch of this constant: it would be most of what the device pass makes.
/// The program's own code is still called once, by [`for_kernels_alone`], since it may launch kernels itself: closures, and all that
/// reducers and their values do.
pub(crate) const FOR_KERNELS_ALONE: bool = cfg!(spelt_device_pass);

/// Stands for a value that code of hosts would compute, where [`FOR_KERNELS_ALONE`]. The compiler must not see that there is none: it
/// would leave out the launches that follow.
#[cold]
#[inline(never)]
pub(crate) fn left_out<T>() -> T {
    panic!(
        "this code was compiled for devices only, by the device pass of cargo-spelt, and ran on the host: rebuild after `cargo clean`, and report it"
    );
}

/// Returns where [`FOR_KERNELS_ALONE`], so that the code behind is left out, after these calls of the program's code.
///
/// Each is in a branch of its own, since one that never returns would hide the others from the compiler.
macro_rules! for_kernels_alone {
    ($($call:expr),+) => {
        if $crate::device::FOR_KERNELS_ALONE {
            $(if $crate::device::left_out() {
                $call;
            })+
            return $crate::device::left_out();
        }
    };
}
pub(crate) use for_kernels_alone;

/// Calls all code of a reducer and its values that a reduction on a host reaches.
pub(crate) fn reach<R: Reducer>(reducer: &R) {
    if left_out() {
        drop(reducer.init());
    }
    if left_out() {
        reducer.join(left_out(), left_out());
    }
    if left_out() {
        drop(reducer.neutral());
    }
    if left_out() {
        reducer.is_neutral(left_out());
    }
    if left_out() {
        reducer.finish(left_out());
    }
}

/// As [`reach`], for a scan.
pub(crate) fn reach_scan<R: Reducer<Value: Clone>>(reducer: &R) {
    reach(reducer);
    if left_out() {
        drop(R::Value::clone(left_out()));
    }
}
