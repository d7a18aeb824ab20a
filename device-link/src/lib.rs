//! LLVM bitcode of Rust crates in, PTX out, in one call: [`link`].
//!
//! The bitcode is that of `rustc --emit=llvm-bc -Cno-prepopulate-passes` for the host. Its functions that call the
//! marker `__spelt_entry` are kernels; functions that they reach are taken from the given crates and, on demand, from the
//! bitcode inside rlibs, std's included. LLVM is the toolchain's own shared library, opened at run time: building this
//! crate needs no LLVM, and running it needs no CUDA toolkit. LLVM trusts its input: on damaged bitcode it may crash, so
//! programs that must survive that call [`link`] in a separate process.
//!
//! | file | concept |
//! |---|---|
//! | `link.rs` | the steps, in order |
//! | `examine.rs`, `launches.rs` | the errors and warnings of a link, without code; finding launches on hosts |
//! | `entries.rs` | finding kernels |
//! | `label.rs`, `captures.rs` | from the host's side of a launch: its label, and the captures of its closure |
//! | `sources.rs`, `archive.rs`, `resolve.rs` | which file defines a function, and taking it from there |
//! | `panics.rs`, `math.rs`, `instructions.rs`, `rewrite.rs` | code that must differ on the device |
//! | `intrinsics.ll` | the functions `__spelt_*` on a device |
//! | `problems.rs`, `recursion.rs` | errors and warnings about code that a device cannot run, found after optimisation |
//! | `statics.rs` | variables that may have a separate object on a device |
//! | `check.rs` | whether LLVM can read a file |
//! | `graph.rs` | the functions that a kernel reaches |
//! | `place.rs`, `symbol.rs` | source lines and names for messages |
//! | `llvm/` | handles over LLVM's C interface |
//! | `toolchain.rs` | where libLLVM and the rlibs of std lie |
//!
//! # Examples
//! ```no_run
//! # fn main() -> Result<(), spelt_device_link::Error> {
//! use spelt_device_link::{Input, Options, Toolchain, link};
//! let toolchain = Toolchain::of("rustc")?;
//! let input = Input { crates: vec!["axpy.bc".into()], archives: toolchain.archives()? };
//! let output = link(&input, &Options::new(toolchain.open_llvm()?))?;
//! println!("{}", output.ptx);
//! # Ok(()) }
//! ```

#![expect(clippy::mutable_key_type, reason = "handles of LLVM's objects are compared and hashed by address")]

mod arch;
mod archive;
mod captures;
mod check;
mod diagnostic;
mod entries;
mod error;
mod examine;
mod graph;
mod instructions;
mod label;
mod launches;
mod link;
mod llvm;
mod math;
mod options;
mod panics;
mod place;
mod problems;
mod prune;
mod recursion;
mod resolve;
mod rewrite;
mod sources;
mod statics;
mod symbol;
mod toolchain;
mod unwritten;

pub use arch::Arch;
pub use check::check;
pub use diagnostic::{Diagnostic, Level};
pub use entries::has_kernels;
pub use error::Error;
pub use examine::{Examined, examine};
pub use link::link;
pub use llvm::Llvm;
pub use options::{Input, KernelInfo, Options, Output};
pub use toolchain::Toolchain;
