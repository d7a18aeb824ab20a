//! Events of launches, memory, copies and regions, as tools get them, and the tools of `SPELT_TOOLS`.

mod check;
mod environment;
mod events;
mod lines;
mod memory;
mod tune;
