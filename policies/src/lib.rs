//! Spelt's execution policies, index witnesses, layouts and the canonical order.
#![no_std]

mod layout;

pub use layout::{Layout, Left, Right, Stride, checked_len};
