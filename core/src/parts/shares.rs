//! One reduction by several spaces at the same time.

use core::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use spelt_reducers::Reducer;

use super::checks::refused;
use super::part::Part;
use crate::{Error, ErrorKind, Result};

/// Reduces the iterations 0 to n in shares that run at the same time, such as those of several devices, or of the host and a device.
///
/// Share k has the iterations from `cuts[k]` to `cuts[k + 1]`, and the last cut is n. The result has exactly the bits of one
/// [`parallel_reduce`](crate::parallel_reduce()) over all n iterations, for any cuts and any spaces. Shares may be empty and end anywhere.
///
/// `extend(k, part, iterations)` appends iterations of share k to a part, by [`Part::reduce`], [`Part::map_reduce`] or their forms for
/// iterations, on the space of the share. It is called at most twice for a share. First, on a thread for each share, with the iterations from the
/// share's first whole tile on. Then, on the calling thread and in the order of the shares, with the ones before them, which continue a tile that
/// the share on the left has begun.
///
/// # Errors
/// [`ErrorKind::Extents`] if the cuts do not ascend from 0, [`ErrorKind::Policy`] if `extend` appends other iterations, and the errors of
/// `extend`: that of the first share which has one.
///
/// # Panics
/// If `extend` panics, after all shares have ended.
///
/// # Complexity
/// The time of the longest share, that of at most one tile for each share, and O(log n) joins for each.
///
/// # Examples
/// By two spaces, of which the second has a third of the elements:
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_reduce, reduce_shares, reducers::Sum};
/// let (n, spaces) = (10_000, [Serial::new(), Serial::new()]);
/// let cuts = [0, 6667, n];
/// // Each space has the elements of its share, from index 0 on.
/// let term = |i: usize| 1.0 / (i + 1) as f64;
/// let x = [0, 1].map(|k| View::from_fn("x", [cuts[k + 1] - cuts[k]], |[i]| term(cuts[k] + i)).expect("small"));
/// let sum = reduce_shares(&cuts, Sum::<f64>::new(), |k, part, iterations| {
///     let policy = spaces[k].range(iterations.start - cuts[k]..iterations.end - cuts[k]);
///     part.reduce("sum", policy, &x[k], |i, sum, x| *sum += x[i])
/// })?;
/// let whole = View::from_fn("x", [n], |[i]| term(i))?;
/// let expected = parallel_reduce("sum", spaces[0].range(0..n), &whole, |i, sum, x| *sum += x[i], Sum::<f64>::new())?;
/// assert_eq!(sum.to_bits(), expected.to_bits());
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reduce_shares<R>(
    cuts: &[usize],
    reducer: R,
    extend: impl Fn(usize, &mut Part<R>, Range<usize>) -> Result<()> + Sync,
) -> Result<R::Output>
where
    R: Reducer + Clone + Send,
    R::Value: Send,
{
    let (true, [0, .., n]) = (cuts.is_sorted(), cuts) else {
        let message =
            format!("the cuts of shares are {cuts:?}: let them ascend from 0 to the number of iterations");
        return Err(Error::new(ErrorKind::Extents, message));
    };
    let extend = |share: usize, part: &mut Part<R>, iterations: Range<usize>| {
        let end = iterations.end;
        extend(share, part, iterations)?;
        if part.range().end == end { Ok(()) } else { Err(other_iterations(share, part.range().end, end)) }
    };
    // The first whole tile of a share. From there on it needs nothing from the left.
    let border =
        |begin: usize| begin.checked_next_multiple_of(Part::<R>::TILE).map_or(*n, |next| next.min(*n));
    let shares: Vec<_> = cuts.windows(2).map(|pair| (pair[0], border(pair[0]), pair[1])).collect();
    let wholes = thread::scope(|threads| {
        let mut running = Vec::new();
        for (share, &(_, whole, end)) in shares.iter().enumerate() {
            let started = (whole < end).then(|| {
                let (extend, reducer) = (&extend, reducer.clone());
                thread::Builder::new().spawn_scoped(threads, move || {
                    let mut part = Part::starting_at(*n, whole, reducer)?;
                    extend(share, &mut part, whole..end).map(|()| part)
                })
            });
            running.push(started.transpose().map_err(no_thread));
        }
        let over = |thread: thread::ScopedJoinHandle<'_, Result<Part<R>>>| {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        running.into_iter().map(|started| started?.map(over).transpose()).collect::<Vec<Result<Option<_>>>>()
    });
    let mut all = Part::new(*n, reducer);
    for ((share, &(begin, whole, end)), part) in shares.iter().enumerate().zip(wholes) {
        let part = part?;
        let cut = begin..whole.min(end);
        if !cut.is_empty() {
            extend(share, &mut all, cut)?;
        }
        if let Some(part) = part {
            all.merge(part)?;
        }
    }
    all.finish()
}

fn other_iterations(share: usize, found: usize, expected: usize) -> Error {
    refused(format!("the part of share {share} ends with iteration {found}, where {expected} was expected"))
}

fn no_thread(error: std::io::Error) -> Error {
    Error::new(ErrorKind::OutOfMemory, "no thread can be started for a share of a reduction")
        .with_source(error)
}
