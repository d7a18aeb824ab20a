//! Containers for kernels, on every execution space, with the same contents on each.
//!
//! | container | Kokkos | file |
//! |---|---|---|
//! | [`Csr`]: rows of different lengths | `StaticCrsGraph`, `Crs` | `csr/` |
//! | [`Bitset`]: one bit for each index | `Bitset` | `bitset/` |
//! | [`Mirrored`]: a View on the host and one on a device | `DualView` | `mirrored.rs` |
//! | [`UnorderedMap`]: values under integer keys | `UnorderedMap` | `map/` |
//!
//! Everything here uses the public interface of `spelt-core` and `spelt-algorithms`. A container is borrowed as a View is: `&` to read,
//! `&mut` to change, for one launch or for several.

mod bitset;
mod csr;
mod map;
mod mirrored;

pub use bitset::{Bitset, BitsetAccess, Resets, ResetsAccess, Sets, SetsAccess};
pub use csr::Csr;
pub use map::{FindAccess, InsertAccess, Inserts, MapKey, MapReducer, MapValue, UnorderedMap};
pub use mirrored::Mirrored;
