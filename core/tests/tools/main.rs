//! Events of launches, copies and regions, as tools get them, and the tools of `SPELT_TOOLS`.

mod environment;
mod events;
