//! A block of outputs at a time, lanes across them: for kept dimensions that lie closer in memory than the reduced ones.

use spelt_core::reducers::Reducer;
use spelt_core::{
    Element, ExecutionSpace, LookupAccess, Result, Stride, ViewMut, ViewRef, parallel_for, parallel_reduce,
};

use super::LABEL;
use super::plan::Reduced;
use super::tree::{self, Source};

/// Reduces `live` columns, `N` at most, each with the tree that `R` has for one: its shape does not depend on `N`.
#[derive(Clone, Copy)]
struct Wide<R, const N: usize> {
    reducer: R,
    live: usize,
}

impl<R: Reducer, const N: usize> Reducer for Wide<R, N> {
    type Value = [R::Value; N];
    type Output = [R::Value; N];
    const COMMUTATIVE: bool = R::COMMUTATIVE;
    const LANE_BYTES: usize = R::LANE_BYTES;

    #[inline(always)]
    fn init(&self) -> Self::Value {
        core::array::from_fn(|_| self.reducer.init())
    }
    #[inline(always)]
    fn join(&self, into: &mut Self::Value, from: &Self::Value) {
        for (into, from) in into.iter_mut().zip(from).take(self.live) {
            self.reducer.join(into, from);
        }
    }
    #[inline(always)]
    fn finish(&self, value: Self::Value) -> Self::Output {
        value
    }
}

/// Contributes row `k` of a block of columns: those from `index` on, `columns` of them.
#[inline(always)]
fn contribute_row<V, T: Element, const N: usize>(
    x: &LookupAccess<'_, T, 6, Stride>,
    (mut index, columns): ([usize; 6], usize),
    reduced: &Reduced,
    k: usize,
    values: &mut [V; N],
    contribute: impl Fn(&mut V, T, usize),
) {
    reduced.place(k, &mut index);
    let line = x.line(index, 5).part(0, columns).expect("the columns lie in the extent");
    match line.as_slice() {
        Some(row) => match <&[T; N]>::try_from(row) {
            Ok(row) => {
                for (value, x) in values.iter_mut().zip(row) {
                    contribute(value, *x, k);
                }
            }
            Err(_) => {
                for (value, x) in values.iter_mut().zip(row) {
                    contribute(value, *x, k);
                }
            }
        },
        None => {
            for (value, x) in values.iter_mut().zip(line.iter()) {
                contribute(value, *x, k);
            }
        }
    }
}

struct Block<'v, 'k, T, F> {
    x: &'v LookupAccess<'k, T, 6, Stride>,
    columns: ([usize; 6], usize),
    reduced: Reduced,
    contribute: F,
}

impl<V, T: Element, F: Fn(&mut V, T, usize) + Copy, const N: usize> Source<[V; N]> for Block<'_, '_, T, F> {
    #[inline(always)]
    fn across(&mut self, first: usize, values: &mut [[V; N]]) {
        for (place, value) in values.iter_mut().enumerate() {
            contribute_row(self.x, self.columns, &self.reduced, first + place, value, self.contribute);
        }
    }

    #[inline(always)]
    fn along(&mut self, first: usize, len: usize, value: &mut [V; N]) {
        for k in first..first + len {
            contribute_row(self.x, self.columns, &self.reduced, k, value, self.contribute);
        }
    }
}

/// Reduces to `N` neighbouring outputs in each iteration.
pub(super) fn reduce_columns<S, T, F, R, const N: usize>(
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
    let columns = out.extents()[5];
    let mut blocks = out.extents();
    blocks[5] = columns.div_ceil(N);
    // SAFETY: iteration `i` touches the outputs at `i` with last components from `i[5] * N` to below `(i[5] + 1) * N`, and no
    // other iteration has one of those.
    let out = unsafe { out.distinct() };
    parallel_for(
        LABEL,
        space.md_range(blocks.map(|extent| 0..extent)),
        (x.lookup(), out),
        move |i, (x, mut out)| {
            let mut index = i.get();
            index[5] *= N;
            let mut block = Block { x: &x, columns: (index, N.min(columns - index[5])), reduced, contribute };
            let live = block.columns.1;
            let values = tree::reduce(&Wide::<R, N> { reducer, live }, reduced.count, &mut block);
            for value in values.into_iter().take(live) {
                out[index] = reducer.finish(value);
                index[5] += 1;
            }
        },
    )
}

/// Reduces to `N` neighbouring outputs in each launch, and returns all of them in the order of the indices.
pub(super) fn reduce_few_columns<S, T, F, R, const N: usize>(
    space: &S,
    x: ViewRef<'_, T, 6, S::Memory, Stride>,
    reduced: Reduced,
    outputs: [usize; 6],
    contribute: F,
    reducer: R,
) -> Result<Vec<R::Output>>
where
    S: ExecutionSpace,
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy + Sync,
    R: Reducer<Output: Element, Value: Send> + Copy + Sync,
{
    let mut results = Vec::with_capacity(outputs.iter().product());
    super::few::each_index([outputs[0], outputs[1], outputs[2], outputs[3], outputs[4], 1], |mut index| {
        while index[5] < outputs[5] {
            let columns = (index, N.min(outputs[5] - index[5]));
            let values = parallel_reduce(
                LABEL,
                space.range(0..reduced.count),
                x.lookup(),
                move |k, values: &mut [R::Value; N], x| {
                    contribute_row(&x, columns, &reduced, k.get(), values, contribute);
                },
                Wide::<R, N> { reducer, live: columns.1 },
            )?;
            results.extend(values.into_iter().take(columns.1).map(|value| reducer.finish(value)));
            index[5] += N;
        }
        Ok(())
    })?;
    Ok(results)
}
