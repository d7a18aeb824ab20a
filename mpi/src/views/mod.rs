//! Views as messages: their type and extents are compared across the ranks.

#[cfg(all(test, feature = "cuda"))]
mod device_tests;
pub(crate) mod elements;
mod on_device;
mod points;
pub(crate) mod rows;
