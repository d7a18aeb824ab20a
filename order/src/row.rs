//! The values of one row of a scan: the contributions of neighbouring iterations, which become the values before them.

use core::hint::{assert_unchecked, black_box};
use core::mem::needs_drop;

use spelt_reducers::Reducer;

use crate::canonical;
use crate::lanes::Storage;

/// The values of `W` lanes of a row, laid out as those of a reduction, so that loops over them vectorise.
///
/// A join reads only lanes that have a value: joins of lanes that do not would be observable.
pub(crate) struct Row<R: Reducer, const W: usize>(Storage<R, W>);

impl<R: Reducer, const W: usize> Row<R, W> {
    /// A row without values.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        assert!(!needs_drop::<R::Value>(), "values that own something scan in rows of one lane");
        Self(Storage::new())
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, lane: usize, value: R::Value) {
        self.0.put(lane, value);
    }

    /// The value of a lane, moved out: a value without drop glue leaves its bytes behind.
    ///
    /// # Safety
    /// The lane has a value, which is not used again; or the one returned is only read, while that of the lane is not used.
    #[inline(always)]
    pub(crate) unsafe fn take(&self, lane: usize) -> R::Value {
        // SAFETY: the lane has a value, as the contract asks. A value that is only read, for as long as the other is not used, is
        // as good as a reference.
        unsafe { self.0.take(lane) }
    }

    /// The values of `from` after `first`, moved out.
    ///
    /// # Safety
    /// They exist, and are not used again.
    #[inline(always)]
    pub(crate) unsafe fn taken<const N: usize>(from: &Row<R, N>, first: usize) -> Self {
        assert!(W <= N && first <= N - W);
        let mut row = Self::new();
        for lane in 0..W {
            // SAFETY: asserted above; the values exist and are not used again, as the contract asks.
            unsafe {
                assert_unchecked(first + lane < N);
                row.put(lane, from.take(first + lane));
            }
        }
        row
    }

    /// The values of the first `count` lanes; `None` if they are stored in words.
    ///
    /// # Safety
    /// They have values.
    #[inline(always)]
    pub(crate) unsafe fn first(&mut self, count: usize) -> Option<&mut [R::Value]> {
        let are_whole = const { size_of::<R::Value>() == align_of::<R::Value>() };
        // SAFETY: values of one word are stored one after the other, and these lanes have some, as the contract asks.
        (are_whole && count <= W).then(|| unsafe { self.0.0[..count].assume_init_mut() })
    }

    /// Joins `left` and the value of a lane, and stores the result there.
    ///
    /// # Safety
    /// The lane has a value.
    #[inline(always)]
    unsafe fn join_into(&mut self, reducer: &R, left: &R::Value, lane: usize)
    where
        R::Value: Clone,
    {
        let mut value = left.clone();
        // SAFETY: the lane has a value, as the contract asks, which is replaced below.
        let right = unsafe { self.take(lane) };
        reducer.join(&mut value, &right);
        self.put(lane, value);
    }

    /// Replaces the contributions of all lanes by their prefixes, inclusive.
    ///
    /// # Safety
    /// All lanes have values.
    #[inline(always)]
    pub(crate) unsafe fn join_all(&mut self, reducer: &R)
    where
        R::Value: Clone,
    {
        // SAFETY: all lanes have values, as the contract asks.
        unsafe { self.join_groups::<1>(reducer) }
    }

    /// Replaces the prefixes within groups of `G` lanes by those within the row.
    ///
    /// # Safety
    /// All lanes have values.
    #[inline(always)]
    pub(crate) unsafe fn join_groups<const G: usize>(&mut self, reducer: &R)
    where
        R::Value: Clone,
    {
        // All bounds are constants: each step is straight code for vectors, without selects.
        let mut half = G;
        while half < W {
            let mut block = 0;
            while block < W {
                // SAFETY: all lanes have values, as the contract asks; this one is only read, and its lane not used in this block.
                let left = unsafe { self.take(block + half - 1) };
                for lane in block + half..block + 2 * half {
                    // SAFETY: all lanes have values, as the contract asks.
                    unsafe { self.join_into(reducer, &left, lane) };
                }
                block += 2 * half;
            }
            half *= 2;
        }
    }

    /// Replaces the contributions of each of the first groups of `G` lanes, `count` lanes together, by their prefixes within the group.
    ///
    /// # Safety
    /// These lanes have values; `count` is a multiple of `G` and at most `W`.
    #[inline(always)]
    pub(crate) unsafe fn join_within_groups<const G: usize>(&mut self, reducer: &R, count: usize)
    where
        R::Value: Clone,
    {
        let mut first = 0;
        while first < count {
            // SAFETY: the group ends at `count` at the latest, and its lanes have values, as the contract asks. All of them but the first,
            // which is its own prefix, are replaced.
            unsafe {
                assert_unchecked(first + G <= W);
                let mut group = Row::<R, G>::taken(self, first);
                group.join_all(reducer);
                for lane in 1..G {
                    self.put(first + lane, group.take(lane));
                }
            }
            // Later steps load vectors from memory. Without this, the compiler assembles them here, by a shuffle for each element.
            black_box(&mut self.0);
            first += G;
        }
    }

    /// Joins `left` and the value of each lane, and stores the results there.
    ///
    /// # Safety
    /// All lanes have values.
    #[inline(always)]
    unsafe fn join_behind(&mut self, reducer: &R, left: &R::Value)
    where
        R::Value: Clone,
    {
        for lane in 0..W {
            // SAFETY: all lanes have values, as the contract asks.
            unsafe { self.join_into(reducer, left, lane) };
        }
    }

    /// Stores in `into`, from `first` on, the value before each lane, given their prefixes, the value before the row and the value
    /// before the first lane, if there are such.
    ///
    /// # Safety
    /// All lanes have values, of which only the last is used again.
    #[inline(always)]
    pub(crate) unsafe fn starts<const N: usize>(
        &self,
        reducer: &R,
        base: Option<&R::Value>,
        start: Option<&R::Value>,
        into: &mut Row<R, N>,
        first: usize,
    ) where
        R::Value: Clone,
    {
        assert!(W <= N && first <= N - W);
        into.put(first, start.map_or_else(|| reducer.init(), R::Value::clone));
        for lane in 1..W {
            // SAFETY: asserted above; lane `lane - 1` has a value, as the contract asks, and is not the last.
            let before = unsafe {
                assert_unchecked(first + lane < N);
                self.take(lane - 1)
            };
            into.put(first + lane, joined(reducer, base, before));
        }
    }
}

