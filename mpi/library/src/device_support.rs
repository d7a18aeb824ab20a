//! Whether a library takes the memory of CUDA devices in its calls.

use core::ffi::c_int;

use crate::calls::Symbols;

/// `MPIX_GPU_SUPPORT_CUDA` of MPICH 4 and later.
const CUDA: c_int = 0;

/// The functions by which libraries say so beside the standard's way ([`crate::memory_kinds`]): a library has both, one or neither.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeviceSupport {
    /// `MPIX_GPU_query_support`, of MPICH and its relatives: the kind of device, and the place of the answer.
    of_kind: Option<unsafe extern "C" fn(c_int, *mut c_int) -> c_int>,
    /// `MPIX_Query_cuda_support`, of Open MPI first.
    of_cuda: Option<unsafe extern "C" fn() -> c_int>,
}

impl DeviceSupport {
    pub(crate) fn of(symbols: &Symbols) -> Self {
        let (of_kind, of_cuda) =
            (symbols.address("MPIX_GPU_query_support"), symbols.address("MPIX_Query_cuda_support"));
        // SAFETY: the functions of these names have these signatures in all versions of MPICH and Open MPI that have them
        // (`mpi.h` and `mpi-ext.h`); the addresses are not null, and the library is never closed.
        unsafe {
            Self {
                of_kind: of_kind.ok().map(|address| {
                    core::mem::transmute::<
                        *mut core::ffi::c_void,
                        unsafe extern "C" fn(c_int, *mut c_int) -> c_int,
                    >(address)
                }),
                of_cuda: of_cuda.ok().map(|address| {
                    core::mem::transmute::<*mut core::ffi::c_void, unsafe extern "C" fn() -> c_int>(address)
                }),
            }
        }
    }

    /// The library's answer by these functions, `false` where it has neither.
    ///
    /// # Safety
    /// MPI is initialised.
    pub(crate) unsafe fn is_taken(self) -> bool {
        let mut answer = 0;
        if let Some(of_kind) = self.of_kind {
            // SAFETY: MPI is initialised, by this function's contract; the call writes one integer.
            if unsafe { of_kind(CUDA, &mut answer) } == 0 && answer != 0 {
                return true;
            }
        }
        // SAFETY: MPI is initialised, by this function's contract; the call has no arguments.
        self.of_cuda.is_some_and(|of_cuda| unsafe { of_cuda() } == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{CUDA, DeviceSupport};
    use core::ffi::c_int;

    unsafe extern "C" fn cuda_alone(kind: c_int, answer: *mut c_int) -> c_int {
        // SAFETY: the caller gives a place for the answer.
        unsafe { *answer = c_int::from(kind == CUDA) };
        0
    }
    unsafe extern "C" fn none(_: c_int, answer: *mut c_int) -> c_int {
        // SAFETY: the caller gives a place for the answer.
        unsafe { *answer = 0 };
        0
    }
    unsafe extern "C" fn fails(_: c_int, answer: *mut c_int) -> c_int {
        // SAFETY: the caller gives a place for the answer.
        unsafe { *answer = 1 };
        16
    }
    extern "C" fn yes() -> c_int {
        1
    }
    extern "C" fn no() -> c_int {
        0
    }

    #[test]
    fn either_function_may_say_so() {
        type OfKind = Option<unsafe extern "C" fn(c_int, *mut c_int) -> c_int>;
        type OfCuda = Option<unsafe extern "C" fn() -> c_int>;
        let cases: [(OfKind, OfCuda, bool); 8] = [
            (None, None, false),
            (Some(cuda_alone), None, true),
            (Some(none), None, false),
            (Some(fails), None, false),
            (None, Some(yes), true),
            (None, Some(no), false),
            (Some(none), Some(yes), true),
            (Some(cuda_alone), Some(no), true),
        ];
        for (case, (of_kind, of_cuda, expected)) in cases.into_iter().enumerate() {
            // SAFETY: these functions need no library.
            assert_eq!(unsafe { DeviceSupport { of_kind, of_cuda }.is_taken() }, expected, "case {case}");
        }
    }
}
