//! Error codes and their names.

use super::api::{OK, out};
use std::ffi::{CStr, c_char, c_int};

pub(super) const INVALID_VALUE: i32 = 1;
pub(super) const OUT_OF_MEMORY: i32 = 2;
pub(super) const NOT_INITIALIZED: i32 = 3;
pub(super) const INVALID_DEVICE: i32 = 101;
pub(super) const INVALID_CONTEXT: i32 = 201;
pub(super) const NO_BINARY_FOR_GPU: i32 = 209;
pub(super) const INVALID_PTX: i32 = 218;
pub(super) const NOT_READY: i32 = 600;
pub(super) const FILE_NOT_FOUND: i32 = 301;
pub(super) const INVALID_HANDLE: i32 = 400;
pub(super) const NOT_FOUND: i32 = 500;
pub(super) const ALREADY_REGISTERED: i32 = 712;
pub(super) const NOT_REGISTERED: i32 = 713;
pub(super) const LAUNCH_OUT_OF_RESOURCES: i32 = 701;
pub(super) const COOPERATIVE_LAUNCH_TOO_LARGE: i32 = 720;
pub(super) const NOT_SUPPORTED: i32 = 801;
pub(super) const UNKNOWN: i32 = 999;
pub(super) const ILLEGAL_ADDRESS: i32 = crate::exec::E_ILLEGAL_ADDRESS;

const ERRORS: &[(i32, &CStr, &CStr)] = &[
    (0, c"CUDA_SUCCESS", c"no error"),
    (1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (3, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
    (4, c"CUDA_ERROR_DEINITIALIZED", c"driver shutting down"),
    (100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    (101, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    (200, c"CUDA_ERROR_INVALID_IMAGE", c"device kernel image is invalid"),
    (201, c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
    (209, c"CUDA_ERROR_NO_BINARY_FOR_GPU", c"no kernel image is available for execution on the device"),
    (218, c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed"),
    (300, c"CUDA_ERROR_INVALID_SOURCE", c"device kernel image is invalid"),
    (301, c"CUDA_ERROR_FILE_NOT_FOUND", c"file not found"),
    (400, c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
    (500, c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
    (600, c"CUDA_ERROR_NOT_READY", c"device not ready"),
    (700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
    (701, c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch"),
    (702, c"CUDA_ERROR_LAUNCH_TIMEOUT", c"the launch timed out and was terminated"),
    (708, c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", c"cannot set while device is active in this process"),
    (709, c"CUDA_ERROR_CONTEXT_IS_DESTROYED", c"context is destroyed"),
    (710, c"CUDA_ERROR_ASSERT", c"device-side assert triggered"),
    (
        712,
        c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        c"part or all of the requested memory range is already mapped",
    ),
    (
        713,
        c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
        c"pointer does not correspond to a registered memory region",
    ),
    (714, c"CUDA_ERROR_HARDWARE_STACK_ERROR", c"hardware stack error"),
    (715, c"CUDA_ERROR_ILLEGAL_INSTRUCTION", c"an illegal instruction was encountered"),
    (716, c"CUDA_ERROR_MISALIGNED_ADDRESS", c"misaligned address"),
    (717, c"CUDA_ERROR_INVALID_ADDRESS_SPACE", c"operation not supported on global/shared address space"),
    (718, c"CUDA_ERROR_INVALID_PC", c"invalid program counter"),
    (719, c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
    (720, c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", c"too many blocks in cooperative launch"),
    (801, c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported"),
    (999, c"CUDA_ERROR_UNKNOWN", c"unknown error"),
];

pub(super) fn error_name(code: i32) -> Option<&'static str> {
    ERRORS.iter().find(|e| e.0 == code).and_then(|e| e.1.to_str().ok())
}

api! {
    cuGetErrorName [] (e: c_int, s: *mut *const c_char) {
        match ERRORS.iter().find(|x| x.0 == e) {
            Some(x) => { out(s, x.1.as_ptr())?; OK }
            None => { out(s, std::ptr::null())?; INVALID_VALUE }
        }
    }
    cuGetErrorString [] (e: c_int, s: *mut *const c_char) {
        match ERRORS.iter().find(|x| x.0 == e) {
            Some(x) => { out(s, x.2.as_ptr())?; OK }
            None => { out(s, std::ptr::null())?; INVALID_VALUE }
        }
    }
}
