//! One launch over all ranks that has been checked: the rows that it fetches, and its local launches.

use core::ops::Range;

use spelt_core::{ExecutionSpace, KernelArgs, OnSpace, Result};

use super::Partition;
use super::again::Again;
use super::exchange::Exchange;
use super::policy::{Distributed, Rows};
use crate::communicator::Communicator;
use crate::ongoing::Ongoing;
use crate::wire::Kind;

/// How a local launch goes on while messages travel: the rank looks after these between pieces of it.
#[derive(Clone, Copy)]
pub(crate) enum Inner {
    /// It returns before its work is done: one piece, during which the rank waits for the messages.
    Returns,
    /// It returns when its work is done: up to so many pieces.
    Blocks(usize),
}

impl Inner {
    /// A `parallel_for`.
    pub(crate) const fn of_for<S: ExecutionSpace>() -> Self {
        if S::IS_DEVICE { Inner::Returns } else { Inner::Blocks(HOST_PIECES) }
    }

    /// An extension of a part, whose values come to the host.
    pub(crate) const fn of_part<S: ExecutionSpace>() -> Self {
        Inner::Blocks(if S::IS_DEVICE { DEVICE_PIECES } else { HOST_PIECES })
    }
}

/// The most pieces of a local launch on a host. Unit: pieces. Source: 2 to 16 take the same time, docs/benchmarks/ranks.md, 2026-11-24.
const HOST_PIECES: usize = 16;

/// The most pieces of a local launch on a device. Unit: pieces. Source: estimated: each costs the launches of its nodes and a copy to the
/// host, some 10 us each.
const DEVICE_PIECES: usize = 4;

/// The most tests of messages between two pieces: a library goes on with one part of a transfer in each. Unit: tests. Source:
/// docs/benchmarks.md, 2026-11-26: one test and eight take the same time.
const TESTS: usize = 8;

/// A launch whose arguments have been checked, with the same outcome on all ranks.
pub(crate) struct Checked {
    pub(crate) partition: Partition,
    /// A number that launches of other policies, over other Views, or over Views in another state, hardly have.
    pub(crate) hash: usize,
    /// Whether rows of other ranks have to come.
    pub(crate) needs_rows: bool,
    /// The largest reach of the halos whose rows have to come.
    pub(crate) reach: [usize; 2],
}

impl Checked {
    /// The rows of the policy that are this rank's.
    pub(crate) fn own_rows<P: Rows>(&self, launch: &Distributed<'_, P>) -> Range<usize> {
        let (own, all) = (self.partition.rows(launch.ranks.rank()), launch.policy.rows());
        let start = own.start.clamp(all.start, all.end);
        start..own.end.clamp(start, all.end.max(start))
    }

    /// Fetches the rows of other ranks, and runs `inner` meanwhile: with the interval of this rank's rows that need none, and the messages.
    pub(crate) fn fetch<P, A>(
        &self,
        label: &str,
        launch: &Distributed<'_, P>,
        args: &mut A,
        inner: impl FnOnce(Range<usize>, &mut Ongoing<'_>, &mut A) -> Result<()>,
    ) -> Result<()>
    where
        P: Rows,
        A: KernelArgs,
    {
        if !self.needs_rows {
            return Ok(());
        }
        launch.ranks.collective(Kind::Halo, self.hash, label, |ongoing| {
            let exchange = Exchange::start(ongoing, args)?;
            inner(self.inner(launch, &self.own_rows(launch), self.reach), ongoing, args)?;
            exchange.finish(ongoing, args)
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
            let inner = self.inner(launch, &own, self.reach);
            let how = Inner::of_for::<P::Space>();
            run_inner(launch.ranks, ongoing, how, inner.clone(), |rows| run(rows, Again(args)))?;
            exchange.finish(ongoing, args)?;
            run_rim(&own, &inner, |rows| run(rows, Again(args)))
        })
    }

    /// The rows of `own` whose halos of this reach need none of another rank.
    pub(crate) fn inner<P: Rows>(
        &self,
        launch: &Distributed<'_, P>,
        own: &Range<usize>,
        reach: [usize; 2],
    ) -> Range<usize> {
        let all = self.partition.rows(launch.ranks.rank());
        let start = all.start.saturating_add(reach[0]).clamp(own.start, own.end);
        let end = all.end.saturating_sub(reach[1]).clamp(start, own.end);
        start..end
    }
}

/// Runs the rows of `own` that are not in `inner`, below and above it.
pub(crate) fn run_rim(
    own: &Range<usize>,
    inner: &Range<usize>,
    run: impl FnMut(Range<usize>) -> Result<()>,
) -> Result<()> {
    let rows = [own.start..inner.start, inner.end..own.end];
    rows.into_iter().filter(|rows| !rows.is_empty()).try_for_each(run)
}

/// Runs these rows in pieces, and looks after the messages between them: those that come, and those that leave, which a library sends in pieces
/// of its own. Counts the launch if messages have not come before the last piece.
pub(crate) fn run_inner(
    ranks: &Communicator,
    ongoing: &mut Ongoing<'_>,
    how: Inner,
    rows: Range<usize>,
    mut run: impl FnMut(Range<usize>) -> Result<()>,
) -> Result<()> {
    let Inner::Blocks(all) = how else { return run(rows) };
    let (mut row, mut are_done) = (rows.start, ongoing.are_done());
    for piece in 0..all {
        // No message comes at once: the first look is after a piece.
        let tests = if piece == 0 { 0 } else { TESTS };
        for _ in 0..tests {
            if are_done != [true; 2] {
                are_done = ongoing.poll_all()?;
            }
        }
        // The rest at once, if nothing is awaited any more.
        let pieces = if are_done == [true; 2] { 1 } else { all - piece };
        let count = (rows.end - row).div_ceil(pieces);
        if count > 0 {
            run(row..row + count)?;
            row += count;
        }
    }
    ranks.late_halos.set(ranks.late_halos.get() + u64::from(!are_done[0]));
    Ok(())
}
