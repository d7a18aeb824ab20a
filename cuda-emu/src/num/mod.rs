//! Numbers: small floating point formats, rounding modes and conversions.

mod bits;
mod conversion;
mod float;
mod rounding;

pub(crate) use bits::{bfe, bfi, bfind, dp2a, dp4a, fns, lop3, prmt};
pub(crate) use conversion::{CX_FTZ, CX_RELU, CX_SAT, CX_TF32, cvt, cvt_code, cvt_pack};
pub(crate) use float::{min32, min64, op_half, op32, op64};
pub(crate) use rounding::{bf16_to_f64, f16_to_f64};
