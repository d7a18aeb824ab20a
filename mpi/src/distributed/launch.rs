//! One launch over all ranks: its checks, the rows that it fetches, and its local launches.

use core::ops::Range;

use spelt_core::{Covers, Description, Divided, ErrorKind, ExecutionSpace, KernelArgs, OnSpace, Result};

use super::Partition;
use super::again::Again;
use super::exchange::Exchange;
use super::policy::{Distributed, Rows};
use super::storage::{Access, Held, Indexed};
use crate::ongoing::Ongoing;
use crate::wire::{Kind, hash};

/// The pieces into which a host's local launch is cut while messages travel: the rank looks after these between pieces.
const PIECES: usize = 16;

/// A launch whose arguments have been checked, with the same outcome on all ranks.
pub(crate) struct Checked {
    pub(crate) partition: Partition,
    /// A number that launches of other policies, over other Views, or over Views in another state, hardly have.
    pub(crate) hash: usize,
    /// Whether rows of other ranks have to come.
    needs_rows: bool,
    /// The largest reach of the halos whose rows have to come.
    reach: [usize; 2],
}

/// Checks what all ranks know, so that all return an error or none does: before any message.
pub(crate) fn check<P, A>(label: &str, launch: &Distributed<'_, P>, args: &mut A) -> Result<Checked>
where
    P: Rows,
    A: KernelArgs,
{
    let ranges = launch.policy.ranges();
    let mut views = Views {
        ranges: &ranges,
        is_league: P::IS_LEAGUE,
        first: None,
        reach: [0, 0],
        needs_rows: false,
        facts: Vec::new(),
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
    let message = message.or_else(|| views.other_argument(args));
    if let Some(message) = message {
        return Err(spelt_core::Error::new(ErrorKind::Extents, format!("`{label}`: {message}")));
    }
    let size = launch.ranks.size();
    let partition = match views.first {
        Some((_, partition)) if partition.ranks() != size => {
            let message = format!(
                "`{label}`: the Views are divided among {} ranks, and there are {size}",
                partition.ranks()
            );
            return Err(spelt_core::Error::new(ErrorKind::Extents, message));
        }
        Some((_, partition)) => partition,
        None if ranges.len() == 1 && !P::IS_LEAGUE => Partition::by_tiles(ranges[0].end, size),
        None => Partition::even(ranges[0].end, size),
    };
    let numbers =
        ranges.iter().flat_map(|range| [range.start, range.end]).chain(partition.cuts().iter().copied());
    let hash = hash(numbers.flat_map(usize::to_le_bytes).chain(views.facts)) as usize;
    // From here on the launch writes, whatever fails: a rank without iterations lowers no argument.
    A::divided(args, &mut |divided| {
        if let Divided::Exclusive(view, _) = divided
            && let Some(held) = view.downcast_mut::<Held>()
        {
            held.launch(launch.ranks.calls.get());
        }
    });
    Ok(Checked { partition, hash, needs_rows: views.needs_rows, reach: views.reach })
}

/// The distributed Views of a launch that have been visited.
struct Views<'a> {
    ranges: &'a [Range<usize>],
    /// Whether these are the ranks of a league: nested loops check all dimensions but the first.
    is_league: bool,
    /// The label and the partition of the first one.
    first: Option<(String, Partition)>,
    reach: [usize; 2],
    needs_rows: bool,
    /// What all ranks know of each.
    facts: Vec<u8>,
}

impl Views<'_> {
    fn visit(&mut self, held: &Held, access: &Access) -> core::result::Result<(), String> {
        held.facts(access, &mut self.facts);
        match &self.first {
            None => self.first = Some((held.label.clone(), held.partition.clone())),
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
        if let Access::Halo(_) = access
            && held.is_old()
        {
            let reach = held.reach();
            self.needs_rows = true;
            self.reach = [0, 1].map(|side| self.reach[side].max(reach[side]));
        }
        Ok(())
    }

    /// Whether the whole View covers the policy's indices.
    fn covers(&self, held: &Held, access: &Access) -> core::result::Result<(), String> {
        let (indexed, reach): (_, &[[usize; 2]]) = match access {
            Access::Read(indexed) | Access::Write(indexed) => (*indexed, &[]),
            Access::Halo(reach) => (Indexed::All, reach),
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
            if is_ring && (below > extent || above > extent) {
                return Err(format!(
                    "the halo of view `{label}` reaches over {below} and {above} rows, more than the {extent} that there are"
                ));
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

impl Checked {
    /// The rows of the policy that are this rank's.
    pub(crate) fn own_rows<P: Rows>(&self, launch: &Distributed<'_, P>) -> Range<usize> {
        let (own, all) = (self.partition.rows(launch.ranks.rank()), launch.policy.rows());
        let start = own.start.clamp(all.start, all.end);
        start..own.end.clamp(start, all.end.max(start))
    }

    /// Fetches the rows of other ranks, and does nothing meanwhile.
    pub(crate) fn fetch<P, A>(&self, label: &str, launch: &Distributed<'_, P>, args: &mut A) -> Result<()>
    where
        A: KernelArgs,
    {
        if !self.needs_rows {
            return Ok(());
        }
        launch.ranks.collective(Kind::Halo, self.hash, label, |ongoing| {
            Exchange::start(ongoing, args)?.finish(ongoing, args)
        })
    }

    /// Runs `run` over this rank's rows, by intervals. Those that need rows of other ranks come last, when these have come.
    pub(crate) fn run<P, A>(
        &self,
        label: &str,
        launch: &Distributed<'_, P>,
        args: &mut A,
        run: impl Fn(Range<usize>, Again<'_, A>) -> Result<()>,
    ) -> Result<()>
    where
        P: Rows + OnSpace,
        A: KernelArgs,
    {
        let own = self.own_rows(launch);
        if !self.needs_rows {
            return launch.ranks.collective(Kind::Launch, self.hash, label, |_| run(own, Again(args)));
        }
        launch.ranks.collective(Kind::Halo, self.hash, label, |ongoing| {
            let exchange = Exchange::start(ongoing, args)?;
            let inner = self.inner(launch, &own);
            if <P::Space as ExecutionSpace>::IS_DEVICE {
                // It runs while this rank waits.
                run(inner.clone(), Again(args))?;
            } else if !run_inner(ongoing, inner.clone(), |rows| run(rows, Again(args)))? {
                launch.ranks.late_halos.set(launch.ranks.late_halos.get() + 1);
            }
            exchange.finish(ongoing, args)?;
            run(own.start..inner.start, Again(args))?;
            run(inner.end..own.end, Again(args))
        })
    }

    /// The rows of `own` whose halos need none of another rank.
    fn inner<P: Rows>(&self, launch: &Distributed<'_, P>, own: &Range<usize>) -> Range<usize> {
        let all = self.partition.rows(launch.ranks.rank());
        let start = all.start.saturating_add(self.reach[0]).clamp(own.start, own.end);
        let end = all.end.saturating_sub(self.reach[1]).clamp(start, own.end);
        start..end
    }
}

/// Runs these rows in pieces, and looks after the messages between them. Whether all have come before the last piece.
fn run_inner(
    ongoing: &mut Ongoing<'_>,
    rows: Range<usize>,
    mut run: impl FnMut(Range<usize>) -> Result<()>,
) -> Result<bool> {
    let (mut row, mut have_come) = (rows.start, false);
    for piece in 0..PIECES {
        have_come = have_come || ongoing.poll()?;
        // The rest at once, if no message is awaited any more.
        let pieces = if have_come { 1 } else { PIECES - piece };
        let count = (rows.end - row).div_ceil(pieces);
        if count > 0 {
            run(row..row + count)?;
            row += count;
        }
    }
    Ok(have_come)
}
