//! Reducers of algorithms, in addition to those of `spelt_core::reducers`.

mod checked_sum;
mod k_min;
mod log_sum_exp;
mod no_data;
mod propagating;
mod welford;

pub use checked_sum::{CheckedElement, CheckedSum};
pub use k_min::{ArgKMin, KMin, KMinLoc, KMinValue};
pub use log_sum_exp::{LogSumExp, LogSumExpValue, SoftmaxMean, SoftmaxMeanValue};
pub use propagating::{Maximum, Minimum};
pub use welford::{Moments, Welford};
