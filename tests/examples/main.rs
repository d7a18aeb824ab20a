//! The examples, run as programs at small sizes on every space.
//!
//! `cargo test` builds them beside this test; with `--test examples` alone, build them first by `cargo build --examples`.
//!
//! | file | concept |
//! |---|---|
//! | `run.rs` | runs an example and keeps what it printed |
//! | `tutorials.rs` | each tutorial's results |
//! | `options.rs` | sizes, and what happens where an option is wrong |
//! | `numbers.rs` | numbers as C prints them |
//!
//! Another example gets a file here, named after it, that calls `run::on_each_space` or `run::run`.

mod numbers;
mod options;
mod run;
mod tutorials;
