//! Containers for kernels, on every execution space, with the same contents on each.
//!
//! | container | Kokkos | file |
//! |---|---|---|
//! | [`Csr`]: rows of different lengths | `StaticCrsGraph`, `Crs` | `csr/` |
//!
//! Everything here uses the public interface of `spelt-core` and `spelt-algorithms`. A container is borrowed as a View is: `&` to read,
//! `&mut` to change, for one launch or for several.

mod csr;

pub use csr::Csr;
