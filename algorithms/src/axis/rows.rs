//! One output at a time, its elements in order: for reduced dimensions that lie closer in memory than the kept ones.

use spelt_core::reducers::Reducer;
use spelt_core::{
    Element, ExecutionSpace, LineRef, LookupAccess, Result, Stride, ViewMut, ViewRef, parallel_for,
    serial_reduce,
};

use super::LABEL;
use super::plan::Reduced;
use super::tree::{self, Source};

/// Elements from which a row counts as a piece of work. Unit: elements.
const LONG_ROW: usize = 64;

/// Elements that a thread takes at a time. Unit: elements. Source: some microseconds of work.
const SHARE: usize = 1 << 14;

/// The elements of one output.
struct Row<'v, 'k, T, F> {
    x: &'v LookupAccess<'k, T, 6, Stride>,
    index: [usize; 6],
    reduced: Reduced,
    contribute: F,
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

/// Reduces to each output in an iteration of its own.
pub(super) fn reduce_rows<S, T, F, R>(
    space: &S,
    x: ViewRef<'_, T, 6, S::Memory, Stride>,
    reduced: Reduced,
    mut out: ViewMut<'_, R::Output, 6, S::Memory, Stride>,
    contribute: F,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy + Sync,
    R: Reducer<Output: Element> + Copy + Sync,
{
    let mut outputs = space.md_range(out.extents().map(|extent| 0..extent));
    if !const { S::DEVICE } && reduced.count >= LONG_ROW && out.len() > 1 {
        // Few long rows are worth threads that as many single elements are not.
        outputs = outputs.chunk(SHARE.div_ceil(reduced.count));
    }
    parallel_for(LABEL, outputs, (x.lookup(), &mut out), move |i, (x, mut out)| {
        let mut row = Row { x: &x, index: i.get(), reduced, contribute, line: None };
        if reduced.rank <= 1
            && reduced.count > 0
            && let Some(row) = x.line(i.get(), 0).as_slice()
        {
            let one = |k: usize, value: &mut R::Value| {
                // SAFETY: `serial_reduce` asks for positions below the length that it was given.
                contribute(value, unsafe { *row.get_unchecked(k) }, k);
            };
            out[i] = serial_reduce(row.len(), one, &reducer);
        } else {
            out[i] = reducer.finish(tree::reduce(&reducer, reduced.count, &mut row));
        }
    })
}
