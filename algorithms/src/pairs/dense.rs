//! Reductions over all pairs.

use spelt_core::reducers::Reducer;
use spelt_core::tools::algorithm;
use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, Layout, ReadView, Result, WriteView, parallel_for,
};

use super::rows::{HostRows, unit, units};
use super::teams::{self, TeamRow};
use super::tree::MAX_PAIRS;

/// Reduces over `j` for every `i`: `a[i]` becomes the reduction of the contributions of `f` for the pairs `(x[i], y[j])`.
///
/// The matrix of pairs is never stored. The closure gets the indices `[i, j]`, the running value of row `i`, and the pair
/// `(x[i], y[j])`, and contributes to the value as in [`parallel_reduce`](spelt_core::parallel_reduce()). Elements are of any type, so
/// points of three dimensions with weights are a View of `([f32; 3], f32)`; parameters are captured.
///
/// For each `i` the values join in the canonical order of a `parallel_reduce` over `0..y.len()`: the bits depend only on that length and on
/// the reducer, and are the same on every space. If `y` is empty, `a[i]` is `finish(init())`.
///
/// # Errors
/// [`ErrorKind::Extents`] if `a` is not as long as `x`, [`ErrorKind::Overflow`] if `y` has more than 2^38 elements.
///
/// # Panics
/// If the closure or the reducer panics; `a` is then partly written.
///
/// # Complexity
/// Work exactly M N calls of `f` and O(M N / 64) joins, span O(N); rows run in parallel, so a single row runs on one thread:
/// use `parallel_reduce` for that. Reads M N / 16 elements of `y` on a host, from cache, and M N / 128 on a device, into the shared memory
/// of teams with a thread for each of 128 rows; M of `x`; writes `a` once; allocates nothing.
///
/// # Source
/// KeOps: reductions over `axis=1`. B. Charlier et al., *Kernel operations on the GPU, with autodiff, without memory overflows*, JMLR 22,
/// 2021.
///
/// # Examples
/// The Gaussian sum a_i = sum over j of exp(-|x_i - y_j|^2) b_j, and its gradient in x_i:
/// ```
/// use spelt_algorithms::reduce_pairs_over_j;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let kernel = |x: [f64; 1], y: [f64; 1]| spelt_math::exp(-(x[0] - y[0]) * (x[0] - y[0]));
/// let space = Serial::new();
/// let x = View::from_fn("x", [3], |[i]| [i as f64])?;
/// let y = View::from_fn("y and b", [3], |[j]| ([j as f64], 1.0))?;
/// let mut a = View::<f64, 1>::zeros("a", [3])?;
/// reduce_pairs_over_j(&space, &x, &y, &mut a, |_, sum, (x, (y, b))| *sum += kernel(x, y) * b, Sum::<f64>::new())?;
/// assert!((a[0] - 1.386_195).abs() < 1e-6 && (a[1] - 1.735_759).abs() < 1e-6);
///
/// let mut gradient = View::<[f64; 1], 1>::zeros("gradient", [3])?;
/// reduce_pairs_over_j(&space, &x, &y, &mut gradient,
///     |_, sum, (x, (y, b))| sum[0] += -2.0 * (x[0] - y[0]) * kernel(x, y) * b, Sum::<[f64; 1]>::new())?;
/// assert!((gradient[0][0] - 0.809_021).abs() < 1e-6 && gradient[1] == [0.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reduce_pairs_over_j<S, X, Y, LX, LY, LA, R, F>(
    space: &S,
    x: &impl ReadView<X, 1, S::Memory, LX>,
    y: &impl ReadView<Y, 1, S::Memory, LY>,
    a: &mut impl WriteView<R::Output, 1, S::Memory, LA>,
    f: F,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    X: Element,
    Y: Element,
    LX: Layout,
    LY: Layout,
    LA: Layout,
    R: Reducer + Sync,
    R::Output: Element,
    F: Fn([usize; 2], &mut R::Value, (X, Y)) + Sync,
{
    let _region = algorithm("reduce_pairs_over_j");
    let (x, y, mut a) = (x.read(), y.read(), a.write());
    let (m, n) = (x.len(), y.len());
    check("reduce_pairs_over_j", "x", m, a.len(), n)?;
    // SAFETY: iterations write the rows of their units, teams of a device those of their threads, which are disjoint.
    let results = unsafe { a.distinct() };
    if S::IS_DEVICE {
        return parallel_for(
            "reduce_pairs_over_j",
            space.team(m.div_ceil(teams::ROWS), teams::ROWS).scratch(teams::scratch::<R, Y>(n), 0),
            (x.lookup(), y.lookup(), results),
            move |team, (x, y, mut a)| {
                let row = team.league_rank() * teams::ROWS + team.team_rank();
                let active = row < m;
                let x = x[row.min(m - 1)];
                let f = |j, value: &mut R::Value, y| f([row, j], value, (x, y));
                let value = TeamRow { reducer: &reducer, active, n, place: 0, y: |j| y[j], f }.run(team);
                if active {
                    a[row] = reducer.finish(value);
                }
            },
        );
    }
    parallel_for(
        "reduce_pairs_over_j",
        space.range(0..units::<R>(m)).chunk(units_at_a_time(n)),
        (x.lookup(), y.lookup(), results),
        move |k, (x, y, mut a)| {
            let rows = HostRows { x: &x, y: &y, a: &mut a, f: &f, reducer: &reducer };
            rows.reduce(unit::<R>(m, k.get()), n, 0);
        },
    )
}

