//! Views as messages: their type and extents are compared across the ranks.

pub(crate) mod elements;
mod points;
pub(crate) mod rows;
