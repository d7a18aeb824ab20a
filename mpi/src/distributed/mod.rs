//! Views and launches that are divided among ranks.
//!
//! | file | content |
//! |---|---|
//! | `world` | [`Mpi`]: the ranks with their local spaces; makes policies and Views |
//! | `partition` | [`Partition`]: the rows of each rank |
//! | `view`, `storage` | [`DistributedView`], and the rows that a rank holds: its own, and copies of its neighbours' |
//! | `policy` | [`Distributed`]: a policy over all ranks |
//! | `arguments`, `access`, `halo_access`, `rows_access` | distributed Views as arguments of kernels |
//! | `covered` | whether they cover the indices of a local launch |
//! | `checks` | what all ranks know of a launch, checked before any message |
//! | `launch`, `again` | one launch: the rows that it fetches, its local launches |
//! | `exchange`, `device_rows` | which rows come from which rank, their messages, and where these lie |
//! | `halo_exchange`, `some_rows` | exchanges without a launch, and launches over the rows that need none |
//! | `patterns` | the patterns over all ranks |
//! | `files` | plans and files of distributed Views |

mod access;
mod again;
mod arguments;
mod checks;
mod covered;
mod device_rows;
#[cfg(all(test, feature = "cuda"))]
mod device_tests;
mod exchange;
mod files;
mod halo_access;
mod halo_exchange;
mod launch;
mod partition;
mod patterns;
mod policy;
mod rows_access;
mod some_rows;
mod staging;
pub(crate) mod storage;
mod view;
mod world;

pub use access::{
    AllRows, AllRowsMut, DistributedAccess, DistributedAlongAccess, DistributedMutAccess, DistributedWitness,
};
pub use arguments::{DistributedAlong, DistributedHalo, DistributedRows, DistributedRowsMut};
pub use halo_access::DistributedHaloAccess;
pub use halo_exchange::{HaloExchange, HalosUnderWay};
pub use partition::Partition;
pub use policy::Distributed;
pub use rows_access::{DistributedRowsAccess, DistributedRowsMutAccess};
pub use some_rows::SomeRows;
pub use view::DistributedView;
pub use world::Mpi;
