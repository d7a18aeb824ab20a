//! The execution spaces of the host, and the choice at run time.

mod any_host;
mod choice;
mod deep_copy;
mod host_views;
pub(crate) mod partition;
#[cfg(feature = "rayon")]
mod rayon;
mod serial;
#[cfg(feature = "threads")]
mod threads;
mod to_space;
#[cfg(all(test, not(spelt_loom)))]
mod toy;

pub use self::any_host::AnyHost;
pub use self::choice::SpaceChoice;
#[cfg(feature = "rayon")]
pub use self::rayon::Rayon;
pub use self::serial::Serial;
#[cfg(feature = "threads")]
pub use self::threads::Threads;
#[cfg(all(test, not(spelt_loom)))]
pub(crate) use self::toy::Backwards;
