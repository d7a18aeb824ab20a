//! MPI opened when the program runs: no MPI, header or C compiler is needed to build.
//!
//! - [`launcher`]: whether a launcher of MPI started this process, by its environment.
//! - [`candidates`]: the files to try, in order.
//! - [`Library`]: an opened library, its binary interface ([`Abi`]) and its version.
//! - [`World`]: the ranks of an initialised library, with non-blocking messages of bytes.
//!
//! # Examples
//! ```
//! match spelt_mpi_library::Library::open_first(&spelt_mpi_library::candidates()) {
//!     Ok(library) => println!("{library}"),
//!     Err(reasons) => println!("{reasons}"),
//! }
//! ```

mod abi;
mod calls;
mod device_support;
mod failure;
mod launcher;
mod library;
mod memory_kinds;
mod ranks;
mod search;
mod world;

pub use abi::Abi;
pub use failure::Failure;
pub use launcher::{Launcher, launcher};
pub use library::Library;
pub use search::candidates;
pub use world::{Request, World};
