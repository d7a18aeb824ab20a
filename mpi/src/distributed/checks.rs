//! What all ranks know of a launch or an exchange, checked before any message: all of them return an error, or none does.

use core::ops::Range;
use std::rc::Rc;

use spelt_core::{Covers, Description, Divided, ErrorKind, KernelArgs, Result};

use super::Partition;
use super::launch::Checked;
use super::policy::{Distributed, Rows};
use super::storage::{Access, Held, Indexed};
use crate::communicator::Communicator;
use crate::wire::Hash;

/// The rows of the policy that a launch runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    All,
    /// Those that need no row of another rank within this reach.
    Inner([usize; 2]),
    /// The others.
    Rim([usize; 2]),
}

/// Checks what all ranks know, so that all return an error or none does: before any message.
pub(crate) fn check<P, A>(
    label: &str,
    launch: &Distributed<'_, P>,
    part: Which,
    args: &mut A,
) -> Result<Checked>
where
    P: Rows,
    A: KernelArgs,
{
    let ranges = launch.policy.ranges();
    let mut views = Views {
        ranges: &ranges,
        is_league: P::IS_LEAGUE,
        part,
        first: None,
        reach: [0, 0],
        needs_rows: false,
        facts: Hash::default(),
    };
    let mut message = None;
    A::divided(args, &mut |divided| {
        let result = match divided {
            Divided::Shared(view, access) => match (view.downcast_ref::<Held>(), access.downcast_ref()) {
                (Some(held), Some(access)) => views.visit(held, access),
                _ => Ok(()),
            },
            Divided::Exclusive(view, access) => {
                match (view.downcast_mut::<Held>(), access.downcast_ref::<Access>()) {
                    (Some(held), Some(access)) => {
                        held.access = access.clone();
                        views.visit(held, access)
                    }
                    _ => Ok(()),
                }
            }
        };
        message = message.take().or(result.err());
    });
    let message = message
        .or_else(|| views.other_argument(args))
        .or_else(|| check_ranks(&views.first.as_ref()?.1, launch.ranks).err());
    if let Some(message) = message {
        return Err(spelt_core::Error::new(ErrorKind::Extents, format!("`{label}`: {message}")));
    }
    let size = launch.ranks.size();
    let partition = match views.first {
        Some((_, partition)) => partition,
        None if ranges.len() == 1 && !P::IS_LEAGUE => Partition::by_tiles(ranges[0].end, size),
        None => Partition::even(ranges[0].end, size),
    };
    let part = match part {
        Which::All => [0; 3],
        Which::Inner([below, above]) => [1, below, above],
        Which::Rim([below, above]) => [2, below, above],
    };
    let cuts = partition.cuts().iter().copied();
    let numbers = ranges.iter().flat_map(|range| [range.start, range.end]).chain(part).chain(cuts);
    let hash = views.facts.numbers(numbers).0 as usize;
    // From here on the launch writes, whatever fails: a rank without iterations lowers no argument.
    each_exclusive(args, |held| held.launch(launch.ranks.calls.get()));
    Ok(Checked { partition, hash, needs_rows: views.needs_rows, reach: views.reach })
}

/// The halos of an exchange.
pub(crate) struct Halos {
    /// A number that other exchanges hardly have.
    pub(crate) hash: usize,
    /// The largest reach in the rows.
    pub(crate) reach: [usize; 2],
}

/// Checks the arguments of an exchange, which are halos of distributed Views alone: with the same outcome on all ranks.
pub(crate) fn check_halos<A: KernelArgs>(label: &str, ranks: &Communicator, args: &mut A) -> Result<Halos> {
    let (mut facts, mut reach, mut message) = (Hash::default(), [0, 0], None);
    let other = |label: &str| {
        format!(
            "view `{label}` is not the halo of a distributed View: an exchange takes `x.halo::<H>()` alone"
        )
    };
    A::divided(args, &mut |divided| {
        let result = match divided {
            Divided::Exclusive(view, access) => match (view.downcast_mut::<Held>(), access.downcast_ref()) {
                (Some(held), Some(access @ Access::Halo(_))) => {
                    held.access = access.clone();
                    facts = held.facts(access, facts).numbers(held.partition.cuts().iter().copied());
                    reach = [0, 1].map(|side| held.reach()[side].max(reach[side]));
                    check_ranks(&held.partition, ranks).and(if held.periodic {
                        check_ring(held, held.reach())
                    } else {
                        Ok(())
                    })
                }
                (Some(held), _) => Err(other(&held.label)),
                _ => Ok(()),
            },
            Divided::Shared(view, _) => {
                view.downcast_ref::<Held>().map_or(Ok(()), |held| Err(other(&held.label)))
            }
        };
        message = message.take().or(result.err());
    });
    A::describe(args, &mut |argument: Description<'_>| {
        if !argument.divided {
            message.get_or_insert_with(|| other(argument.label));
        }
    });
    if let Some(message) = message {
        return Err(spelt_core::Error::new(ErrorKind::Policy, format!("`{label}`: {message}")));
    }
    each_exclusive(args, |held| held.launch(ranks.calls.get()));
    Ok(Halos { hash: facts.0 as usize, reach })
}

/// Calls `f` with each View that a launch borrows exclusively.
fn each_exclusive<A: KernelArgs>(args: &mut A, mut f: impl FnMut(&mut Held)) {
    A::divided(args, &mut |divided| {
        if let Divided::Exclusive(view, _) = divided
            && let Some(held) = view.downcast_mut::<Held>()
        {
            f(held);
        }
    });
}

