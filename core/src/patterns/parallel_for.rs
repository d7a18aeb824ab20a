//! `parallel_for`.

use spelt_access::{Idx, KernelArgs};
use spelt_order::cursor::{Boxed, Cursor, Line};
use spelt_policies::{Iterate, MdRangePolicy, RangePolicy, Schedule};

use super::OnSpace;
use super::chunks::chunk_len;
use crate::isa::{self, Work};
use crate::launch::{Names, check_covered, prepare};
use crate::reach::ReachedBy;
use crate::spaces::{Backend, ExecutionSpace};
use crate::{Error, ErrorKind, Result};

/// Calls `functor` for every index of `policy`, in parallel.
///
/// The closure gets a witness of the index and an accessor for each argument; a View that it indexes by the
/// witness must cover the policy. The thread that runs an index is unspecified; no two iterations can write the same
/// element.
///
/// Pass scalars as arguments, or capture them with `move`: a closure that captures a reference to one has to read it
/// anew after each store, and such loops do not vectorise.
///
/// # Errors
/// [`ErrorKind::Extents`] if a View does not cover the policy, [`ErrorKind::Overflow`] if the iterations cannot
/// be counted, [`ErrorKind::Policy`] if the space cannot do what the policy asks for, [`ErrorKind::OutOfMemory`] if there is
/// no memory for the replicas of a scattered View. Nothing has run then. [`ErrorKind::OutOfMemory`] also if there is none for
/// the scratch of a team, when other teams may have run.
///
/// # Panics
/// If an iteration panics: no further ones are begun, all threads stop, then the panic resumes on the calling thread.
///
/// # Complexity
/// Work O(n) calls, span O(n / threads); no allocation.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let x = View::from_fn("x", [4], |[i]| i as f64)?;
/// let mut y = View::from_fn("y", [4], |_| 1.0)?;
/// parallel_for("axpy", space.range(0..4), (2.0_f64, &x, &mut y), |i, (a, x, mut y)| y[i] += a * x[i])?;
/// assert_eq!(y.as_slice(), Some(&[1.0, 3.0, 5.0, 7.0][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline]
pub fn parallel_for<P, A, F>(label: &str, policy: P, args: A, functor: F) -> Result<()>
where
    P: ForPolicy<A, F>,
    A: KernelArgs + ReachedBy<P::Space>,
{
    policy.launch(label, args, functor)
}

/// A policy that `parallel_for` runs `F` over, with the arguments `A`.
///
/// The implementations say what the closure takes: `|i, args|` with a witness for ranges, `|team, args|` for teams.
#[diagnostic::on_unimplemented(
    message = "`parallel_for` cannot run this closure over `{Self}`",
    note = "over a range or md_range the closure is `|i, (x, mut y)| ..`, over teams `|team, (x, mut y)| ..`; it must \
            be `Sync` and take the accessors of exactly the arguments given"
)]
pub trait ForPolicy<A, F>: OnSpace {
    /// Runs it.
    #[doc(hidden)]
    fn launch(self, label: &str, args: A, functor: F) -> Result<()>
    where
        A: ReachedBy<Self::Space>;
}

/// The iterations of one unit.
///
/// It refers to `body`, lowered arguments and all, so that making it costs no copy; `run` takes one: behind a
/// reference the compiler would have to read the arguments anew after every store of the kernel, and could not
/// vectorise.
pub(crate) struct Iterations<'a, C, G> {
    pub(crate) start: C,
    pub(crate) len: usize,
    pub(crate) block: usize,
    pub(crate) body: &'a G,
}

impl<C: Cursor, G: Fn(C, usize, usize) + Copy> Work for Iterations<'_, C, G> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { start: mut place, len: mut left, block, body } = self;
        let body = *body;
        while left > 0 {
            let along = place.line().min(left);
            for distance in 0..along {
                body(place, distance, block);
            }
            place.advance(along);
            left -= along;
        }
    }
}

