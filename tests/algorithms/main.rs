//! The algorithms, on every space, bit for bit against oracles that are shorter than they are.
//!
//! `spaces`, `equal`, `oracle` and `device` are from the conformance tests: the list of spaces, the meaning of "the same", and the
//! canonical order as it is promised.
#![allow(clippy::single_range_in_vec_init, reason = "ranges of blocks: there may be only one")]

#[cfg(feature = "cuda")]
#[path = "../conformance/device.rs"]
mod device;
#[allow(dead_code)]
#[path = "../conformance/equal.rs"]
mod equal;
#[allow(dead_code)]
#[path = "../conformance/oracle.rs"]
mod oracle;
#[allow(dead_code)]
#[path = "../conformance/spaces.rs"]
mod spaces;

mod axis;
mod axis_named;
mod bad_input;
mod block_sparse;
mod by_key;
mod cluster;
mod find;
// On the host only: kernels of a device cannot count.
#[cfg(not(feature = "cuda"))]
mod find_work;
mod histogram;
// On the host only: their subject does not concern the device.
#[cfg(not(feature = "cuda"))]
mod large;
mod modify;
mod pairs;
mod reduce;
mod reducers;
// On the host only: their subject does not concern the device.
#[cfg(not(feature = "cuda"))]
mod regions;
mod scan;
mod search;
mod segmented;
mod segmented_scan;
mod select;
mod sort;
mod team;
// Also on the host only: kernels of a device cannot count.
#[cfg(not(feature = "cuda"))]
mod work;