fn check_ranks(partition: &Partition, ranks: &Communicator) -> core::result::Result<(), String> {
    let (found, size) = (partition.ranks(), ranks.size());
    if found == size {
        return Ok(());
    }
    Err(format!("the Views are divided among {found} ranks, and there are {size}"))
}

/// Whether a ring has as many rows as a halo reaches over.
fn check_ring(held: &Held, [below, above]: [usize; 2]) -> core::result::Result<(), String> {
    let (label, extent) = (&held.label, held.extents[0]);
    if below > extent || above > extent {
        return Err(format!(
            "the halo of view `{label}` reaches over {below} and {above} rows, more than the {extent} that there are"
        ));
    }
    Ok(())
}

/// The distributed Views of a launch that have been visited.
struct Views<'a> {
    ranges: &'a [Range<usize>],
    /// Whether these are the ranks of a league: nested loops check all dimensions but the first.
    is_league: bool,
    /// The rows that run.
    part: Which,
    /// The label and the partition of the first one.
    first: Option<(Rc<str>, Partition)>,
    reach: [usize; 2],
    needs_rows: bool,
    /// What all ranks know of them.
    facts: Hash,
}

impl Views<'_> {
    fn visit(&mut self, held: &Held, access: &Access) -> core::result::Result<(), String> {
        self.facts = held.facts(access, self.facts);
        match &self.first {
            None => self.first = Some((Rc::clone(&held.label), held.partition.clone())),
            Some((_, partition)) if *partition == held.partition => {}
            Some((label, partition)) => {
                return Err(format!(
                    "views `{label}` and `{}` are divided at other rows, {:?} and {:?}: make both on one partition",
                    held.label,
                    partition.cuts(),
                    held.partition.cuts()
                ));
            }
        }
        self.covers(held, access)?;
        let (label, reach) = (&held.label, held.reach());
        match (access, self.part) {
            (Access::UnderWay(_), Which::Inner(inner)) if (0..2).all(|side| reach[side] <= inner[side]) => {}
            (Access::UnderWay(_), _) => {
                return Err(format!(
                    "an exchange of view `{label}` is under way: run the kernel over its `inner(policy)`, or after `finish()`"
                ));
            }
            (Access::Halo(_), Which::All) if held.is_old() => {
                self.needs_rows = true;
                self.reach = [0, 1].map(|side| self.reach[side].max(reach[side]));
            }
            (Access::Halo(_), _) if held.is_old() => {
                return Err(format!(
                    "the rows of view `{label}` that other ranks have are old, and this launch fetches none: finish an exchange of \
                     the View before"
                ));
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the whole View covers the policy's indices.
    fn covers(&self, held: &Held, access: &Access) -> core::result::Result<(), String> {
        let (indexed, reach): (_, &[[usize; 2]]) = match access {
            Access::Read(indexed) | Access::Write(indexed) => (*indexed, &[]),
            Access::Halo(reach) | Access::UnderWay(reach) => (Indexed::All, &**reach),
        };
        // Nested loops check the other dimensions, and a View of another rank has no index that counts. Its partition decides all the same
        // which rank runs a row.
        let has_all = held.extents.len() == self.ranges.len() && !self.is_league;
        let dimensions = if has_all && indexed == Indexed::All { self.ranges.len() } else { 1 };
        if self.ranges.iter().any(Range::is_empty) {
            return Ok(());
        }
        let label = &held.label;
        for dimension in 0..dimensions {
            let (range, extent) = (&self.ranges[dimension], held.extents[dimension]);
            let [below, above] = reach.get(dimension).copied().unwrap_or_default();
            let is_ring = dimension == 0 && held.periodic;
            if is_ring {
                check_ring(held, [below, above])?;
            }
            let (first, end) = if is_ring { (0, extent) } else { (below, extent.saturating_sub(above)) };
            if range.start < first || range.end > end {
                let halo = if reach.is_empty() { "" } else { ".halo()" };
                return Err(format!(
                    "view `{label}`{halo} with extents {:?} does not cover the indices {:?}: in dimension {dimension} it covers {first}..{end}",
                    held.extents, self.ranges
                ));
            }
        }
        Ok(())
    }

    /// Whether an argument that is not distributed covers the indices, as far as the launch checks them.
    fn covered_by(&self, argument: &Description<'_>, lower: &[usize], upper: &[usize]) -> bool {
        match argument.covers {
            Covers::Rank(1..) | Covers::Along(0) if self.is_league => {
                let (first, end) = argument.covered(0);
                first <= lower[0] && upper[0] <= end
            }
            _ => argument.covers_box(lower, upper),
        }
    }

    /// The message for an argument that is not distributed and cannot be one of this launch.
    fn other_argument<A: KernelArgs>(&self, args: &A) -> Option<String> {
        let (lower, upper): (Vec<_>, Vec<_>) =
            self.ranges.iter().map(|range| (range.start, range.end)).unzip();
        let is_empty = self.ranges.iter().any(Range::is_empty);
        let mut message = None;
        A::describe(args, &mut |argument: Description<'_>| {
            if message.is_some() || argument.divided {
                return;
            }
            let (label, adapter) = (argument.label, argument.adapter);
            if argument.writes {
                message = Some(format!(
                    "view `{label}`{adapter} is not distributed, and each rank would write its own iterations alone: make it by \
                     `Mpi::zeros`, or run the kernel on the local space"
                ));
            } else if !is_empty && !self.covered_by(&argument, &lower, &upper) {
                message = Some(format!(
                    "view `{label}`{adapter} with extents {:?} does not cover the indices {:?}: a View that is not distributed has the indices of \
                     the whole policy",
                    &argument.extents[..argument.rank],
                    self.ranges
                ));
            }
        });
        message
    }
}
