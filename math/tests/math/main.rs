//! Accuracy against exact values, special values and properties of every function.
//!
//! `cargo test -p spelt-math -- --nocapture accuracy` prints the table of `docs/math.md`.

mod accuracy;
mod functions;
mod properties;
mod special;
