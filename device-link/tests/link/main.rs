//! Small Rust texts, compiled and linked as programs are.

mod compile;
mod kernels;
mod language;
mod refusals;
mod run;
