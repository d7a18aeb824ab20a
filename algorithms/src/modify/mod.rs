//! Elements computed, replaced and moved one by one.
//!
//! | file | content |
//! |---|---|
//! | `transform`, `replace`, `adjacent_difference` | new values at the same places |
//! | `remove`, `reverse`, `rotate`, `shift`, `swap_ranges` | the same values at other places |

mod adjacent_difference;
mod remove;
mod replace;
mod reverse;
mod rotate;
mod shift;
mod swap_ranges;
mod transform;

pub use adjacent_difference::adjacent_difference;
pub use remove::{remove, remove_if};
pub use replace::{replace, replace_copy, replace_copy_if, replace_if};
pub use reverse::{reverse, reverse_copy};
pub use rotate::{rotate, rotate_copy};
pub use shift::{shift_left, shift_right};
pub use swap_ranges::swap_ranges;
pub use transform::{generate, transform, transform_binary, transform_in_place};
