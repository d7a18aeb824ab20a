//! Spelt's execution policies, index witnesses, layouts and the canonical order.
//!
//! Reading order: [`RangePolicy`], [`MdRangePolicy`], [`TeamPolicy`] and the nested ranges say *what* is
//! iterated; [`Idx`] is what an iteration gets; [`Layout`] says where an element lies; [`canonical`] says in
//! which order values join.
//!
//! # What this crate does not do
//! It allocates nothing, starts no thread and touches no memory: it holds what host and device must both know.
//!
//! In the reading order (examples, policies, reducers, views, dispatch, serial, threads, what kernels share with a device)
//! this crate comes second.
#![no_std]

pub mod canonical;
mod layout;
mod md_range;
mod nested;
mod range;
mod schedule;
mod team;
mod witness;

pub use layout::{Layout, Left, Right, Stride, checked_len};
pub use md_range::{Iterate, MdRangePolicy};
pub use nested::{IntoRange, TeamVectorRange, ThreadMdRange, ThreadRange, VectorRange};
pub use range::RangePolicy;
pub use schedule::{Dynamic, Schedule, Static};
pub use team::{AUTO, Scalar, TeamPolicy, TeamSize, Vector};
pub use witness::{FlatIdx, Idx, NestedIdx};
