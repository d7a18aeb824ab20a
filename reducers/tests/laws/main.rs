//! The laws of the reducers, law by law: identities, joins, ties, NaN, and how reducers compose.
//!
//! "Equal" is bit-equal here, see `bits.rs`.

mod bits;
mod check;

mod all_values;
mod comparators;
mod compose;
mod elements;
mod identities;
mod inference;
mod joins;
mod nan;
mod of_contributions;
mod ties;
#[cfg(feature = "serde")]
mod values_serialise;
