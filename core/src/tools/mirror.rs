//! The sides of a mirrored View: when one is brought up to date, and when it may change.

use super::choice::is_heard;
use super::installed::tell_once;

/// One side of a `Mirrored`, a View that the host and a device both have. Where both are one View there are no such events.
///
/// # Examples
/// ```
/// use spelt_core::tools::{MirrorEvent, Tool};
/// struct Mirrors;
/// impl Tool for Mirrors {
///     fn synced(&self, side: &MirrorEvent<'_>) {
///         println!("`{}` in {} is up to date", side.label, side.memory);
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MirrorEvent<'a> {
    /// The label of both sides.
    pub label: &'a str,
    /// The name of this side's memory space.
    pub memory: &'static str,
    /// The address of its first element.
    pub address: usize,
    /// Whether this is the side of the space; else it is the host's.
    pub is_device: bool,
}

/// Something that happens to a side.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mirroring {
    /// The other side's elements have been copied to it.
    Synced,
    /// It is borrowed to be changed.
    Modified,
}

/// Tells the tools, if there are any, what happens to the side of a mirrored View.
#[doc(hidden)]
#[inline]
pub fn tell_of_mirror(
    happens: Mirroring,
    label: &str,
    memory: &'static str,
    address: usize,
    is_device: bool,
) {
    if is_heard() {
        let side = MirrorEvent { label, memory, address, is_device };
        tell_once(|tool| match happens {
            Mirroring::Synced => tool.synced(&side),
            Mirroring::Modified => tool.modified(&side),
        });
    }
}
