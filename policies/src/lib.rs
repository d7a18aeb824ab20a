//! Spelt's execution policies: what is iterated.
//!
//! Reading order: [`RangePolicy`] and [`MdRangePolicy`] are ranges and boxes of indices, [`TeamPolicy`] a league of teams, in
//! which [`ThreadRange`] and its kin are loops; [`Schedule`] says how iterations go to threads.
//!
//! # What this crate does not do
//! It allocates nothing, starts no thread and touches no memory: it holds what host and device must both know.
//!
//! In the reading order (examples, policies, reducers, order, access, views, dispatch, serial, threads, kernels-gpu, cuda) this
//! crate comes second.
#![no_std]

mod extents;
mod md_range;
mod nested;
mod range;
mod schedule;
mod team;

pub use extents::checked_len;
pub use md_range::{Iterate, MdRangePolicy};
pub use nested::{IntoRange, TeamVectorRange, ThreadMdRange, ThreadRange, VectorRange};
pub use range::RangePolicy;
pub use schedule::{Dynamic, Schedule, Static};
pub use team::{AUTO, Scalar, TeamPolicy, TeamSize, Vector};
