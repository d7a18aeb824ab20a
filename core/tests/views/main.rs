//! Views: their promises, against oracles shorter than they are.

mod construct;
mod copy;
mod display;
mod element;
mod exchange;
mod index;
#[cfg(feature = "ndarray")]
mod ndarray;
mod npy;
mod offset;
mod oracle;
mod regroup;
#[cfg(feature = "serde")]
mod serde;
mod split;
mod subview;
