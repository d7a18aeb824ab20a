//! Spelt's execution policies: iteration spaces and their settings.
//!
//! Reading order: [`RangePolicy`] and [`MdRangePolicy`] are ranges and boxes of indices, [`SignedPolicy`] the same with
//! indices that may be negative, [`TeamPolicy`] a league of teams, in which [`ThreadRange`] and the like are loops;
//! [`Schedule`] is the distribution of iterations over threads.
//!
//! # Scope
//! The crate does not allocate, start threads or access memory: it has the definitions that host and device share.
//!
//! In the reading order (examples, policies, reducers, order, access, views, dispatch, serial, threads, kernels-gpu, cuda) this
//! crate comes second.
#![no_std]

mod extents;
mod md_range;
mod nested;
mod range;
mod schedule;
mod signed;
mod team;

pub use extents::checked_len;
pub use md_range::{Iterate, MdRangePolicy};
pub use nested::{IntoRange, TeamVectorRange, ThreadMdRange, ThreadRange, VectorRange};
pub use range::RangePolicy;
pub use schedule::{Dynamic, Schedule, Static};
pub use signed::SignedPolicy;
pub use team::{AUTO, Scalar, TeamPolicy, TeamSize, Vector};
