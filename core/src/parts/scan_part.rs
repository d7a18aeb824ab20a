//! `ScanPart`.

use core::fmt;
use core::ops::Range;

use spelt_access::KernelArgs;
use spelt_reducers::Reducer;

use super::checks::{self, lost, refused};
use super::policy::ScanPartPolicy;
#[cfg(doc)]
use crate::ErrorKind;
use crate::Result;
use crate::launch::{ScanPass, ScanState, scan_tile_len};
use crate::reach::ReachedBy;

/// A part of a scan of `n` iterations: those from `begin` to `end`, of which it holds the joined values.
///
/// It is to [`parallel_scan`](crate::parallel_scan()) what [`Part`](crate::Part) is to a reduction: the values that iterations get, and the total of the
/// [finished](Self::finish) whole, have exactly the bits of one `parallel_scan` over all `n` iterations, regardless of the parts and launches.
///
/// - Where the data arrive in order, one part does all: [`scan`](Self::scan) runs the next iterations on the values before them.
/// - Where parts are computed at the same time, each first finds its total with [`add_totals`](Self::add_totals), which runs the closure with
///   `last == false` only. The totals of all parts on the left, merged, are a part that begins with iteration 0. From there `scan` runs the
///   iterations again, on the values before them.
///
/// A part holds O(log n) values, and up to 6 more where it ends inside a tile. For reducers whose joins are exact
/// ([`EXACT`](Reducer::EXACT): integers, minima and maxima) it holds one value, and may begin anywhere.
///
/// A launch that panics loses the part: later calls return an error. One that returns an error leaves the part as it was.
///
/// # Examples
/// Two parts at the same time:
/// ```
/// use spelt_core::{ExecutionSpace, ScanPart, Serial, View, parallel_scan, reducers::Sum};
/// let (space, n, cut) = (Serial::new(), 5000, 4096);
/// let x = View::from_fn("x", [n], |[i]| 1.0 / (i + 1) as f64)?;
/// let mut y = View::<f64, 1>::zeros("y", [n])?;
/// // The first part knows what is before it: nothing. The second one finds its total meanwhile.
/// let mut left = ScanPart::new(n, Sum::<f64>::new());
/// left.scan("left", space.range(0..cut), (&x, &mut y), |i, sum, last, (x, mut y)| { *sum += x[i]; if last { y[i] = *sum } })?;
/// let mut right = ScanPart::starting_at(n, cut, Sum::<f64>::new())?;
/// right.add_totals("total", space.range(cut..n), &x, |i, sum, _, x| *sum += x[i])?;
/// // Then it goes on from the part on its left.
/// let mut prefix = left.clone();
/// prefix.scan("right", space.range(cut..n), (&x, &mut y), |i, sum, last, (x, mut y)| { *sum += x[i]; if last { y[i] = *sum } })?;
/// left.merge(right)?;
/// let mut wanted = View::<f64, 1>::zeros("wanted", [n])?;
/// let total = parallel_scan("whole", space.range(0..n), (&x, &mut wanted),
///     |i, sum, last, (x, mut y)| { *sum += x[i]; if last { y[i] = *sum } }, Sum::<f64>::new())?;
/// assert_eq!(y.to_vec(), wanted.to_vec());
/// assert_eq!((left.finish()?, prefix.finish()?), (total, total));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct ScanPart<R: Reducer> {
    pub(super) reducer: R,
    /// `None` after a launch that panicked.
    pub(super) state: Option<ScanState<R::Value>>,
}

impl<R: Reducer> ScanPart<R> {
    /// The number of iterations of a tile: a part begins at a multiple of it. It is 1 where joins are exact.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ScanPart, reducers::Sum};
    /// assert_eq!((ScanPart::<Sum<f64>>::TILE, ScanPart::<Sum<i64>>::TILE), (2048, 1));
    /// ```
    pub const TILE: usize = scan_tile_len::<R>();

    /// The part of a scan of `n` iterations that has none of them yet, and begins with the first.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ScanPart, reducers::Sum};
    /// let part = ScanPart::new(100, Sum::<i32>::new());
    /// assert_eq!((part.range(), part.whole()), (0..0, 100));
    /// ```
    #[must_use]
    pub fn new(n: usize, reducer: R) -> Self {
        Self { reducer, state: Some(ScanState::new(n, 0, Self::TILE)) }
    }