/// The last row of a range, with fewer lanes than others: its pieces have as many lanes as the bits of their number say, the largest
/// first, so that each is straight code.
pub(crate) struct Part<'a, R: Reducer> {
    reducer: &'a R,
    /// The value before the row, if there is one.
    base: Option<&'a R::Value>,
    /// Where the row begins, and its number of lanes.
    first: usize,
    count: usize,
    /// The values of the pieces so far.
    pieces: [Option<R::Value>; PIECES],
    /// The prefix of the last lane so far.
    last: Option<R::Value>,
}

/// The most pieces of a part of a row.
const PIECES: usize = canonical::MAX_LANES.ilog2() as usize;

impl<'a, R: Reducer> Part<'a, R>
where
    R::Value: Clone,
{
    /// The row of `count` lanes from `first` on.
    #[inline(always)]
    pub(crate) fn new(reducer: &'a R, base: Option<&'a R::Value>, first: usize, count: usize) -> Self {
        Self { reducer, base, first, count, pieces: [const { None }; PIECES], last: None }
    }

    /// Replaces the contributions in `values` by the values before them, and returns the value of the row.
    ///
    /// # Safety
    /// The lanes have values; there are fewer than [`canonical::MAX_LANES`].
    #[inline(always)]
    pub(crate) unsafe fn run<const N: usize>(mut self, values: &mut Row<R, N>) -> Option<R::Value> {
        // SAFETY: the pieces are disjoint, and together the lanes, which have values, as the contract asks.
        unsafe {
            self.piece::<16, N>(values);
            self.piece::<8, N>(values);
            self.piece::<4, N>(values);
            self.piece::<2, N>(values);
            self.piece::<1, N>(values);
        }
        self.last
    }

    /// Does the piece of `W` lanes, if there is one.
    ///
    /// # Safety
    /// Its lanes have contributions.
    #[inline(always)]
    unsafe fn piece<const W: usize, const N: usize>(&mut self, values: &mut Row<R, N>) {
        if N < W || self.count & W == 0 {
            return;
        }
        let reducer = self.reducer;
        let first = self.first + (self.count & !(2 * W - 1));
        // SAFETY: the lanes have contributions, as the contract asks, each of which is replaced below.
        unsafe {
            let mut row = Row::<R, W>::taken(values, first);
            row.join_all(reducer);
            let value = row.take(W - 1);
            for left in self.pieces.iter().flatten() {
                row.join_behind(reducer, left);
            }
            // The smallest piece is joined first: it is nearest.
            self.pieces[W.ilog2() as usize] = Some(value);
            let start = match self.last.take() {
                None => self.base.cloned(),
                Some(last) => Some(joined(reducer, self.base, last)),
            };
            row.starts(reducer, self.base, start.as_ref(), values, first);
            self.last = Some(row.take(W - 1));
        }
    }
}

/// `left`, if there is one, joined with `right`.
#[inline(always)]
pub(crate) fn joined<R>(reducer: &R, left: Option<&R::Value>, right: R::Value) -> R::Value
where
    R: Reducer,
    R::Value: Clone,
{
    match left {
        None => right,
        Some(left) => {
            let mut value = left.clone();
            reducer.join(&mut value, &right);
            value
        }
    }
}