/// Cuts `n` things into chunks and has `unit(first, count, block)` called once for each; `blocks`, where an
/// argument wants it, is the number of contiguous parts that one thread each must have.
#[inline]
pub(crate) fn run_chunks(
    backend: &impl Backend,
    n: usize,
    chunk: usize,
    schedule: Schedule,
    blocks: Option<usize>,
    names: &Names<'_>,
    unit: impl Fn(usize, usize, usize) + Sync,
) {
    if n == 0 {
        return;
    }
    if let Some(blocks) = blocks {
        let part = n.div_ceil(blocks);
        backend.run_units(n.div_ceil(part), schedule, &|block| {
            let _running = names.enter();
            unit(block * part, part.min(n - block * part), block);
        });
    } else if chunk >= n || backend.threads() == 1 {
        let _running = names.enter();
        unit(0, n, 0);
    } else {
        backend.run_units(n.div_ceil(chunk), schedule, &|number| {
            let _running = names.enter();
            unit(number * chunk, chunk.min(n - number * chunk), 0);
        });
    }
}

impl<S, A, F> ForPolicy<A, F> for RangePolicy<&S>
where
    S: ExecutionSpace,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, 1>, A::Access<'k>) + Sync,
{
    #[inline]
    fn launch(self, label: &str, args: A, functor: F) -> Result<()>
    where
        A: ReachedBy<S>,
    {
        S::for_range(self, label, args, functor)
    }
}

/// `parallel_for` over a range, on host threads.
pub(crate) fn for_range<S, A, F>(policy: RangePolicy<&S>, label: &str, mut args: A, functor: F) -> Result<()>
where
    S: ExecutionSpace,
    A: KernelArgs + ReachedBy<S>,
    F: for<'k> Fn(Idx<'k, 1>, A::Access<'k>) + Sync,
{
    let range = policy.range();
    check_covered(label, &args, &[range.start], &[range.end])?;
    let blocks = args.blocks();
    prepare(label, &mut args)?;
    // SAFETY: `args` lives, and is only described, until the launch is over.
    let (raw, held) = unsafe { args.lower() };
    let names = Names::new(label, &args);
    let functor = &functor;
    let backend = *policy.space();
    let chunk = chunk_len(backend, policy.len(), policy.chunk_size());
    let body = move |place: Line, distance, block| {
        // SAFETY: `run_units` runs each unit once, so each index has one witness; coverage is checked.
        unsafe { functor(Idx::new([place.index + distance]), A::access(&raw, block)) }
    };
    run_chunks(backend, policy.len(), chunk, policy.schedule_kind(), blocks, &names, |first, len, block| {
        isa::dispatch(Iterations { start: Line { index: range.start + first }, len, block, body: &body });
    });
    A::finish(held);
    Ok(())
}

/// The number of iterations of a box, or the error that says that they cannot be counted.
pub(crate) fn counted<S, const R: usize>(label: &str, policy: &MdRangePolicy<S, R>) -> Result<usize> {
    policy.len().ok_or_else(|| {
        Error::new(
            ErrorKind::Overflow,
            format!("the md_range {:?} has more iterations than fit: split it", policy.ranges()),
        )
        .in_kernel(label)
    })
}

impl<S, A, F, const R: usize> ForPolicy<A, F> for MdRangePolicy<&S, R>
where
    S: ExecutionSpace,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, R>, A::Access<'k>) + Sync,
{
    #[inline]
    fn launch(self, label: &str, args: A, functor: F) -> Result<()>
    where
        A: ReachedBy<S>,
    {
        S::for_box(self, label, args, functor)
    }
}

