//! One output in each launch: for fewer outputs than threads, each with many elements.

use spelt_core::reducers::Reducer;
use spelt_core::{Element, ExecutionSpace, Result, Stride, ViewRef, parallel_reduce};

use super::LABEL;
use super::plan::Reduced;
use super::quick::Quick;
use crate::room::room;

/// Calls `body` for each index of a box, the last component fastest.
pub(super) fn each_index(extents: [usize; 6], mut body: impl FnMut([usize; 6]) -> Result<()>) -> Result<()> {
    for number in 0..extents.iter().product() {
        let (mut index, mut rest) = ([0; 6], number);
        for dimension in (0..6).rev() {
            index[dimension] = rest % extents[dimension];
            rest /= extents[dimension];
        }
        body(index)?;
    }
    Ok(())
}

/// Reduces to each output in a separate launch, and returns all of them in the order of the indices.
pub(super) fn reduce_few_rows<S, T, F, R>(
    space: &S,
    x: ViewRef<'_, T, 6, S::Memory, Stride>,
    reduced: Reduced,
    outputs: [usize; 6],
    contribute: F,
    reducer: R,
    quick: impl Quick<T, R>,
) -> Result<Vec<R::Output>>
where
    S: ExecutionSpace,
    T: Element,
    F: Fn(&mut R::Value, T, usize) + Copy + Sync,
    R: Reducer<Output: Element, Value: Send> + Copy + Sync,
{
    let mut results = room(outputs.iter().product(), "results of a reduction")?;
    each_index(outputs, |index| {
        let range = |dimension: usize| {
            if dimension < reduced.rank {
                0..reduced.extents[dimension]
            } else {
                index[dimension]..index[dimension] + 1
            }
        };
        let row = x.try_subview((range(0), range(1), range(2), range(3), range(4), range(5)))?;
        if reduced.rank <= 1
            && let Some(row) = row.regrouped([&[0, 1, 2, 3, 4, 5]])?.into_contiguous()
        {
            if const { !S::IS_DEVICE }
                && let Some(found) = quick.search_on(space, row)?
            {
                results.push(found);
                return Ok(());
            }
            results.push(parallel_reduce(
                LABEL,
                space.range(0..reduced.count),
                row,
                move |k, value, x| contribute(value, x[k], k.get()),
                reducer,
            )?);
            return Ok(());
        }
        // The reduced dimensions last: there the loop runs along them.
        let all = [0, 1, 2, 3, 4, 5];
        let row = row.regrouped(core::array::from_fn::<&[usize], 6, _>(|dimension| {
            (dimension + reduced.rank).checked_sub(6).map_or(&[], |axis| &all[axis..=axis])
        }))?;
        let extents = row.extents();
        let found = parallel_reduce(
            LABEL,
            space.md_range(extents.map(|extent| 0..extent)),
            row,
            move |i, value, x| {
                let index = i.get();
                let mut k = 0;
                for dimension in 0..6 {
                    k = k * extents[dimension] + index[dimension];
                }
                contribute(value, x[i], k);
            },
            reducer,
        )?;
        results.push(found);
        Ok(())
    })?;
    Ok(results)
}
