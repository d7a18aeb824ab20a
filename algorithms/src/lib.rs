//! Algorithms built from Spelt's patterns, on every execution space, with the same bits on each.
//!
//! Everything here uses the public interface of `spelt-core` only. Functions take the space first, then the Views that they
//! read, then those that they write; Views lie in the memory of the space.

mod axis;
mod propagating;
mod statistics;

pub use axis::{
    Accumulate, Real, all_axes, any_axes, arg_max_axes, arg_min_axes, max_axes, maximum_axes, mean_axes,
    min_axes, minimum_axes, norm_l1_axes, norm_l2_axes, norm_max_axes, norm_squared_axes, product_axes,
    reduce_axes, standard_deviation_axes, sum_axes, variance_axes,
};
pub use propagating::{Maximum, Minimum};
pub use statistics::{Moments, Welford};
