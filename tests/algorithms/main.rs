//! The algorithms, on every space, bit for bit against oracles that are shorter than they are.
//!
//! `spaces`, `equal` and `device` are the conformance tests' own: what every space is, and what "the same" means.

mod block_sparse;
mod cluster;
mod axis;
#[cfg(feature = "cuda")]
#[path = "../conformance/device.rs"]
mod device;
#[allow(dead_code)]
#[path = "../conformance/equal.rs"]
mod equal;
#[allow(dead_code)]
#[path = "../conformance/oracle.rs"]
mod oracle;
mod reduce;
mod scan;
mod segmented;
mod pairs;
#[allow(dead_code)]
#[path = "../conformance/spaces.rs"]
mod spaces;

mod by_key;
mod histogram;
mod select;
mod search;
mod sort;
