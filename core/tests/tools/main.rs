//! Events of launches, memory, copies and regions, as tools get them, and the tools of `SPELT_TOOLS`.

mod check;
mod environment;
mod events;
mod forecast;
#[cfg(target_os = "linux")]
mod kokkos;
mod lines;
mod memory;
mod own_work;
mod schema;
mod shares;
mod trace;
mod tune;
