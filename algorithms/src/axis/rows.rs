//! One output at a time, its elements in order: for reduced dimensions that lie closer in memory than the kept ones, and on a device
//! for cases that `teams` does not handle.

use core::ops::Range;

use spelt_core::isa::{Work, dispatch};
use spelt_core::reducers::Reducer;
use spelt_core::{
    DistinctAccess, Element, ExecutionSpace, LineRef, LookupAccess, Result, Stride, ViewMut, ViewRef,
    parallel_for, serial_reduce,
};

use super::LABEL;
use super::in_register::in_register;
use super::plan::{Reduced, index_of};
use super::quick::Quick;
use super::tree::{self, Source};
use crate::large_values::is_large;

/// Elements that a thread takes at a time. Unit: elements. Source: some microseconds of work.
const SHARE: usize = 1 << 14;

/// Rows of lanes that are added at a time, so that a lane's value is loaded and stored once for them. Unit: rows.
const ROWS: usize = 4;

/// The elements of one output.
struct Row<'v, 'k, T, F> {
    x: &'v LookupAccess<'k, T, 6, Stride>,
    index: [usize; 6],
    reduced: Reduced,
    contribute: F,
    /// Whether several rows of lanes are added at a time: not on a device, whose lanes' values lie in memory all the same.
    together: bool,
    /// The line that was used last, and the position of its first element.
    line: Option<(usize, LineRef<'v, T>)>,
}

impl<'v, T, F> Row<'v, '_, T, F> {
    /// The elements from position `k` on, `most` of them or up to the end of their line.
    #[inline(always)]
    fn segment(&mut self, k: usize, most: usize) -> LineRef<'v, T> {
        let len = self.reduced.line();
        let (start, line) = match self.line {
            Some((start, line)) if k.wrapping_sub(start) < len => (start, line),
            _ => {
                let start = k - k % len;
                let mut index = self.index;
                self.reduced.place(start, &mut index);
                (start, self.x.line(index, self.reduced.rank.saturating_sub(1)))
            }
        };
        self.line = Some((start, line));
        line.part(k - start, most.min(start + len - k)).expect("a line has the reduced extent")
    }
}

impl<V, T: Element, F: Fn(&mut V, T, usize)> Source<V> for Row<'_, '_, T, F> {
    #[inline(always)]
    fn across(&mut self, first: usize, values: &mut [V]) {
        let mut done = 0;
        while done < values.len() {
            let line = self.segment(first + done, values.len() - done);
            let part = &mut values[done..done + line.len()];
            let k = first + done;
            match line.as_slice() {
                Some(slice) => part
                    .iter_mut()
                    .zip(slice)
                    .enumerate()
                    .for_each(|(place, (value, x))| (self.contribute)(value, *x, k + place)),
                None => part
                    .iter_mut()
                    .zip(line.iter())
                    .enumerate()
                    .for_each(|(place, (value, x))| (self.contribute)(value, *x, k + place)),
            }
            done += line.len();
        }
    }

    #[inline(always)]
    fn across_rows<const W: usize>(&mut self, first: usize, len: usize, values: &mut [V; W]) -> usize {
        if !self.together {
            return 0;
        }
        let line = self.segment(first, len);
        let Some(slice) = line.as_slice() else { return 0 };
        let rows = slice.as_chunks::<W>().0.as_chunks::<ROWS>().0;
        for (number, rows) in rows.iter().enumerate() {
            let first = first + number * ROWS * W;
            for (lane, value) in values.iter_mut().enumerate() {
                in_register(value, |value| {
                    for (row, elements) in rows.iter().enumerate() {
                        (self.contribute)(value, elements[lane], first + row * W + lane);
                    }
                });
            }
        }
        rows.len() * ROWS * W
    }

    #[inline(always)]
    fn along(&mut self, first: usize, len: usize, value: &mut V) {
        let mut done = 0;
        while done < len {
            let line = self.segment(first + done, len - done);
            for (place, x) in line.iter().enumerate() {
                (self.contribute)(value, *x, first + done + place);
            }
            done += line.len();
        }
    }
}

