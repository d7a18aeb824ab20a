//! The values of one row of a scan: the contributions of neighbouring iterations, which become the values before them.

use core::hint::assert_unchecked;
use core::mem::needs_drop;

use spelt_reducers::Reducer;

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

    /// The `count` values of `from` after `first`, moved out.
    ///
    /// # Safety
    /// They exist, and are not used again.
    #[inline(always)]
    pub(crate) unsafe fn taken<const N: usize>(from: &Row<R, N>, first: usize, count: usize) -> Self {
        assert!(count <= W && count <= N && first <= N - count);
        let mut row = Self::new();
        for lane in 0..count {
            // SAFETY: asserted above; the values exist and are not used again, as the contract asks.
            unsafe {
                assert_unchecked(lane < W && first + lane < N);
                row.put(lane, from.take(first + lane));
            }
        }
        row
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
        // All bounds are constants: each step is straight code for vectors, without selects.
        let mut half = 1;
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

    /// [`join_all`](Self::join_all) for the first `count` lanes.
    ///
    /// # Safety
    /// These lanes have values.
    #[inline(always)]
    pub(crate) unsafe fn join_first(&mut self, reducer: &R, count: usize)
    where
        R::Value: Clone,
    {
        let mut half = 1;
        while half < count {
            for lane in half..count {
                if lane & half != 0 {
                    // SAFETY: the lane is below `count`, and the other lane, whose value is only read, below it.
                    unsafe {
                        let left = self.take((lane & !(half - 1)) - 1);
                        self.join_into(reducer, &left, lane);
                    }
                }
            }
            half *= 2;
        }
    }

    /// Stores in `into`, from `first` on, the value before each of the first `count` lanes, given their prefixes and the value
    /// before the row, if there is one.
    ///
    /// # Safety
    /// These lanes have values, of which only the last is used again.
    #[inline(always)]
    pub(crate) unsafe fn starts<const N: usize>(
        &self,
        reducer: &R,
        base: Option<&R::Value>,
        into: &mut Row<R, N>,
        first: usize,
        count: usize,
    ) where
        R::Value: Clone,
    {
        assert!(count <= W && count <= N && first <= N - count);
        into.put(first, base.map_or_else(|| reducer.init(), R::Value::clone));
        for lane in 1..count {
            // SAFETY: asserted above; lane `lane - 1` has a value, as the contract asks, and is not the last.
            let before = unsafe {
                assert_unchecked(lane < W && first + lane < N);
                self.take(lane - 1)
            };
            into.put(first + lane, joined(reducer, base, before));
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
