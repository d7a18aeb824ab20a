//! Every contribution changes its bin immediately: for devices, and reducers whose joins may come in any order.
//!
//! Few bins have several copies, so that threads seldom change the same one at a time.

use spelt_core::reducers::Reducer;
use spelt_core::{
    Element, ExecutionSpace, Layout, MemorySpace, Result, ViewMut, deep_copy_scalar, parallel_for,
};

use super::{Begin, CONTRIBUTIONS_PER_COPY, Contributions};

/// The number of copies of all bins together. Unit: bins. Source: estimated: four for each of the 270,000 threads that an H200 runs at a time,
/// and with `u64` a sixth of its 50 MB of cache.
const PLACES: usize = 1 << 20;

/// The number of copies of each bin: a power of two.
fn copies(n: usize, len: usize) -> usize {
    let wanted = (PLACES / len).min(n / CONTRIBUTIONS_PER_COPY / len);
    if wanted == 0 { 1 } else { 1 << wanted.ilog2() }
}

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
        let (n, len) = (self.keys.len(), bins.len());
        if let (copies @ 2.., Some(neutral)) = (copies(n, len), reducer.neutral()) {
            return self.into_copies(space, bins, reducer, (copies, neutral));
        }
        let Self { keys, values, bin, lift } = self;
        parallel_for(
            "bins",
            space.range(0..n),
            (keys, values, bins.scatter_with(reducer).atomic()),
            move |i, (keys, values, bins)| {
                let place = bin(keys[i]);
                if place < len {
                    bins.update(place, lift(values[i]));
                }
            },
        )
    }

    /// The same with several copies of each bin, which begin as neutral, and then join it.
    fn into_copies<S, T, R, L>(
        self,
        space: &S,
        bins: ViewMut<'_, T, 1, M, L>,
        reducer: R,
        (copies, neutral): (usize, T),
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
        // The copies of a bin are neighbours, so equal keys of neighbouring threads change one line.
        let mut joined = space.zeros::<T, 1>("copies of bins", [len * copies])?;
        deep_copy_scalar(&mut joined, neutral)?;
        parallel_for(
            "bins",
            space.range(0..keys.len()),
            (keys, values, joined.scatter_with(reducer).atomic()),
            move |i, (keys, values, joined)| {
                let place = bin(keys[i]);
                if place < len {
                    joined.update(place * copies + (i.get() & (copies - 1)), lift(values[i]));
                }
            },
        )?;
        super::teams::join(space, &joined, bins, (copies, 1, copies), reducer, (neutral, Begin::AsTheyAre))
    }
}

#[cfg(test)]
mod tests {
    use super::copies;

    #[test]
    fn few_bins_have_many_copies() {
        assert_eq!(copies(100_000_000, 1000), 1024);
        assert_eq!(copies(100_000, 1000), 16);
        assert_eq!((copies(7, 2), copies(8, 1), copies(100_000_000, 1 << 20)), (1, 2, 1));
    }
}
