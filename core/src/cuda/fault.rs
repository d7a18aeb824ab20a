//! Error codes of the CUDA driver: their meaning for Spelt, and their messages.

use core::fmt;

use cudarc::driver::result::DriverError;
use cudarc::driver::sys::CUresult;

/// An error code of the driver.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault(pub(super) CUresult);

impl Fault {
    /// No memory of the kind asked for.
    pub(super) fn out_of_memory(self) -> bool {
        self.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY
    }

    /// A name that the module does not have.
    pub(super) fn not_found(self) -> bool {
        self.0 == CUresult::CUDA_ERROR_NOT_FOUND
    }

    /// PTX that is too new for the driver.
    pub(super) fn too_new(self) -> bool {
        self.0 == CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
    }

    /// Code for other devices than this one.
    pub(super) fn other_device(self) -> bool {
        self.0 == CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
    }

    /// A launch that needs more registers, threads or shared memory than the device has.
    pub(super) fn too_large(self) -> bool {
        matches!(self.0, CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES | CUresult::CUDA_ERROR_INVALID_VALUE)
    }

    /// The kernel's error, if the code means one. The context is broken afterwards.
    pub(super) fn of_kernel(self) -> Option<&'static str> {
        Some(match self.0 {
            CUresult::CUDA_ERROR_ILLEGAL_ADDRESS => "it touched memory that is not allocated",
            CUresult::CUDA_ERROR_MISALIGNED_ADDRESS => {
                "it touched memory at an address that its type does not allow"
            }
            CUresult::CUDA_ERROR_LAUNCH_TIMEOUT => "it ran for longer than the system allows, or hung",
            CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR => "its stack overflowed: is there a deep recursion?",
            CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION | CUresult::CUDA_ERROR_ASSERT => "it stopped itself",
            CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE => "it touched memory of another kind than it said",
            CUresult::CUDA_ERROR_INVALID_PC => "it jumped to an address without code",
            CUresult::CUDA_ERROR_LAUNCH_FAILED => "it failed for a reason that the driver does not say",
            _ => return None,
        })
    }

    /// Whether something else destroyed the context, or Spelt's objects in it: Spelt's own handles are valid while it holds them.
    pub(super) fn context_gone(self) -> bool {
        matches!(
            self.0,
            CUresult::CUDA_ERROR_INVALID_HANDLE
                | CUresult::CUDA_ERROR_INVALID_CONTEXT
                | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
        )
    }

    /// Whether nothing works in the context any more.
    pub(super) fn lasts(self) -> bool {
        self.of_kernel().is_some()
            || self.context_gone()
            || matches!(
                self.0,
                CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
                    | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
                    | CUresult::CUDA_ERROR_UNKNOWN
            )
    }

    /// The usual cause and the remedy, unless the driver's message has them or a caller knows more.
    fn advice(self) -> Option<&'static str> {
        if self.context_gone() {
            return Some(
                "another part of the program has reset the device or destroyed its context or what is in it \
                 (cudaDeviceReset, cuDevicePrimaryCtxReset): do that when Spelt's Views and spaces on the device are gone. \
                 Once they are, `Cuda::new` opens the device again",
            );
        }
        Some(match self.0 {
            CUresult::CUDA_ERROR_NOT_INITIALIZED | CUresult::CUDA_ERROR_DEINITIALIZED => {
                "this process is a fork of the one that started the driver, or is ending: use the device in the process \
                 that used it first, or fork before that"
            }
            CUresult::CUDA_ERROR_NO_DEVICE => {
                "the driver sees no GPU: look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES"
            }
            CUresult::CUDA_ERROR_STUB_LIBRARY => {
                "the toolkit's stub of libcuda was loaded in place of the driver: take its folder `stubs` out of \
                 LD_LIBRARY_PATH"
            }
            CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE => {
                "another process has the device to itself, or it is in a mode that allows none: look at `nvidia-smi`"
            }
            CUresult::CUDA_ERROR_DEVICE_NOT_LICENSED => {
                "the virtual GPU has no licence: ask who runs the machine"
            }
            CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
                "the driver's library and its kernel module are of different versions: restart the machine, or update both"
            }
            CUresult::CUDA_ERROR_SYSTEM_NOT_READY => {
                "a service that the GPUs need does not run, such as nvidia-fabricmanager: ask who runs the machine"
            }
            CUresult::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => {
                "the libraries of forward compatibility do not serve this GPU: take them out of LD_LIBRARY_PATH"
            }
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                "drop Views that are no longer needed, or use smaller ones; other processes have a share, too"
            }
            CUresult::CUDA_ERROR_OPERATING_SYSTEM => {
                "the operating system refused: are there limits on locked memory or on threads (`ulimit -a`)?"
            }
            CUresult::CUDA_ERROR_NOT_SUPPORTED => {
                "this device or driver cannot do it: use a newer driver, or another space"
            }
            CUresult::CUDA_ERROR_NOT_PERMITTED => {
                "it is not allowed now, as while a stream is captured by another library: do it before or after that"
            }
            CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
            | CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT => {
                "another library captures the work of this thread in a graph: launch before or after that"
            }
            CUresult::CUDA_ERROR_ECC_UNCORRECTABLE => {
                "the GPU's memory has failed: `nvidia-smi -q -d ECC` says more. Restart the program, and the machine if it recurs"
            }
            CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE => {
                "the link between GPUs has failed: `nvidia-smi nvlink -e` says more. Restart the machine if it recurs"
            }
            CUresult::CUDA_ERROR_UNKNOWN => {
                "the system's log (`dmesg`, lines with Xid) may say more. Restart the program, and the machine if it recurs"
            }
            _ => return None,
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = DriverError(self.0);
        match (error.error_string(), error.error_name()) {
            (Ok(text), Ok(name)) => write!(f, "{} ({})", text.to_string_lossy(), name.to_string_lossy())?,
            _ => write!(f, "error {} of the driver", self.0 as u32)?,
        }
        self.advice().map_or(Ok(()), |advice| write!(f, ": {advice}"))
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
