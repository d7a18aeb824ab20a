//! Every contribution changes its bin immediately: for devices, and reducers whose joins may come in any order.

use spelt_core::reducers::Reducer;
use spelt_core::{Element, ExecutionSpace, Layout, MemorySpace, Result, ViewMut, parallel_for};

use super::Contributions;

impl<I, V, M, LK, LV, B, F> Contributions<'_, I, V, M, LK, LV, B, F>
where
    I: Element,
    V: Element,
    M: MemorySpace,
    LK: Layout,
    LV: Layout,
    B: Fn(I) -> usize + Copy + Sync,
{
    /// Joins all contributions, atomically.
    pub(super) fn atomically<S, T, R, L>(
        self,
        space: &S,
        mut bins: ViewMut<'_, T, 1, M, L>,
        reducer: R,
    ) -> Result<()>
    where
        S: ExecutionSpace<Memory = M>,
        T: Element,
        F: Fn(V) -> T + Copy + Sync,
        R: Reducer<Value = T, Output = T> + Copy + Send + Sync,
        L: Layout,
    {
        let Self { keys, values, bin, lift } = self;
        let len = bins.len();
        parallel_for(
            "bins",
            space.range(0..keys.len()),
            (keys, values, bins.scatter_with(reducer).atomic()),
            move |i, (keys, values, bins)| {
                let place = bin(keys[i]);
                if place < len {
                    bins.update(place, lift(values[i]));
                }
            },
        )
    }
}
