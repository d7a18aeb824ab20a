//! `Part`.

use core::fmt;
use core::ops::Range;

use spelt_access::KernelArgs;
use spelt_reducers::Reducer;

use super::checks::{self, lost};
use super::policy::{MapPartPolicy, PartPolicy};
#[cfg(doc)]
use crate::ErrorKind;
use crate::Result;
use crate::launch::{PartState, tile_len};
use crate::reach::ReachedBy;

/// A part of a reduction of `n` iterations: those from `begin` to `end`, reduced.
///
/// Parts are for data that no single launch reaches: a file larger than memory, the ranks of a cluster, several devices. Each part
/// appends iterations by launches, neighbours [`merge`](Self::merge), and [`finish`](Self::finish) of the whole gives exactly the bits of one
/// [`parallel_reduce`](crate::parallel_reduce) over all `n` iterations, regardless of the parts, the launches that made them, their spaces, and the
/// grouping of the merges. That holds for every reducer, also for those that do not commute.
///
/// A part holds nodes of the tree of the [canonical order](crate::canonical), at most two for each of its levels: O(log n) values. So
/// it begins at a border of tiles, a multiple of [`TILE`](Self::TILE). It may end anywhere: where it ends inside a tile, it also holds the
/// running values of the tile's lanes, at most 32, and the next launch continues them. [`take_carry`](Self::take_carry) hands them to the part
/// on the right.
///
/// A launch that panics loses the part: later calls return an error. One that returns an error leaves the part as it was.
///
/// # Examples
/// A sum in two halves, the left of which ends inside a tile:
/// ```
/// use spelt_core::{ExecutionSpace, Part, Serial, View, parallel_reduce, reducers::Sum};
/// let space = Serial::new();
/// let x = View::from_fn("x", [10_000], |[i]| 1.0 / (i + 1) as f64)?;
/// let mut left = Part::new(10_000, Sum::<f64>::new());
/// left.reduce("left", space.range(0..5000), &x, |i, sum, x| *sum += x[i])?;
/// let mut right = left.take_carry();
/// assert_eq!((left.range(), right.range()), (0..4096, 4096..5000));
/// right.reduce("right", space.range(5000..10_000), &x, |i, sum, x| *sum += x[i])?;
/// left.merge(right)?;
/// let whole = parallel_reduce("whole", space.range(0..10_000), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new())?;
/// assert_eq!(left.finish()?.to_bits(), whole.to_bits());
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Part<R: Reducer> {
    pub(super) reducer: R,
    /// `None` after a launch that panicked.
    pub(super) state: Option<PartState<R::Value>>,
}

impl<R: Reducer> Part<R> {
    /// The number of iterations of a tile: a part begins at a multiple of it.
    ///
    /// A power of two up to 2048, which depends on the reducer's [`LANE_BYTES`](Reducer::LANE_BYTES) alone.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Part, reducers::Sum};
    /// assert_eq!(Part::<Sum<f64>>::TILE, 2048);
    /// ```
    pub const TILE: usize = tile_len::<R>();

    /// The part of a reduction of `n` iterations that has none of them yet, and begins with the first.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Part, reducers::Sum};
    /// let part = Part::new(100, Sum::<i32>::new());
    /// assert_eq!((part.range(), part.whole()), (0..0, 100));
    /// ```
    #[must_use]
    pub fn new(n: usize, reducer: R) -> Self {
        Self { reducer, state: Some(PartState::new(n, 0, Self::TILE)) }
    }