/// `parallel_for` over a box, on host threads.
pub(crate) fn for_box<S, A, F, const R: usize>(
    policy: MdRangePolicy<&S, R>,
    label: &str,
    mut args: A,
    functor: F,
) -> Result<()>
where
    S: ExecutionSpace,
    A: KernelArgs + ReachedBy<S>,
    F: for<'k> Fn(Idx<'k, R>, A::Access<'k>) + Sync,
{
    let count = counted(label, &policy)?;
    let lower = policy.ranges().map(|range| range.start);
    let upper = policy.ranges().map(|range| range.end);
    check_covered(label, &args, &lower, &upper)?;
    if count == 0 {
        return Ok(());
    }
    let blocks = args.blocks();
    prepare(label, &mut args)?;
    // SAFETY: `args` lives, and is only described, until the launch is over.
    let (raw, held) = unsafe { args.lower() };
    let names = Names::new(label, &args);
    let functor = &functor;
    let backend = *policy.space();
    let left = policy.iteration() == Iterate::Left;
    // With the first index fastest, places hold the index backwards.
    let turn = |index: [usize; R]| if left { core::array::from_fn(|d| index[R - 1 - d]) } else { index };
    let (lower, upper) = (turn(lower), turn(upper));
    let extents: [usize; R] = core::array::from_fn(|d| upper[d] - lower[d]);
    let tile: [usize; R] = match policy.tile_extents().map(turn) {
        Some(tile) => core::array::from_fn(|d| if tile[d] == 0 { extents[d] } else { tile[d] }),
        None => extents,
    };
    let tiles: [usize; R] = core::array::from_fn(|d| extents[d].div_ceil(tile[d]));
    let rightwards = move |place: Boxed<R>, distance, block| {
        let mut index = place.index;
        index[R - 1] += distance;
        // SAFETY: tiles and chunks are disjoint and each unit runs once, so each index has one witness; coverage
        // is checked.
        unsafe { functor(Idx::new(index), A::access(&raw, block)) }
    };
    let leftwards = move |place: Boxed<R>, distance, block| {
        let mut index: [usize; R] = core::array::from_fn(|d| place.index[R - 1 - d]);
        index[0] += distance;
        // SAFETY: as above.
        unsafe { functor(Idx::new(index), A::access(&raw, block)) }
    };
    let run = |start: Boxed<R>, len: usize, block: usize| {
        if left {
            isa::dispatch(Iterations { start, len, block, body: &leftwards });
        } else {
            isa::dispatch(Iterations { start, len, block, body: &rightwards });
        }
    };
    let schedule = policy.schedule_kind();
    if tile == extents {
        let chunk = chunk_len(backend, count, policy.chunk_size());
        run_chunks(backend, count, chunk, schedule, blocks, &names, |first, len, block| {
            run(Boxed::new(lower, upper, first), len, block);
        });
    } else {
        let number: usize = tiles.iter().product();
        let per_tile = count.div_ceil(number).max(1);
        let chunk =
            policy.chunk_size().unwrap_or_else(|| chunk_len(backend, count, None).div_ceil(per_tile).max(1));
        run_chunks(backend, number, chunk, schedule, blocks, &names, |first, len, block| {
            for number in first..first + len {
                let place = Boxed::new([0; R], tiles, number).index;
                let from: [usize; R] = core::array::from_fn(|d| lower[d] + place[d] * tile[d]);
                let to: [usize; R] = core::array::from_fn(|d| from[d].saturating_add(tile[d]).min(upper[d]));
                let len = (0..R).map(|d| to[d] - from[d]).product();
                run(Boxed::new(from, to, 0), len, block);
            }
        });
    }
    A::finish(held);
    Ok(())
}

#[cfg(all(test, not(spelt_loom)))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::parallel_for;
    use crate::{ExecutionSpace, Iterate, Serial, View};

    #[test]
    fn a_tile_of_zero_is_as_long_as_the_box() {
        let next = AtomicUsize::new(0);
        let mut order = View::<usize, 2>::zeros("order", [4, 3]).unwrap();
        let space = Serial::new();
        let policy = space.md_range([0..4, 0..3]).tile([2, 0]);
        parallel_for("visit", policy, &mut order, |i, mut order| order[i] = next.fetch_add(1, Relaxed))
            .unwrap();
        assert!(order.iter().copied().eq(0..12), "{order}");
    }

    #[test]
    fn tiles_as_large_as_numbers_go_stay_in_the_box() {
        let space = Serial::new();
        for iterate in [Iterate::Left, Iterate::Right] {
            let mut visits = View::<u32, 2>::zeros("visits", [5, 7]).unwrap();
            let policy = space.md_range([2..5, 1..6]).tile([usize::MAX, 2]).iterate(iterate);
            parallel_for("visit", policy, &mut visits, |i, mut visits| visits[i] += 1).unwrap();
            let expected =
                View::from_fn("", [5, 7], |[i, j]| u32::from(i >= 2 && (1..6).contains(&j))).unwrap();
            assert_eq!(visits, expected);
        }
    }
}
