//! A pool's configuration as text.

use super::signal::Patience;
use super::topology::Source;
use core::fmt;

/// A pool's configuration, with reasons.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    /// Participants, the caller included.
    pub(crate) threads: usize,
    /// The setting that decided on them.
    pub(crate) decided_by: &'static str,
    /// Cores that this process may use at a time.
    pub(crate) allowed_cores: usize,
    pub(crate) patience: Patience,
    pub(crate) pinning: Pinning,
    pub(crate) topology: Source,
}

/// Whether and where workers are pinned.
#[derive(Clone, Debug)]
pub(crate) enum Pinning {
    /// Not requested.
    Off,
    /// Requested, but there are fewer allowed cores than threads.
    TooFewCores,
    /// By participant number minus one; the caller is never pinned.
    Workers(Vec<Pin>),
}

/// One worker's pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pin {
    /// The operating system's number.
    pub(crate) core: usize,
    /// Whether the operating system pinned it.
    pub(crate) held: bool,
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, decided_by, allowed_cores, patience, pinning, topology } = self;
        writeln!(f, "threads: {threads}, the launching one included (decided by {decided_by})")?;
        writeln!(f, "allowed cores: {allowed_cores}")?;
        match patience {
            Patience::Spin => writeln!(f, "waiting threads: spin, then sleep")?,
            Patience::Yield => {
                writeln!(f, "waiting threads: do not spin, there are more threads than cores")?
            }
        }
        match pinning {
            Pinning::Off => writeln!(f, "pinning: off")?,
            Pinning::TooFewCores => writeln!(f, "pinning: asked for, not done: more threads than cores")?,
            Pinning::Workers(pins) => {
                write!(f, "pinning: launching thread free")?;
                for (worker, Pin { core, held }) in (1..).zip(pins) {
                    let failed = if *held { "" } else { " (failed)" };
                    write!(f, ", worker {worker} on core {core}{failed}")?;
                }
                writeln!(f)?;
            }
        }
        match topology {
            Source::CoreAffinity => {
                writeln!(
                    f,
                    "topology: allowed cores only; feature `hwloc` also sees NUMA nodes and hyperthreads"
                )
            }
            Source::Hwloc => writeln!(f, "topology: hwloc"),
        }
    }
}
