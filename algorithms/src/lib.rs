//! Algorithms built from Spelt's patterns, on every execution space, with the same bits on each.
//!
//! Everything here uses the public interface of `spelt-core` only. Functions take the space first, then the Views that they
//! read, then those that they write; Views lie in the memory of the space.
