//! The kernels that Spelt itself launches on a GPU: fills, strided copies, transposing copies.
//!
//! `build.rs` compiles them to PTX with the compiler and the libLLVM of the toolchain in use, so that programs built by plain
//! cargo have them. [`CopyBox`] and [`FillBox`] choose among them; `spelt-core` launches them.
//!
//! | file | concept |
//! |---|---|
//! | `plan.rs` | [`CopyBox`], [`FillBox`]: a copy or fill as a few [`Launch`]es |
//! | `kernels/` | the kernels: parameters and bodies |
//! | `entries.rs` | their entries in the device code |
//! | `build.rs`, `build/` | their compilation to device code |
//!
//! # Scope
//! The crate plans launches but does not call the driver. It uses addresses and strides, not Views.
#![no_std]

#[cfg(spelt_device)]
mod entries;
#[doc(hidden)]
pub mod kernels;
#[cfg(not(spelt_device))]
mod plan;

#[cfg(not(spelt_device))]
pub use plan::{CopyBox, FillBox, Kind, Launch, Parameters};

/// The device code of the stock kernels, for any GPU from compute capability 7.0 up; empty where the build could not make
/// it, as a warning of the build says.
#[cfg(not(spelt_device))]
pub const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/spelt-stock.ptx"));

/// The compiler that made [`PTX`], or `none` and the reason.
#[cfg(not(spelt_device))]
pub const MADE_BY: &str = include_str!(concat!(env!("OUT_DIR"), "/made-by"));
