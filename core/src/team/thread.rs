//! A thread with vector lanes.

use core::fmt;
use core::marker::PhantomData;

use spelt_access::NestedIdx;
#[cfg(feature = "cuda")]
use spelt_kernels_gpu::crew::{reduce as crew_reduce, scan as crew_scan};
#[cfg(feature = "cuda")]
use spelt_kernels_gpu::team::{Call, join_branches};
#[cfg(feature = "cuda")]
use spelt_order::body::{ReduceBody, ScanBody};
use spelt_order::cursor::Line;
use spelt_policies::{IntoRange, VectorRange};
use spelt_reducers::Reducer;

use super::alone::{Nested, reduce_here, scan_finished};
use super::ranges::Shared;
#[cfg(feature = "cuda")]
use crate::device::on_device;
#[cfg(feature = "cuda")]
use crate::on_heap::apart;

/// The thread that runs index `j` of a `thread_range` in a team with vector lanes.
///
/// Its loops run over the lanes. All lanes run the code outside these loops, so it writes through
/// [`single`](Thread::single) or within a loop.
///
/// # Examples
/// ```
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for, reducers::Sum};
/// let space = Serial::new();
/// let a = View::from_fn("a", [2, 3, 8], |[e, i, j]| (e + i + j) as f64)?;
/// let mut sums = View::<f64, 2>::zeros("sums", [2, 3])?;
/// parallel_for("elements", space.team(2, AUTO).vector(8), (&a, &mut sums), |team, (a, mut sums)| {
///     team.parallel_for(team.thread_range(3), |mut thread| {
///         let sum = thread.parallel_reduce(thread.vector_range(8), |v, sum| *sum += a[v], Sum::<f64>::new());
///         thread.single(|w| sums[w] = sum);
///     });
/// })?;
/// assert_eq!(sums.as_slice(), Some(&[28.0, 36.0, 44.0, 36.0, 44.0, 52.0][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Thread<'k, 'j> {
    shared: Shared<'k>,
    j: usize,
    /// Collectives of the lanes of a device.
    #[cfg(feature = "cuda")]
    calls: u32,
    nested: PhantomData<fn(&'j ()) -> &'j ()>,
}

/// Leaving the thread is a collective of its lanes, at the loop that the thread belongs to.
#[cfg(feature = "cuda")]
impl Drop for Thread<'_, '_> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(lanes) = self.shared.lanes {
            lanes.meet(Call::at::<()>(self.shared.site, "end of the thread", 0).number(self.calls));
        }
    }
}

/// On a device, meets the lanes of the thread and returns them.
#[cfg(feature = "cuda")]
macro_rules! lanes {
    ($thread:ident, $kind:literal, $count:ident, $value:ty) => {
        if let Some(lanes) = $thread.shared.lanes {
            lanes.meet(Call::new::<$value>($kind, $count as u64).number($thread.calls));
            $thread.calls += 1;
            Some(lanes.crew)
        } else {
            None
        }
    };
}

impl fmt::Debug for Thread<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("league_rank", &self.shared.league_rank).field("j", &self.j).finish()
    }
}

impl<'k, 'j> Thread<'k, 'j> {
    /// The thread of `j`.
    ///
    /// # Safety
    /// As for the pair witness of (league, `j`).
    #[inline(always)]
    pub(super) unsafe fn new(shared: Shared<'k>, j: usize) -> Self {
        Self {
            shared,
            j,
            #[cfg(feature = "cuda")]
            calls: 0,
            nested: PhantomData,
        }
    }

    /// The league index.
    #[inline(always)]
    pub fn league_rank(&self) -> usize {
        self.shared.league_rank
    }

    /// The index in the `thread_range`.
    #[inline(always)]
    pub fn index(&self) -> usize {
        self.j
    }

    /// Indices distributed over the lanes.
    #[inline(always)]
    pub fn vector_range(&self, range: impl IntoRange) -> VectorRange {
        VectorRange::new(range)
    }

    /// Runs `body` on one lane, with the witness of the pair (league, `j`).
    #[inline(always)]
    pub fn single(&mut self, body: impl FnOnce(NestedIdx<'k, 'j, 2>)) {
        #[cfg(feature = "cuda")]
        let leads = self.shared.lanes.is_none_or(|lanes| lanes.crew.rank() == 0);
        #[cfg(not(feature = "cuda"))]
        let leads = true;
        if leads {
            // SAFETY: the thread owns the pair, and the team has checked the loop.
            body(unsafe { NestedIdx::new([self.shared.league_rank, self.j]) });
        }
        #[cfg(feature = "cuda")]
        if on_device() {
            join_branches();
        }
    }

    /// Panics unless all arguments cover the triples of `range`; returns their number.
    #[inline(always)]
    #[track_caller]
    fn check(&self, range: &VectorRange) -> usize {
        let range = range.range();
        let count = range.end - range.start;
        if count > 0 {
            let (league, j) = (self.shared.league_rank, self.j);
            self.shared.check([league, j, range.start], [league + 1, j + 1, range.end]);
        }
        count
    }

