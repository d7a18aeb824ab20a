//! The ranks of a program on many machines, and collectives among them.
//!
//! - [`run`] and [`Communicator::init`]: the ranks that a launcher of MPI started, or a world of one.
//! - [`Communicator`]: the collectives, from point-to-point messages. Merges are made in the order of the ranks, so a merge that is
//!   associative to the last bit gives the same bits on any number of ranks.
//! - [`InProcess`]: ranks as threads of this process, with delays and deaths, for tests.
//!
//! MPI is opened when the program runs: nothing of it is needed to build. Environment variables:
//!
//! | variable | effect |
//! |---|---|
//! | `SPELT_MPI` | `off`: a world of one, without MPI; `on`: MPI also where no launcher is found |
//! | `SPELT_MPI_LIBRARY` | the file of the library, in place of the search |
//! | `SPELT_MPI_DEVICE_MEMORY` | `off`: messages from device memory are staged through the host even if the library accepts device memory |
//! | `SPELT_MPI_REPORT` | seconds after which a wait for another rank is reported to standard error, and again after twice the time; `off`: never; unset: 20 |
//! | `SPELT_MPI_TIMEOUT` | seconds after which a wait for another rank is an error; unset: no limit |
//!
//! # Examples
//! ```
//! use spelt_mpi::InProcess;
//! let sums = InProcess::new(3).run(|ranks| {
//!     let own = vec![ranks.rank() as u8 + 1];
//!     ranks.all_reduce("sum", own, |left, right| Ok(vec![left[0] + right[0]]))
//! });
//! for sum in sums {
//!     assert_eq!(sum?, [6]);
//! }
//! # Ok::<(), spelt_core::Error>(())
//! ```

mod alone;
mod buffers;
mod collectives;
mod communicator;
mod cores;
mod device_memory;
#[cfg(all(test, feature = "cuda"))]
mod device_transfers;
mod distributed;
mod files;
mod in_process;
mod init;
mod message;
mod mpi;
mod ongoing;
mod pieces;
mod plan;
mod points;
mod reduction;
mod scan;
mod schedules;
mod settings;
mod share;
mod transport;
mod views;
mod wait;
mod wire;

pub use communicator::{Communicator, Sent};
pub use distributed::{
    AllRows, AllRowsMut, Distributed, DistributedAccess, DistributedAlong, DistributedAlongAccess,
    DistributedHalo, DistributedHaloAccess, DistributedMutAccess, DistributedRows, DistributedRowsAccess,
    DistributedRowsMut, DistributedRowsMutAccess, DistributedView, DistributedWitness, HaloExchange,
    HalosUnderWay, Mpi, Partition, SomeRows,
};
pub use files::{CellField, Checkpoint, Grid, VtkElement};
pub use in_process::InProcess;
pub use init::{configuration, run};
pub use plan::{Back, Forward, Plan, PlannedViews};
pub use scan::Pass;