    /// The part of a reduction of `n` iterations that has none of them yet, and begins with iteration `begin`.
    ///
    /// # Errors
    /// [`ErrorKind::Policy`] unless `begin` is a multiple of [`TILE`](Self::TILE) up to `n`, or `n`.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ErrorKind, Part, reducers::Sum};
    /// assert_eq!(Part::starting_at(5000, 4096, Sum::<f64>::new())?.range(), 4096..4096);
    /// let error = Part::starting_at(5000, 4000, Sum::<f64>::new()).expect_err("inside a tile");
    /// assert_eq!(error.kind(), ErrorKind::Policy);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn starting_at(n: usize, begin: usize, reducer: R) -> Result<Self> {
        checks::begins(n, begin, Self::TILE)?;
        Ok(Self { reducer, state: Some(PartState::new(n, begin, Self::TILE)) })
    }

    /// The number of iterations of the whole reduction.
    ///
    /// # Panics
    /// If a launch that extended the part has panicked.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Part, reducers::Sum};
    /// assert_eq!(Part::new(100, Sum::<i32>::new()).whole(), 100);
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
    /// use spelt_core::{ExecutionSpace, Part, Serial, reducers::Sum};
    /// let mut part = Part::new(100, Sum::<usize>::new());
    /// part.reduce("ten", Serial::new().range(0..10), (), |i, sum, ()| *sum += i.get())?;
    /// assert_eq!(part.range(), 0..10);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        let state = self.state().unwrap_or_else(|error| panic!("{error}"));
        state.begin(Self::TILE)..state.end
    }

    /// Appends all iterations of `policy`: a range or a box, signed or not, or a league, whose iterations are its teams.
    ///
    /// They are the next ones of the whole reduction; those of a box are in the order of its indices, the last index fastest. The closure gets the
    /// policy's own indices, so a policy may be a range of the whole reduction (`space.range(a..b)`), or that of a buffer
    /// (`space.range(0..buffer.len())`).
    ///
    /// Whole tiles run as in [`parallel_reduce`](crate::parallel_reduce()). A tile that the launch begins or ends but does not contain runs on one thread,
    /// unless the policy asks for a `chunk` below a tile. So, unlike `parallel_reduce`, a launch of few long iterations requires a `chunk` to use all threads. A league
    /// always uses all.
    ///
    /// # Errors
    /// As [`parallel_reduce`](crate::parallel_reduce()); [`ErrorKind::Policy`] if the part would exceed the whole, and for an argument that keeps a
    /// replica for each part of the launch. The part is unchanged then.
    ///
    /// # Panics
    /// If an iteration or a join panics: the part is lost. It is lost, too, after the error that there is no memory for the scratch of teams.
    ///
    /// # Complexity
    /// As [`parallel_reduce`](crate::parallel_reduce()) of these iterations, and O(log n) joins. On a device O(log n) launches and a wait.
    ///
    /// # Examples
    /// A sum over data that arrive in buffers:
    /// ```
    /// use spelt_core::{ExecutionSpace, Part, Serial, View, reducers::Sum};
    /// let space = Serial::new();
    /// let mut part = Part::new(9000, Sum::<f64>::new());
    /// for first in (0..9000).step_by(1000) {
    ///     let buffer = View::from_fn("buffer", [1000], |[i]| (first + i) as f64)?;
    ///     part.reduce("sum", space.range(0..1000), &buffer, |i, sum, x| *sum += x[i])?;
    /// }
    /// assert_eq!(part.finish()?, 40_495_500.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn reduce<P, A, F>(&mut self, label: &str, policy: P, args: A, closure: F) -> Result<()>
    where
        P: PartPolicy<A, F, R>,
        A: KernelArgs + ReachedBy<P::Space>,
    {
        policy.reduce_part(label, None, args, closure, self)
    }

    /// Appends the given iterations of `policy` alone, by their numbers in it: for a part of a box that is not a box.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce); [`ErrorKind::Policy`] if the policy does not have these iterations. The arguments must cover the whole
    /// policy; those of a league must cover the teams that run, which keep their league ranks.
    ///
    /// # Panics
    /// As [`reduce`](Self::reduce).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Part, Serial, reducers::Sum};
    /// let space = Serial::new();
    /// let mut part = Part::new(12, Sum::<usize>::new());
    /// for iterations in [0..5, 5..12] {
    ///     part.reduce_iterations("box", space.md_range([0..3, 0..4]), iterations, (), |i, sum, ()| {
    ///         let [row, column] = i.index();
    ///         *sum += 4 * row + column;
    ///     })?;
    /// }
    /// assert_eq!(part.finish()?, 66);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn reduce_iterations<P, A, F>(
        &mut self,
        label: &str,
        policy: P,
        iterations: Range<usize>,
        args: A,
        closure: F,
    ) -> Result<()>
    where
        P: PartPolicy<A, F, R>,
        A: KernelArgs + ReachedBy<P::Space>,
    {
        policy.reduce_part(label, Some(iterations), args, closure, self)
    }

    /// [`reduce`](Self::reduce) in its mapped form: the closure returns the contribution of its index, a value of the reducer. The bits are
    /// those of [`parallel_map_reduce`](crate::parallel_map_reduce()).
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    ///
    /// # Panics
    /// As [`reduce`](Self::reduce).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Part, Serial, View, reducers::Max};
    /// let x = View::from_fn("x", [100], |[i]| (i * 37 % 100) as f64)?;
    /// let mut part = Part::new(100, Max::<f64>::new());
    /// part.map_reduce("largest", Serial::new().range(0..100), &x, |i, x| x[i])?;
    /// assert_eq!(part.finish()?, 99.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn map_reduce<P, A, F>(&mut self, label: &str, policy: P, args: A, map: F) -> Result<()>
    where
        P: MapPartPolicy<A, F, R>,
        A: KernelArgs + ReachedBy<P::Space>,
    {
        policy.map_reduce_part(label, None, args, map, self)
    }

    /// [`reduce_iterations`](Self::reduce_iterations) in its mapped form.
    ///
    /// # Errors
    /// As [`reduce_iterations`](Self::reduce_iterations).
    ///
    /// # Panics
    /// As [`reduce`](Self::reduce).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Part, Serial, reducers::Sum};
    /// let mut part = Part::new(3, Sum::<usize>::new());
    /// part.map_reduce_iterations("the middle", Serial::new().range(0..9), 3..6, (), |i, ()| i.get())?;
    /// assert_eq!(part.finish()?, 12);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn map_reduce_iterations<P, A, F>(
        &mut self,
        label: &str,
        policy: P,
        iterations: Range<usize>,
        args: A,
        map: F,
    ) -> Result<()>
    where
        P: MapPartPolicy<A, F, R>,
        A: KernelArgs + ReachedBy<P::Space>,
    {
        policy.map_reduce_part(label, Some(iterations), args, map, self)
    }

    /// Takes the tile in which the part ends out of it, as a part without nodes, for the code that runs the iterations on the right.
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
    /// use spelt_core::{ExecutionSpace, Part, Serial, reducers::Sum};
    /// let mut part = Part::new(9000, Sum::<usize>::new());
    /// part.map_reduce("sum", Serial::new().range(0..5000), (), |i, ()| i.get())?;
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
        let border = state.nodes.tiles().end.saturating_mul(Self::TILE).min(state.n);
        let mut carry = PartState::new(state.n, border, Self::TILE);
        core::mem::swap(&mut carry.lanes, &mut state.lanes);
        carry.end = core::mem::replace(&mut state.end, border);
        Self { reducer: self.reducer.clone(), state: Some(carry) }
    }

    /// Appends a part that begins where this one ends. It joins values with this part's reducer.
    ///
    /// Merging is associative to the last bit.
    ///
    /// # Errors
    /// [`ErrorKind::Policy`] if the part on the right does not begin where this one ends, or belongs to a reduction of another
    /// number of iterations, or if a launch that extended one of them has panicked. This part is unchanged then.
    ///
    /// # Panics
    /// If a join panics: the part is lost.
    ///
    /// # Complexity
    /// O(log n) joins.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Part, reducers::Sum};
    /// let mut left = Part::new(5000, Sum::<f64>::new());
    /// let right = Part::starting_at(5000, 4096, Sum::<f64>::new())?;
    /// let error = left.merge(right).expect_err("iterations are missing between them");
    /// assert_eq!(
    ///     error.to_string(),
    ///     "parts of a reduction of 5000 iterations that are no neighbours: 0..0 and 4096..4096"
    /// );
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn merge(&mut self, right: Self) -> Result<()> {
        let n = [self.state()?.n, right.state()?.n];
        checks::neighbours(n, [self.range(), right.range()])?;
        self.change(|reducer, state| {
            let right = right.state.expect("it is not lost");
            state.nodes.append(reducer, right.nodes);
            (state.end, state.lanes) = (right.end, right.lanes);
            Ok(())
        })
    }

    /// The result of the whole reduction; without iterations, that of the reducer's identity.
    ///
    /// # Errors
    /// [`ErrorKind::Policy`] if iterations are missing, or if a launch that extended the part has panicked.
    ///
    /// # Complexity
    /// O(log n) joins.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Part, reducers::Sum};
    /// let error = Part::new(5000, Sum::<f64>::new()).finish().expect_err("nothing has run");
    /// assert_eq!(error.to_string(), "iterations are missing: the part has 0..0 of 5000");
    /// ```
    pub fn finish(self) -> Result<R::Output> {
        checks::complete(self.state()?.n, self.range())?;
        let Self { reducer, state } = self;
        let value = state.and_then(|state| state.nodes.join(&reducer));
        Ok(reducer.finish(value.unwrap_or_else(|| reducer.init())))
    }

    /// The values, if no launch has lost them.
    pub(super) fn state(&self) -> Result<&PartState<R::Value>> {
        self.state.as_ref().ok_or_else(lost)
    }

    /// Changes the values: they are lost if `change` panics.
    pub(super) fn change(
        &mut self,
        change: impl FnOnce(&R, &mut PartState<R::Value>) -> Result<()>,
    ) -> Result<()> {
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
        extend: impl FnOnce(Range<usize>, &R, &mut PartState<R::Value>) -> Result<()>,
    ) -> Result<()> {
        let n = self.state().map_err(|error| error.in_kernel(label))?.n;
        let iterations = checks::appended(label, count, iterations, n, self.range())?;
        if iterations.is_empty() {
            return Ok(());
        }
        self.change(|reducer, state| extend(iterations, reducer, state))
    }
}

impl<R: Reducer + Clone> Clone for Part<R>
where
    R::Value: Clone,
{
    fn clone(&self) -> Self {
        Self { reducer: self.reducer.clone(), state: self.state.clone() }
    }
}

impl<R: Reducer> fmt::Debug for Part<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut part = f.debug_struct("Part");
        if let Some(state) = &self.state {
            part.field("range", &self.range()).field("whole", &state.n);
        }
        part.finish_non_exhaustive()
    }
}