/// Reduces over `i` for every `j`: `b[j]` becomes the reduction of the contributions of `f` for the pairs `(x[i], y[j])`.
///
/// The transposed form of [`reduce_pairs_over_j`]: the closure is the same, the order is the canonical one over `0..x.len()`.
///
/// # Errors
/// [`ErrorKind::Extents`] if `b` is not as long as `y`, [`ErrorKind::Overflow`] if `x` has more than 2^38 elements.
///
/// # Panics
/// As [`reduce_pairs_over_j`].
///
/// # Complexity
/// As [`reduce_pairs_over_j`], with the parts of `x` and `y` exchanged.
///
/// # Source
/// KeOps: reductions over `axis=0`.
///
/// # Examples
/// For every `y` the index of the nearest `x`:
/// ```
/// use spelt_algorithms::reduce_pairs_over_i;
/// use spelt_core::{Serial, View, reducers::{MinLoc, MinLocValue}};
/// let (x, y) = (View::from_vec("x", [3], vec![0.0_f64, 1.0, 2.0])?, View::from_vec("y", [2], vec![1.8, 0.5])?);
/// let mut nearest = View::<MinLocValue<f64>, 1>::zeros("nearest", [2])?;
/// reduce_pairs_over_i(&Serial::new(), &x, &y, &mut nearest,
///     |[i, _], best, (x, y)| best.update((x - y).abs(), i), MinLoc::<f64>::new())?;
/// assert_eq!((nearest[0].loc, nearest[1].loc), (2, 0));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn reduce_pairs_over_i<S, X, Y, LX, LY, LB, R, F>(
    space: &S,
    x: &impl ReadView<X, 1, S::Memory, LX>,
    y: &impl ReadView<Y, 1, S::Memory, LY>,
    b: &mut impl WriteView<R::Output, 1, S::Memory, LB>,
    f: F,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    X: Element,
    Y: Element,
    LX: Layout,
    LY: Layout,
    LB: Layout,
    R: Reducer + Sync,
    R::Output: Element,
    F: Fn([usize; 2], &mut R::Value, (X, Y)) + Sync,
{
    let _region = algorithm("reduce_pairs_over_i");
    check("reduce_pairs_over_i", "y", y.read().len(), b.read().len(), x.read().len())?;
    let turned = move |[j, i]: [usize; 2], value: &mut R::Value, (y, x)| f([i, j], value, (x, y));
    reduce_pairs_over_j(space, y, x, b, turned, reducer)
}

/// Units of rows that a thread takes at a time, if each row has `n` pairs: a few long rows are also worth several threads.
pub(super) const fn units_at_a_time(n: usize) -> usize {
    PAIRS_AT_A_TIME.div_ceil(if n == 0 { 1 } else { n })
}

/// The number of pairs of a row that justifies waking a thread. Unit: pairs. Source: with 16 rows some microseconds of work.
const PAIRS_AT_A_TIME: usize = 1 << 10;

/// Checks the extents of a reduction of `rows` rows, called `name` in messages, over `n` indices into `results` results.
pub(super) fn check(function: &str, name: &str, rows: usize, results: usize, n: usize) -> Result<()> {
    if rows != results {
        return Err(Error::new(
            ErrorKind::Extents,
            format!(
                "{function}: there are {results} results for the {rows} elements of {name}: give as many of both"
            ),
        ));
    }
    if n > MAX_PAIRS {
        return Err(Error::new(
            ErrorKind::Overflow,
            format!(
                "{function}: {n} pairs for each element of {name} are more than the {MAX_PAIRS} that fit: reduce them in parts"
            ),
        ));
    }
    Ok(())
}
