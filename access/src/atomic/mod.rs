//! Atomic access to the elements of a View.
//!
//! | element | how |
//! |---|---|
//! | without padding, of 1, 2, 4 or 8 bytes, and aligned as the processor's atomics are | natively |
//! | any other | under a lock of the [table](locks), chosen by address |
//!
//! Only the type decides between the two, so all accesses to one element agree.

mod access;
mod cell;
mod locks;
mod number;

pub use access::AtomicAccess;
pub(crate) use cell::try_update;
pub use number::{AtomicInteger, AtomicNumber};