    /// Calls `body` for every index, with the triple (league, `j`, `v`).
    ///
    /// # Panics
    /// If a View that the triples index does not cover them.
    #[inline(always)]
    #[track_caller]
    pub fn parallel_for(&mut self, range: VectorRange, mut body: impl for<'v> FnMut(NestedIdx<'k, 'v, 3>)) {
        let count = self.check(&range);
        let (league, j, start) = (self.shared.league_rank, self.j, range.range().start);
        let mut iteration = |place: Line, distance| {
            // SAFETY: the thread owns the pair, so all its triples, and runs them one after the other; or on a device the
            // lane owns the triple in all loops of the launch.
            body(unsafe { NestedIdx::new([league, j, place.index + distance]) });
        };
        #[cfg(feature = "cuda")]
        if let Some(lanes) = lanes!(self, "parallel_for", count, ()) {
            lanes.turned(start).each(count, |offset| iteration(Line { index: start }, offset));
            lanes.barrier();
            return;
        }
        (0..count).for_each(|offset| iteration(Line { index: start }, offset));
    }

    /// Reduces over every index, in the canonical order of this loop.
    ///
    /// # Panics
    /// As [`parallel_for`](Self::parallel_for).
    ///
    /// # Examples
    /// The value goes to all lanes, so it cannot hold the witness of one of them:
    /// ```compile_fail,E0521
    /// use spelt_core::{AUTO, ExecutionSpace, NestedIdx, Serial, View, parallel_for, reducers::Reducer};
    /// struct Pick<'k, 'j>(core::marker::PhantomData<NestedIdx<'k, 'j, 2>>);
    /// impl<'k, 'j> Reducer for Pick<'k, 'j> {
    ///     type Value = Option<NestedIdx<'k, 'j, 2>>;
    ///     type Output = Self::Value;
    ///     fn init(&self) -> Self::Value { None }
    ///     fn join(&self, into: &mut Self::Value, from: &Self::Value) { *into = into.or(*from); }
    ///     fn finish(&self, value: Self::Value) -> Self::Value { value }
    /// }
    /// let space = Serial::new();
    /// let mut y = View::<f64, 2>::zeros("y", [2, 3])?;
    /// parallel_for("no", space.team(2, AUTO).vector(8), &mut y, |team, mut y| {
    ///     team.parallel_for(team.thread_range(3), |mut thread| {
    ///         let mut own = None;
    ///         thread.single(|w| own = Some(w));
    ///         let pick = Pick(core::marker::PhantomData);
    ///         let found = thread.parallel_reduce(thread.vector_range(8), |_, found| *found = found.or(own), pick);
    ///         if let Some(w) = found { y[w] += 1.0; }
    ///     });
    /// })?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn parallel_reduce<R: Reducer>(
        &mut self,
        range: VectorRange,
        mut body: impl for<'v> FnMut(NestedIdx<'k, 'v, 3>, &mut R::Value),
        reducer: R,
    ) -> R::Output
    where
        // Values pass from lane to lane; a witness of the pair must not.
        R::Value: Clone + Send + 'static,
    {
        let count = self.check(&range);
        let (league, j, start) = (self.shared.league_rank, self.j, range.range().start);
        let place = |offset| Line { index: start + offset };
        let iteration = Nested::reduction(move |place: Line, distance: usize, value: &mut R::Value| {
            // SAFETY: the thread owns the pair, so all its triples, and runs them one after the other; or on a device
            // the lane owns the triple in all loops of the launch.
            body(unsafe { NestedIdx::new([league, j, place.index + distance]) }, value);
        });
        #[cfg(feature = "cuda")]
        if let Some(lanes) = lanes!(self, "parallel_reduce", count, R::Value) {
            return apart!(R::Value, {
                let crew = lanes.turned(start);
                let mut owned = iteration;
                let mut iteration = |place, distance, value: &mut R::Value| owned.run(place, distance, value);
                let value = crew_reduce::reduce_all(&reducer, crew, count, &place, &mut iteration);
                lanes.barrier();
                reducer.finish(value)
            });
        }
        reduce_here::<false, _, _, _>(&reducer, count, place, iteration)
    }

    /// Scans every index in order and returns the total; the closure is as for
    /// [`parallel_scan`](crate::parallel_scan()).
    ///
    /// # Panics
    /// As [`parallel_for`](Self::parallel_for).
    #[inline(always)]
    #[track_caller]
    pub fn parallel_scan<R: Reducer>(
        &mut self,
        range: VectorRange,
        mut body: impl for<'v> FnMut(NestedIdx<'k, 'v, 3>, &mut R::Value, bool),
        reducer: R,
    ) -> R::Output
    where
        R::Value: Clone + Send + 'static,
    {
        let count = self.check(&range);
        let (league, j, start) = (self.shared.league_rank, self.j, range.range().start);
        let place = |offset| Line { index: start + offset };
        let mut iteration = Nested::scan(|place: Line, distance: usize, value: &mut R::Value, last: bool| {
            // SAFETY: the thread owns the pair, so all its triples, and runs them one after the other; or on a device
            // the lane owns the triple in all loops of the launch.
            body(unsafe { NestedIdx::new([league, j, place.index + distance]) }, value, last);
        });
        #[cfg(feature = "cuda")]
        if let Some(lanes) = lanes!(self, "parallel_scan", count, R::Value) {
            return apart!(R::Value, {
                let crew = lanes.turned(start);
                let mut iteration =
                    |place, distance, value: &mut R::Value, last| iteration.run(place, distance, value, last);
                let value = crew_scan::scan_all(&reducer, crew, count, &place, &mut iteration);
                lanes.barrier();
                reducer.finish(value)
            });
        }
        scan_finished(&reducer, count, place, &mut iteration)
    }
}
