//! Numbers: small floating point formats, rounding modes and conversions.

mod bits;
mod conversion;
mod float;
mod rounding;

pub(crate) use bits::*;
pub(crate) use conversion::*;
pub(crate) use float::*;
pub(crate) use rounding::*;

use crate::ir::*;
use crate::ptx::Ty;
