//! The algorithms, on every space, bit for bit against oracles that are shorter than they are.
//!
//! `spaces`, `equal` and `device` are the conformance tests' own: what every space is, and what "the same" means.

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
#[allow(dead_code)]
#[path = "../conformance/spaces.rs"]
mod spaces;
