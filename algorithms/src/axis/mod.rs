//! Reductions along axes.

mod accumulate;
mod arg;
mod columns;
mod even;
mod exclusive;
mod few;
mod groups;
mod in_register;
mod moments;
mod named;
mod plan;
mod quick;
mod rows;
mod teams;
mod tile;

use spelt_core::reducers::Reducer;
use spelt_core::tools::algorithm;
use spelt_core::{
    Element, ExecutionSpace, Layout, ReadView, Result, View, ViewMut, WriteView, canonical, deep_copy,
};

pub use accumulate::Accumulate;
pub use arg::{arg_max_axes, arg_min_axes};
pub use named::{
    all_axes, any_axes, max_axes, maximum_axes, mean_axes, min_axes, minimum_axes, norm_l1_axes,
    norm_l2_axes, norm_max_axes, norm_squared_axes, product_axes, standard_deviation_axes, sum_axes,
    variance_axes,
};

/// The kernels' name in messages.
const LABEL: &str = "reduce_axes";

/// Up to this number of outputs, neighbours are computed one by one. Unit: elements. Source: a cache line of `f32`.
const FEW: usize = 16;

/// The number of reduced elements from which a launch for each output pays. Unit: elements. Source: the break-even size of launches.
const LONG: usize = 8192;

/// Up to this number of reduced elements, neighbouring outputs are computed together at any distance. Unit: elements.
const SHORT: usize = 32;

/// Reduces `x` along `axes` into `out`.
///
/// `contribute(value, element, k)` contributes one element to the running value of its output; `k` is its position among the
/// elements of that output: the index along the axis, or with several axes the position in their box, the last axis fastest.
/// Running values have the reducer's type, not the element's: a sum of `f16` may be kept in `f32`, or of `i8` in `i32`.
///
/// `out` has the extents of `x` with 1 in place of the reduced ones, or only the extents of the other axes, in their order.
/// The axes may be given in any order; without axes, each element is an output. An output without elements is
/// `finish(init())`.
///
/// # Guarantee
/// Each output has the bits of [`parallel_reduce`](spelt_core::parallel_reduce()) over its elements alone, in the order of
/// `k`: they depend on the extents of the reduced axes and on the reducer only, and neither on layout, strides and the other
/// extents, nor on space and threads.
///
/// # Errors
/// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if an axis is not below the rank or is named twice, if `out` has
/// other extents, or if more than six groups of axes are apart in memory (Views of rank 7 and 8, reduced along every other axis);
/// nothing is written then.
///
/// # Panics
/// If a contribution or a join panics; the contents of `out` are then unspecified.
///
/// # Complexity
/// For n elements and m outputs: work n contributions, and joins as for m reductions of n / m elements: at most one for each
/// contribution, O(n / 64) for long axes; span O(n / threads + log n). Reads each element once, in the order of memory along
/// the innermost dimension, and writes each output once. One launch; or two on a host, if outputs are neighbours and
/// few for each thread, with up to 16 running values for each thread and output; or one for each output, if they are few
/// and far apart.
///
/// # Examples
/// ```
/// use spelt_algorithms::reduce_axes;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let x = View::from_fn("x", [2, 3, 4], |[i, j, k]| (100 * i + 10 * j + k) as u8)?;
/// let mut out = View::<u32, 2>::zeros("out", [2, 4])?;
/// reduce_axes(&Serial::new(), &x, [1], &mut out, |sum, x, _| *sum += u32::from(x), Sum::<u32>::new())?;
/// assert_eq!(out.to_vec(), [30, 33, 36, 39, 330, 333, 336, 339]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reduce_axes<S, T, L, K, F, R, const N: usize, const A: usize, const Q: usize>(
    space: &S,
    x: &impl ReadView<T, N, S::Memory, L>,
    axes: [usize; A],
    out: &mut impl WriteView<R::Output, Q, S::Memory, K>,
    contribute: F,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
    F: Fn(&mut R::Value, T, usize) + Copy + Sync,
    R: Reducer<Output: Element, Value: Clone + Send + 'static> + Copy + Sync,
{
    let _region = algorithm("reduce_axes");
    reduce_axes_and(space, x, axes, out, contribute, reducer, ())
}

/// [`reduce_axes`], with a quicker way to its result.
fn reduce_axes_and<S, T, L, K, F, R, W, const N: usize, const A: usize, const Q: usize>(
    space: &S,
    x: &impl ReadView<T, N, S::Memory, L>,
    axes: [usize; A],
    out: &mut impl WriteView<R::Output, Q, S::Memory, K>,
    contribute: F,
    reducer: R,
    quick: W,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    K: Layout,
    F: Fn(&mut R::Value, T, usize) + Copy + Sync,
    R: Reducer<Output: Element, Value: Clone + Send + 'static> + Copy + Sync,
    W: quick::Quick<T, R>,
{
    let (x, mut out) = (x.read(), out.write());
    let plan = plan::plan(
        (x.label(), &x.extents(), &x.strides()),
        &axes,
        (out.label(), &out.extents(), &out.strides()),
    )?;
    let x = x.regrouped(plan.from.each_ref().map(|axes| axes.as_slice()))?;
    let mut out = out.regrouped_mut(plan.to.each_ref().map(|axes| axes.as_slice()))?;
    let reduced = plan.reduced;
    let (outputs, neighbours) = (out.len(), out.extents()[5]);
    if outputs == 0 {
        return Ok(());
    }
    let few = reduced.count >= LONG && outputs < 4 * space.concurrency();
    if S::IS_DEVICE {
        if reduced.count >= LONG && outputs <= 8 {
            let found = few::reduce_few_rows(space, x, reduced, out.extents(), contribute, reducer, quick)?;
            return store(&mut out, found);
        }
        // Threads of a team then read neighbours; otherwise threads with neighbouring outputs do. With few lanes in a tile most of a team
        // would have no work.
        let wide = const { canonical::lanes(R::LANE_BYTES) } >= 16;
        if wide && reduced.rank == 1 && x.strides()[0] == 1 && reduced.count >= SHORT {
            return teams::reduce_lines(space, x, out, contribute, reducer);
        }
        return rows::reduce_rows(space, x, reduced, out, contribute, reducer, quick);
    }
    let inner = x.strides()[reduced.rank.saturating_sub(1)];
    // Shorter rows gain nothing from a search.
    let searched = W::SEARCHES && reduced.rank == 1 && inner == 1 && reduced.count > 2;
    if neighbours > FEW && (x.strides()[5] < inner || (reduced.count <= SHORT && !searched)) {
        return columns::reduce_columns(space, x, reduced, out, contribute, reducer, quick);
    }
    if few {
        let found = few::reduce_few_rows(space, x, reduced, out.extents(), contribute, reducer, quick)?;
        return store(&mut out, found);
    }
    rows::reduce_rows(space, x, reduced, out, contribute, reducer, quick)
}

/// Writes results that came back to the host.
fn store<T: Element, M>(out: &mut ViewMut<'_, T, 6, M, spelt_core::Stride>, found: Vec<T>) -> Result<()>
where
    M: spelt_core::MemorySpace + spelt_core::CopyFrom<spelt_core::HostSpace>,
{
    deep_copy(out, &View::from_vec("results", out.extents(), found)?)
}
