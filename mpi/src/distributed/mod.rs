//! Views and launches that are divided among ranks.
//!
//! | file | content |
//! |---|---|
//! | `world` | [`Mpi`]: the ranks with their local spaces; makes policies and Views |
//! | `partition` | [`Partition`]: the rows of each rank |
//! | `view`, `storage` | [`DistributedView`], and the rows that a rank holds: its own, and copies of its neighbours' |
//! | `policy` | [`Distributed`]: a policy over all ranks |
//! | `arguments`, `access`, `halo_access`, `rows_access` | distributed Views as arguments of kernels |
//! | `launch`, `again` | one launch: its checks, the rows that it fetches, its local launches |
//! | `exchange` | which rows come from which rank, and their messages |
//! | `patterns` | the patterns over all ranks |
//! | `files` | plans and files of distributed Views |

mod access;
mod again;
mod arguments;
mod exchange;
mod files;
mod halo_access;
mod launch;
mod partition;
mod patterns;
mod policy;
mod rows_access;
mod staging;
mod storage;
mod view;
mod world;

pub use access::{
    AllRows, DistributedAccess, DistributedAlongAccess, DistributedMutAccess, DistributedWitness,
};
pub use arguments::{DistributedAlong, DistributedHalo, DistributedRows, DistributedRowsMut};
pub use halo_access::DistributedHaloAccess;
pub use partition::Partition;
pub use policy::Distributed;
pub use rows_access::{DistributedRowsAccess, DistributedRowsMutAccess};
pub use view::DistributedView;
pub use world::Mpi;
