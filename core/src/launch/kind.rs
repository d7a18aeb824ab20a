//! The kinds of launches.

use spelt_reducers::Reducer;

use crate::tools::Pattern;

/// The kind of a launch: its pattern, for tools, and whether its arguments may keep replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    For,
    Reduce,
    Scan {
        /// Whether its reducer is [exact](Reducer::EXACT): then the first of two passes does not keep to the order of the joins.
        is_exact: bool,
    },
    /// The next iterations of a part of a reduction.
    ReducePart,
    /// A pass over the next iterations of a part of a scan.
    ScanPart,
    /// The second half of a launch of teams on a device, which is a launch itself.
    #[cfg(feature = "cuda")]
    JoinOfTeams,
}

impl Kind {
    /// Whether the launch accepts scattered arguments, which keep a replica for each part of it.
    ///
    /// A scan may run an iteration twice, and the replicas of a part of a reduction would depend on its borders.
    pub(crate) const fn accepts_replicas(self) -> bool {
        matches!(self, Self::For | Self::Reduce)
    }

    /// A scan by this reducer.
    pub(crate) const fn scan_by<R: Reducer>() -> Self {
        Self::Scan { is_exact: R::EXACT }
    }

    /// The pattern that tools are told, or `None` for a part of a launch that they have been told of.
    pub(crate) const fn pattern(self) -> Option<Pattern> {
        match self {
            Self::For => Some(Pattern::For),
            Self::Reduce | Self::ReducePart => Some(Pattern::Reduce),
            Self::Scan { .. } | Self::ScanPart => Some(Pattern::Scan),
            #[cfg(feature = "cuda")]
            Self::JoinOfTeams => None,
        }
    }
}
