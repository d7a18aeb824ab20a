//! Spelt's reducers: how the contributions of many iterations become one result.
#![no_std]
#![forbid(unsafe_code)]

mod bitwise;
mod element;
mod location;
mod logical;
mod min;
mod min_loc;
mod min_max_loc;
mod order;
mod reducer;
mod stateless;
mod sum;

pub use bitwise::{BAnd, BOr};
pub use element::{BitElement, LogicalElement, MinMaxElement, ProdElement, SumElement};
pub use location::Location;
pub use logical::{LAnd, LOr};
pub use min::{Max, Min, MinMax, MinMaxValue};
pub use min_loc::{MaxFirstLoc, MaxLoc, MaxLocValue, MinFirstLoc, MinLoc, MinLocValue};
pub use min_max_loc::{MinMaxFirstLastLoc, MinMaxFirstLastLocValue, MinMaxLoc, MinMaxLocValue};
pub use reducer::Reducer;
pub use sum::{Prod, Sum};
