//! One output at a time, its elements in order: for reduced dimensions that lie closer in memory than the kept ones, and on a device
//! for cases that `teams` does not handle.

use core::array;
use core::ops::Range;

use spelt_core::isa::{Work, dispatch};
use spelt_core::reducers::Reducer;
use spelt_core::{
    BoxRef, DistinctAccess, Element, ExecutionSpace, LookupAccess, Result, Stride, ViewMut, ViewRef,
    parallel_for, serial_reduce, serial_reduce_box,
};

use super::LABEL;
use super::plan::{Reduced, index_of};
use super::quick::Quick;

/// Elements that a thread takes at a time. Unit: elements. Source: some microseconds of work.
const SHARE: usize = 1 << 14;

/// Reduces all elements of a box.
#[inline(always)]
fn reduce_elements<T, F, R, const N: usize, const UNIT: bool>(
    elements: BoxRef<'_, T, N, UNIT>,
    contribute: F,
    reducer: &R,
) -> R::Output
where
    T: Element,
    F: Fn(&mut R::Value, T, usize),
    R: Reducer,
{
    let extents = elements.extents();
    let one = move |place: [usize; N], value: &mut R::Value| {
        let mut k = 0;
        // Iterators make sums of pairs take 1.3 times as long.
        for dimension in 0..N {
            k = k * extents[dimension] + place[dimension];
        }
        // SAFETY: `serial_reduce_box` asks for places below the extents that it was given, those of these elements.
        contribute(value, unsafe { *elements.get_unchecked(place) }, k);
    };
    serial_reduce_box(extents, one, reducer)
}

/// Reduces all elements from `index` on, as many along each dimension as these pairs say, at least one.
#[inline(always)]
fn reduce_box<T, F, R, const N: usize>(
    x: &LookupAccess<'_, T, 6, Stride>,
    index: [usize; 6],
    dimensions: [(usize, usize); N],
    contribute: F,
    reducer: &R,
) -> R::Output
where
    T: Element,
    F: Fn(&mut R::Value, T, usize),
    R: Reducer,
{
    let elements = x.box_from(index, dimensions);
    match elements.unit_lines() {
        Some(elements) => reduce_elements(elements, contribute, reducer),
        None => reduce_elements(elements, contribute, reducer),
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
) -> R::Output
where
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy,
    R: Reducer,
{
    if reduced.count == 0 {
        // It keeps values that are too large for the stack elsewhere.
        return serial_reduce(0, |_, _| (), reducer);
    }
    let Reduced { extents, rank, count } = reduced;
    if rank == 1
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
    if rank <= 1 {
        // Lines of neighbours were above.
        return reduce_elements(x.box_from(index, [(0, count)]), contribute, reducer);
    }
    if rank == 2 {
        return reduce_box(x, index, [(0, extents[0]), (1, extents[1])], contribute, reducer);
    }
    // The first dimensions of the box have extent 1.
    let dimensions: [_; 6] = array::from_fn(|place| match (place + rank).checked_sub(6) {
        Some(dimension) => (dimension, extents[dimension]),
        None => (0, 1),
    });
    reduce_box(x, index, dimensions, contribute, reducer)
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
                reduce_row(self.x, index, self.reduced, self.contribute, &self.reducer, self.quick);
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
            out[i] = reduce_row(&x, i.get(), reduced, contribute, &reducer, ());
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
