//! Spelt's reducers, which join the contributions of many iterations to one result.
//!
//! A [`Reducer`] makes running values, joins them, and converts the last one to a result. It holds no memory and is
//! independent of execution spaces; the crates above run it.
//!
//! # The built-in reducers
//!
//! | Reducer | Running value | Identity | Ties | NaN | Exact |
//! |---|---|---|---|---|---|
//! | [`Sum`], [`Prod`] | `T` | 0, 1 | | propagates | integers (they wrap) |
//! | [`Min`], [`Max`] | `T` | largest, lowest (±∞) | earlier in the order of joins | ignored | yes |
//! | [`MinMax`] | [`MinMaxValue`] | both | as `Min` and `Max` | ignored | yes |
//! | [`MinLoc`] = [`MinFirstLoc`] | [`MinLocValue`] | largest at [`Location::MAX`] | smallest location | ignored | yes |
//! | [`MaxLoc`] = [`MaxFirstLoc`] | [`MaxLocValue`] | lowest at [`Location::MAX`] | smallest location | ignored | yes |
//! | [`MinMaxLoc`] | [`MinMaxLocValue`] | both | smallest location at both ends | ignored | yes |
//! | [`MinMaxFirstLastLoc`] | [`MinMaxFirstLastLocValue`] | largest at `MAX`, lowest at [`Location::MIN`] | smallest for the minimum, largest for the maximum | ignored | yes |
//! | [`FirstLoc`], [`LastLoc`] | [`FirstLocValue`], [`LastLocValue`] | `MAX`, `MIN`, not found | | | yes |
//! | [`Failures`] | [`FailuresValue`] | none | smallest location | | no |
//! | [`LAnd`], [`LOr`] | `T` | true, false | | | `bool` |
//! | [`BAnd`], [`BOr`] | `T` | all bits, no bits | | | yes |
//! | [`MinBy`], [`MaxBy`], [`MinMaxBy`] | `Option` of the value | `None` | earlier in the order of joins | as compared | no |
//! | [`MinLocBy`], [`MaxLocBy`], [`MinMaxLocBy`] | `Option` of value and location | `None` | smallest location | as compared | no |
//! | [`MinMaxFirstLastLocBy`] | `Option` of value and location | `None` | first and last | as compared | no |
//!
//! All of them treat `0.0` and `-0.0` as equal. "Exact" is [`Reducer::EXACT`]: regrouping the joins never changes a bit.
//!
//! # Composition
//!
//! | Goal | Means |
//! |---|---|
//! | several results from one pass | a tuple of reducers |
//! | one result for each element of `[T; N]` | [`Elementwise`] |
//! | one result for each of a number of columns known at run time | [`Columns`] |
//! | a user-defined reducer | an impl of [`Reducer`], or [`custom`] |
//! | another result at the end | [`Finish`] |
//! | joins in index order | [`InOrder`] |
//! | locations that are the indices of a mapped reduction | [`AtIndex`]: `MinLoc::at_index()` |
//! | user-defined elements or locations | [`SumElement`], [`ProdElement`], [`MinMaxElement`], [`BitElement`], [`LogicalElement`], [`Location`] |
//!
//! # Examples
//!
//! A kernel contributes to a running value; joins combine the running values. An example with two of them, by hand:
//!
//! ```
//! use spelt_reducers::{MinMaxLoc, Reducer};
//!
//! let reducer = MinMaxLoc::<f64>::new();
//! let (mut left, mut right) = (reducer.init(), reducer.init());
//! left.update(3.0, 0);
//! right.update(3.0, 1);
//! right.update(f64::NAN, 2);
//! reducer.join(&mut right, &left);
//! assert_eq!((right.min_loc, right.max_loc), (0, 0));
//! ```
//!
//! # Scope
//!
//! The crate has no loops, threads or devices. `spelt-order`, which builds on it, defines the order of the joins;
//! `spelt-access` declares that values may be in memory shared with a device. The crate contains no unsafe code, needs no
//! `std`, and allocates only in [`Columns`].
//!
//! Of Kokkos's reducers it omits `StdIsPartitioned` and `StdPartitionPoint`: [`FirstLoc`] of the opposite condition, alone or
//! in a pair with [`LastLoc`], gives the same results.
//!
//! In the reading order (examples, policies, reducers, order, access, views, dispatch, serial, threads, kernels-gpu, cuda) this
//! crate comes third. Within it, read `reducer.rs`, `sum.rs`, `order.rs`, `min_loc.rs`.
//!
//! # Features
//!
//! `serde`: the value types serialise. `half`, `num-complex`: the number types of these crates are elements. None is on by
//! default.
#![no_std]
#![forbid(unsafe_code)]
#![deny(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::alloc_instead_of_core)]

extern crate alloc;

mod adapt;
#[doc(hidden)]
pub mod at_index;
mod bitwise;
mod columns;
mod compare;
mod custom;
mod element;
mod elementwise;
mod failures;
mod first_last;
mod location;
mod logical;
mod min;
mod min_loc;
mod min_max_loc;
#[doc(hidden)]
pub mod of_contributions;
mod order;
mod reducer;
#[doc(hidden)]
pub mod sieve;
mod stateless;
mod sum;
mod tuple;

pub use adapt::{Finish, InOrder};
pub use at_index::{AtIndex, MapReducer};
pub use bitwise::{BAnd, BOr};
#[doc(hidden)]
pub use columns::ColumnsVisitor;
pub use columns::{Columns, ColumnsValue};
pub use compare::{MaxBy, MaxLocBy, MinBy, MinLocBy, MinMaxBy, MinMaxFirstLastLocBy, MinMaxLocBy};
pub use custom::{Custom, custom};
pub use element::{BitElement, LogicalElement, MinMaxElement, ProdElement, SumElement};
pub use elementwise::Elementwise;
pub use failures::{Failures, FailuresValue};
pub use first_last::{FirstLoc, FirstLocValue, LastLoc, LastLocValue};
pub use location::Location;
pub use logical::{LAnd, LOr};
pub use min::{Max, Min, MinMax, MinMaxValue};
pub use min_loc::{MaxFirstLoc, MaxLoc, MaxLocValue, MinFirstLoc, MinLoc, MinLocValue};
pub use min_max_loc::{MinMaxFirstLastLoc, MinMaxFirstLastLocValue, MinMaxLoc, MinMaxLocValue};
#[doc(hidden)]
pub use reducer::FloatSums;
pub use reducer::Reducer;
#[doc(hidden)]
pub use reducer::seal;
pub use sum::{Prod, Sum};