    /// The part of a scan of `n` iterations that has none of them yet, and begins with iteration `begin`.
    ///
    /// # Errors
    /// [`ErrorKind::Policy`] unless `begin` is a multiple of [`TILE`](Self::TILE) up to `n`, or `n`.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ScanPart, reducers::Sum};
    /// assert_eq!(ScanPart::starting_at(5000, 4096, Sum::<f64>::new())?.range(), 4096..4096);
    /// assert_eq!(ScanPart::starting_at(5000, 4000, Sum::<i64>::new())?.range(), 4000..4000);
    /// assert!(ScanPart::starting_at(5000, 4000, Sum::<f64>::new()).is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn starting_at(n: usize, begin: usize, reducer: R) -> Result<Self> {
        checks::begins(n, begin, Self::TILE)?;
        Ok(Self { reducer, state: Some(ScanState::new(n, begin, Self::TILE)) })
    }

    /// The number of iterations of the whole scan.
    ///
    /// # Panics
    /// If a launch that extended the part has panicked.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ScanPart, reducers::Sum};
    /// assert_eq!(ScanPart::new(100, Sum::<i32>::new()).whole(), 100);
    /// ```
    #[must_use]
    pub fn whole(&self) -> usize {
        self.state().unwrap_or_else(|error| panic!("{error}")).n
    }

    /// The iterations of the part.
    ///
    /// # Panics
    /// If a launch that extended the part has panicked.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, ScanPart, Serial, reducers::Sum};
    /// let mut part = ScanPart::new(100, Sum::<usize>::new());
    /// part.add_totals("ten", Serial::new().range(0..10), (), |i, sum, _, ()| *sum += i.get())?;
    /// assert_eq!(part.range(), 0..10);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.state().unwrap_or_else(|error| panic!("{error}")).range.clone()
    }

    /// Scans all iterations of `policy`, a range or a box, signed or not, or the teams of a league, and appends them: the next ones of the whole
    /// scan.
    ///
    /// The closure is that of [`parallel_scan`](crate::parallel_scan()), and gets the policy's own indices. Whole tiles run as there. Where joins are not
    /// exact, a tile that the launch begins or ends but does not contain runs on one thread of the host; on a device its iterations run at the
    /// same time, and the host joins them. Each team of a league has one thread on a host.
    ///
    /// # Errors
    /// As [`parallel_scan`](crate::parallel_scan()); [`ErrorKind::Policy`] if the part does not begin with iteration 0, so that the values before are not
    /// known, or would exceed the whole. The part is unchanged then.
    ///
    /// # Panics
    /// If an iteration or a join panics: the part is lost.
    ///
    /// # Complexity
    /// As [`parallel_scan`](crate::parallel_scan()) of these iterations, and O(log n) joins. On a device, where joins are not exact, O(log n) launches,
    /// each of which the host waits for.
    ///
    /// # Examples
    /// Data that arrive in buffers:
    /// ```
    /// use spelt_core::{ExecutionSpace, ScanPart, Serial, View, reducers::Sum};
    /// let mut part = ScanPart::new(9, Sum::<i64>::new());
    /// let mut sums = Vec::new();
    /// for buffer in [[1, 2, 3], [4, 5, 6], [7, 8, 9]] {
    ///     let mut x = View::from_vec("x", [3], buffer.to_vec())?;
    ///     part.scan("sums", Serial::new().range(0..3), &mut x, |i, sum, last, mut x| {
    ///         *sum += x[i];
    ///         if last {
    ///             x[i] = *sum;
    ///         }
    ///     })?;
    ///     sums.extend(x.to_vec());
    /// }
    /// assert_eq!(sums, [1, 3, 6, 10, 15, 21, 28, 36, 45]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn scan<P, A, F>(&mut self, label: &str, policy: P, args: A, closure: F) -> Result<()>
    where
        P: ScanPartPolicy<A, F, R>,
        A: KernelArgs + ReachedBy<P::Space>,
    {
        policy.scan_part(label, None, ScanPass::Values, args, closure, self)
    }

    /// Scans the given iterations of `policy` alone, by their numbers in it: for a part of a box that is not a box.
    ///
    /// # Errors
    /// As [`scan`](Self::scan); [`ErrorKind::Policy`] if the policy does not have these iterations. The arguments must cover the whole
    /// policy.
    ///
    /// # Panics
    /// As [`scan`](Self::scan).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, ScanPart, Serial, View, reducers::Sum};
    /// let mut y = View::<usize, 2>::zeros("y", [2, 3])?;
    /// let mut part = ScanPart::new(6, Sum::<usize>::new());
    /// for iterations in [0..2, 2..6] {
    ///     part.scan_iterations("count", Serial::new().md_range([0..2, 0..3]), iterations, &mut y, |i, sum, last, mut y| {
    ///         *sum += 1;
    ///         if last {
    ///             y[i] = *sum;
    ///         }
    ///     })?;
    /// }
    /// assert_eq!(y.to_vec(), [1, 2, 3, 4, 5, 6]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn scan_iterations<P, A, F>(
        &mut self,
        label: &str,
        policy: P,
        iterations: Range<usize>,
        args: A,
        closure: F,
    ) -> Result<()>
    where
        P: ScanPartPolicy<A, F, R>,
        A: KernelArgs + ReachedBy<P::Space>,
    {
        policy.scan_part(label, Some(iterations), ScanPass::Values, args, closure, self)
    }

    /// Appends the total of all iterations of `policy`, of the kinds of [`scan`](Self::scan), which the closure contributes with `last == false`: the first of two rounds.
    ///
    /// # Errors
    /// As [`scan`](Self::scan), but the part may begin with any iteration.
    ///
    /// # Panics
    /// As [`scan`](Self::scan).
    ///
    /// # Complexity
    /// One call of the closure for each iteration; otherwise as [`scan`](Self::scan).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, ScanPart, Serial, reducers::Sum};
    /// let mut part = ScanPart::starting_at(100, 40, Sum::<usize>::new())?;
    /// part.add_totals("total", Serial::new().range(40..50), (), |i, sum, _, ()| *sum += i.get())?;
    /// assert_eq!(part.range(), 40..50);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn add_totals<P, A, F>(&mut self, label: &str, policy: P, args: A, closure: F) -> Result<()>
    where
        P: ScanPartPolicy<A, F, R>,
        A: KernelArgs + ReachedBy<P::Space>,
    {
        policy.scan_part(label, None, ScanPass::Total, args, closure, self)
    }

    /// [`add_totals`](Self::add_totals) of the given iterations of `policy` alone.
    ///
    /// # Errors
    /// As [`scan_iterations`](Self::scan_iterations), but the part may begin with any iteration.
    ///
    /// # Panics
    /// As [`scan`](Self::scan).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, ScanPart, Serial, reducers::Sum};
    /// let mut part = ScanPart::new(3, Sum::<usize>::new());
    /// part.add_totals_of_iterations("middle", Serial::new().range(0..9), 3..6, (), |i, sum, _, ()| *sum += i.get())?;
    /// assert_eq!(part.finish()?, 12);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn add_totals_of_iterations<P, A, F>(
        &mut self,
        label: &str,
        policy: P,
        iterations: Range<usize>,
        args: A,
        closure: F,
    ) -> Result<()>
    where
        P: ScanPartPolicy<A, F, R>,
        A: KernelArgs + ReachedBy<P::Space>,
    {
        policy.scan_part(label, Some(iterations), ScanPass::Total, args, closure, self)
    }

    /// Takes the tile in which the part ends out of it, as a part of its own, for the code that runs the iterations on the right.
    ///
    /// The part then ends where the tile begins. If it ends at a border of tiles already, the part taken out is empty.
    ///
    /// # Panics
    /// If a launch that extended the part has panicked.
    ///
    /// # Complexity
    /// O(1).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, ScanPart, Serial, reducers::Sum};
    /// let mut part = ScanPart::new(9000, Sum::<f64>::new());
    /// part.add_totals("total", Serial::new().range(0..5000), (), |i, sum, _, ()| *sum += i.get() as f64)?;
    /// let carry = part.take_carry();
    /// assert_eq!((part.range(), carry.range()), (0..4096, 4096..5000));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn take_carry(&mut self) -> Self
    where
        R: Clone,
    {
        let state = self.state.as_mut().unwrap_or_else(|| panic!("{}", lost()));
        let border = if R::EXACT { state.range.end } else { state.border(Self::TILE) };
        let mut carry = ScanState::new(state.n, border, Self::TILE);
        carry.range.end = core::mem::replace(&mut state.range.end, border);
        if !R::EXACT {
            core::mem::swap(&mut carry.rows, &mut state.rows);
            core::mem::swap(&mut carry.row, &mut state.row);
        }
        Self { reducer: self.reducer.clone(), state: Some(carry) }
    }

    /// Appends a part that begins where this one ends. It joins values with this part's reducer.
    ///
    /// Merging is associative to the last bit.
    ///
    /// # Errors
    /// [`ErrorKind::Policy`] if the part on the right does not begin where this one ends, or belongs to a scan of another number of
    /// iterations, or if a launch that extended one of them has panicked. This part is unchanged then.
    ///
    /// # Panics
    /// If a join panics: the part is lost.
    ///
    /// # Complexity
    /// O(log n) joins.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ScanPart, reducers::Sum};
    /// let mut left = ScanPart::new(5000, Sum::<f64>::new());
    /// let right = ScanPart::starting_at(5000, 4096, Sum::<f64>::new())?;
    /// assert!(left.merge(right).is_err(), "iterations are missing between them");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn merge(&mut self, right: Self) -> Result<()> {
        let n = [self.state()?.n, right.state()?.n];
        checks::neighbours(n, [self.range(), right.range()])?;
        self.change(|reducer, state| {
            let right = right.state.expect("it is not lost");
            state.range.end = right.range.end;
            if R::EXACT {
                match (&mut state.rows, right.rows) {
                    (Some(left), Some(right)) => reducer.join(left, &right),
                    (left @ None, right) => *left = right,
                    (_, None) => {}
                }
            } else {
                state.nodes.append(reducer, right.nodes);
                (state.rows, state.row) = (right.rows, right.row);
            }
            Ok(())
        })
    }

    /// The total of the whole scan; without iterations, that of the reducer's identity.
    ///
    /// # Errors
    /// [`ErrorKind::Policy`] if iterations are missing, or if a launch that extended the part has panicked.
    ///
    /// # Complexity
    /// O(log n) joins.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ScanPart, reducers::Sum};
    /// assert_eq!(ScanPart::new(0, Sum::<f64>::new()).finish()?, 0.0);
    /// assert!(ScanPart::new(5, Sum::<f64>::new()).finish().is_err());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn finish(self) -> Result<R::Output> {
        checks::complete(self.state()?.n, self.range())?;
        let Self { reducer, state } = self;
        let value = state
            .and_then(|ScanState { nodes, rows, .. }| if R::EXACT { rows } else { nodes.join(&reducer) });
        Ok(reducer.finish(value.unwrap_or_else(|| reducer.init())))
    }

    /// The values, if no launch has lost them.
    pub(super) fn state(&self) -> Result<&ScanState<R::Value>> {
        self.state.as_ref().ok_or_else(lost)
    }

    /// Changes the values: they are lost if `change` panics.
    fn change(&mut self, change: impl FnOnce(&R, &mut ScanState<R::Value>) -> Result<()>) -> Result<()> {
        let mut state = self.state.take().ok_or_else(lost)?;
        let changed = change(&self.reducer, &mut state);
        self.state = Some(state);
        changed
    }

    /// Checks that `iterations` of a policy of `count` fit, and extends the part by them.
    pub(super) fn extend(
        &mut self,
        label: &str,
        count: usize,
        iterations: Option<Range<usize>>,
        pass: ScanPass,
        extend: impl FnOnce(Range<usize>, &R, &mut ScanState<R::Value>) -> Result<()>,
    ) -> Result<()> {
        let n = self.state().map_err(|error| error.in_kernel(label))?.n;
        let range = self.range();
        if pass == ScanPass::Values && range.start != 0 {
            let message = format!(
                "the part has {range:?} of {n} iterations, and the values before them are not known: merge the parts on the left, and \
                 scan from there"
            );
            return Err(refused(message).in_kernel(label));
        }
        let iterations = checks::appended(label, count, iterations, n, range)?;
        if iterations.is_empty() {
            return Ok(());
        }
        self.change(|reducer, state| extend(iterations, reducer, state))
    }
}

impl<R: Reducer + Clone> Clone for ScanPart<R>
where
    R::Value: Clone,
{
    fn clone(&self) -> Self {
        Self { reducer: self.reducer.clone(), state: self.state.clone() }
    }
}

impl<R: Reducer> fmt::Debug for ScanPart<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut part = f.debug_struct("ScanPart");
        if let Some(state) = &self.state {
            part.field("range", &state.range).field("whole", &state.n);
        }
        part.finish_non_exhaustive()
    }
}