/// Reduces to the output at `index`.
#[inline(always)]
fn reduce_row<T, F, R>(
    x: &LookupAccess<'_, T, 6, Stride>,
    index: [usize; 6],
    reduced: Reduced,
    contribute: F,
    reducer: &R,
    quick: impl Quick<T, R>,
    together: bool,
) -> R::Output
where
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy,
    R: Reducer,
{
    if reduced.rank == 1
        && reduced.count > 0
        && let Some(row) = x.line(index, 0).as_slice()
    {
        if let Some(found) = quick.search(row) {
            return found;
        }
        let one = |k: usize, value: &mut R::Value| {
            // SAFETY: `serial_reduce` asks for positions below the length that it was given.
            contribute(value, unsafe { *row.get_unchecked(k) }, k);
        };
        return serial_reduce(row.len(), one, reducer);
    }
    let mut row = Row { x, index, reduced, contribute, together, line: None };
    // It keeps values that are too large for the stack elsewhere.
    if const { is_large::<R::Value>() } {
        return serial_reduce(reduced.count, |k, value| row.along(k, 1, value), reducer);
    }
    reducer.finish(tree::reduce(reducer, reduced.count, &mut row))
}

/// Outputs that follow one another, the last index fastest: a thread of a host takes them at a time.
struct Rows<'a, 'k, T, F, R: Reducer, Q> {
    x: &'a LookupAccess<'k, T, 6, Stride>,
    out: &'a mut DistinctAccess<'k, R::Output, 6, Stride>,
    extents: [usize; 6],
    numbers: Range<usize>,
    reduced: Reduced,
    contribute: F,
    reducer: R,
    quick: Q,
}

impl<T, F, R, Q> Work for Rows<'_, '_, T, F, R, Q>
where
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy,
    R: Reducer,
    Q: Quick<T, R>,
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut index = index_of(self.numbers.start, self.extents);
        for _ in self.numbers {
            self.out[index] =
                reduce_row(self.x, index, self.reduced, self.contribute, &self.reducer, self.quick, true);
            let mut dimension = 5;
            index[5] += 1;
            while dimension > 0 && index[dimension] == self.extents[dimension] {
                index[dimension] = 0;
                dimension -= 1;
                index[dimension] += 1;
            }
        }
    }
}

/// Reduces to each output by itself.
pub(super) fn reduce_rows<S, T, F, R>(
    space: &S,
    x: ViewRef<'_, T, 6, S::Memory, Stride>,
    reduced: Reduced,
    mut out: ViewMut<'_, R::Output, 6, S::Memory, Stride>,
    contribute: F,
    reducer: R,
    quick: impl Quick<T, R>,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy + Sync,
    R: Reducer<Output: Element> + Copy + Sync,
{
    let extents = out.extents();
    if S::IS_DEVICE {
        let outputs = space.md_range(extents.map(|extent| 0..extent));
        return parallel_for(LABEL, outputs, (x.lookup(), &mut out), move |i, (x, mut out)| {
            out[i] = reduce_row(&x, i.get(), reduced, contribute, &reducer, (), false);
        });
    }
    let outputs = out.len();
    let group = SHARE.div_ceil(reduced.count.max(1));
    // SAFETY: iteration `i` touches the outputs with numbers from `i * group` to below `(i + 1) * group`, and so does no other.
    let out = unsafe { out.distinct() };
    parallel_for(
        LABEL,
        space.range(0..outputs.div_ceil(group)).chunk(1),
        (x.lookup(), out),
        move |i, (x, mut out)| {
            let numbers = i.get() * group..outputs.min((i.get() + 1) * group);
            dispatch(Rows { x: &x, out: &mut out, extents, numbers, reduced, contribute, reducer, quick });
        },
    )
}
