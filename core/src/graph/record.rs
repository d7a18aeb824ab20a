//! One node as the first replay left it, and what later replays compare with it.

use core::fmt;

use spelt_access::{Covers, Description, KernelArgs, MAX_RANK};

use crate::covered::Bounds;
use crate::launch::{Corners, Domain, Indexing};
use crate::{Error, ErrorKind, Result};

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    For,
    Reduce,
    Scan,
    Then,
    WhenAll,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::For => "then_parallel_for",
            Self::Reduce => "then_parallel_reduce",
            Self::Scan => "then_parallel_scan",
            Self::Then => "then",
            Self::WhenAll => "when_all",
        })
    }
}

/// A node.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) label: String,
    pub(super) what: What,
    /// The numbers of the nodes that it follows; none follows the root.
    pub(super) after: Vec<usize>,
    /// The lane that it runs on.
    pub(super) lane: usize,
    /// The launch, if it is one whose arguments have been checked.
    pub(super) launch: Option<Launch>,
}

impl Step {
    /// Checks that a later replay has the same node.
    ///
    /// # Errors
    /// [`ErrorKind::Policy`] if label, kind or order differ.
    #[inline]
    pub(super) fn compare(&self, number: usize, label: &str, what: What, after: &[usize]) -> Result<()> {
        if self.label == label && self.what == what && self.after == after {
            return Ok(());
        }
        Err(self.differs(number, label, what, after))
    }

    #[cold]
    #[inline(never)]
    fn differs(&self, number: usize, label: &str, what: What, after: &[usize]) -> Error {
        Error::new(
            ErrorKind::Policy,
            format!(
                "node {number} of the graph is {} `{}` after {:?}, and of this replay {what} `{label}` after {after:?}: \
                 give the same nodes at each replay, or make another graph",
                self.what, self.label, self.after
            ),
        )
    }
}

/// The indices of a launch, and the share of its arguments in them: all that their coverage depends on.
#[derive(Debug)]
pub(super) struct Launch {
    indexing: Indexing,
    rank: usize,
    lower: [usize; MAX_RANK],
    upper: [usize; MAX_RANK],
    first: [isize; MAX_RANK],
    arguments: Vec<Argument>,
}

/// An argument: what [`Description`] says about the indices that it covers, and the extents.
#[derive(Debug, PartialEq)]
struct Argument {
    rank: usize,
    extents: [usize; MAX_RANK],
    covers: Covers,
    lower: [usize; MAX_RANK],
    upper: [usize; MAX_RANK],
    origin: Option<[isize; MAX_RANK]>,
}

impl Argument {
    #[inline(always)]
    fn of(description: &Description<'_>) -> Self {
        let &Description { rank, extents, covers, lower, upper, origin, .. } = description;
        Self { rank, extents, covers, lower, upper, origin }
    }

    #[inline(always)]
    fn is(&self, description: &Description<'_>) -> bool {
        self.rank == description.rank
            && self.covers == description.covers
            && self.extents == description.extents
            && self.lower == description.lower
            && self.upper == description.upper
            && self.origin == description.origin
    }
}

impl Launch {
    /// The record of a launch of `args` over `policy`, which has been checked.
    pub(super) fn new<I: Domain<N>, A: KernelArgs, const N: usize>(
        policy: &I,
        args: &A,
        corners: &Corners<N>,
    ) -> Self {
        let mut record = Self {
            indexing: I::INDEXING,
            rank: N,
            lower: [0; MAX_RANK],
            upper: [0; MAX_RANK],
            first: [0; MAX_RANK],
            arguments: Vec::new(),
        };
        record.lower[..N].copy_from_slice(&corners.0);
        record.upper[..N].copy_from_slice(&corners.1);
        record.first[..N].copy_from_slice(&policy.first());
        A::describe(args, &mut |description| record.arguments.push(Argument::of(&description)));
        record
    }

    /// Checks that a launch of a later replay has the same indices and arguments, up to the addresses and names of Views: then they cover
    /// the indices, because those of this record do.
    ///
    /// # Errors
    /// [`ErrorKind::Policy`] if the indices differ, [`ErrorKind::Extents`] if an argument does.
    #[inline]
    pub(super) fn compare<I: Domain<N>, A: KernelArgs, const N: usize>(
        &self,
        label: &str,
        policy: &I,
        args: &A,
        corners: &Corners<N>,
    ) -> Result<()> {
        let same_indices = self.indexing == I::INDEXING
            && self.rank == N
            && self.lower[..N] == corners.0
            && self.upper[..N] == corners.1
            && self.first[..N] == policy.first();
        let (mut next, mut same) = (0, true);
        A::describe(args, &mut |description| {
            match self.arguments.get(next) {
                Some(argument) => same &= argument.is(&description),
                None => same = false,
            }
            next += 1;
        });
        if same_indices && same && next == self.arguments.len() {
            return Ok(());
        }
        Err(self.differs(label, policy, args, corners))
    }

    #[cold]
    #[inline(never)]
    fn differs<I: Domain<N>, A: KernelArgs, const N: usize>(
        &self,
        label: &str,
        policy: &I,
        args: &A,
        corners: &Corners<N>,
    ) -> Error {
        let now = Self::new(policy, args, corners);
        let mut labels = Vec::new();
        A::describe(args, &mut |description| labels.push(description.label));
        let argument = self.arguments.iter().zip(&now.arguments).position(|(before, now)| before != now);
        let (kind, message) = match argument {
            _ if self.indices() != now.indices() => (
                ErrorKind::Policy,
                format!("the indices are {}, and in the first replay were {}", now.indices(), self.indices()),
            ),
            Some(place) => (
                ErrorKind::Extents,
                format!(
                    "argument {place}, view `{}`, has {}, and that of the first replay had {}",
                    labels[place], now.arguments[place], self.arguments[place]
                ),
            ),
            None => (
                ErrorKind::Extents,
                format!(
                    "there are {} Views among the arguments, and in the first replay were {}",
                    now.arguments.len(),
                    self.arguments.len()
                ),
            ),
        };
        let advice = "all replays of a graph have the same sizes: make another graph for others";
        Error::new(kind, format!("{message}: {advice}")).in_kernel(label)
    }

    /// The indices as a message shows them.
    fn indices(&self) -> String {
        let ends = |d: usize| {
            let from = |place: usize| self.first[d] as i128 + place as i128;
            format!("{}..{}", from(self.lower[d]), from(self.upper[d]))
        };
        format!("{:?} {}", self.indexing, (0..self.rank).map(ends).collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Bounds::new(self.rank, &self.extents, self.origin.as_ref()))?;
        match self.covers {
            Covers::Nothing => Ok(()),
            Covers::Rank(rank) => {
                write!(f, " and covers {:?} to {:?}", &self.lower[..rank], &self.upper[..rank])
            }
            Covers::Along(dimension) => {
                write!(f, " and covers {} to {} along dimension {dimension}", self.lower[0], self.upper[0])
            }
        }
    }
}
