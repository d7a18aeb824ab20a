//! `reduce_by_key`: one value for each run of equal keys.

use spelt_core::reducers::Reducer;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, View, parallel_scan};

use super::compact::Flags;
use crate::bounds::same_length;

/// Reduces the values of each run of equal neighbouring keys: the first key of each run, and its values joined and finished.
///
/// Values join by ascending index, so the reducer need not be commutative. How they are grouped depends on the number of values,
/// on where runs begin and on the size of the reducer's value: the bits are the same on every space, thread count and run. NaN
/// equals nothing, so each is a run of its own. `==` is asked once for each two neighbours.
///
/// # Errors
/// [`Extents`](spelt_core::ErrorKind::Extents) if there are not as many values as keys;
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is none for the results and a flag for each key.
///
/// # Panics
/// If `==` or a join panics.
///
/// # Complexity
/// For n keys: work O(n), n - 1 comparisons and at most 3 n joins of values and O(n / 64) of partial results; span
/// O(n / threads + log n), whatever the lengths of the runs. Two launches and one number read back: keys and values are read
/// twice at most, and 3 n bytes of flags are written and read.
///
/// # Source
/// CUB: `DeviceReduce::ReduceByKey`; Schwartz, *Ultracomputers*, 1980: a segmented scan is a scan of pairs.
///
/// # Examples
/// ```
/// use spelt_algorithms::reduce_by_key;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let keys = View::from_vec("keys", [4], vec![1, 1, 2, 1])?;
/// let values = View::from_vec("values", [4], vec![1, 2, 3, 4])?;
/// let (keys, sums) = reduce_by_key(&Serial::new(), &keys, &values, Sum::new())?;
/// assert_eq!(keys.as_slice(), Some(&[1, 2, 1][..]));
/// assert_eq!(sums.as_slice(), Some(&[3, 3, 4][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[allow(clippy::type_complexity)]
pub fn reduce_by_key<S, K, T, R, LK, LV>(
    space: &S,
    keys: &impl ReadView<K, 1, S::Memory, LK>,
    values: &impl ReadView<T, 1, S::Memory, LV>,
    reducer: R,
) -> Result<(View<K, 1, S::Memory>, View<R::Output, 1, S::Memory>)>
where
    S: ExecutionSpace,
    K: Element + PartialEq,
    T: Element,
    R: Reducer<Value = T, Output: Element> + Copy + Sync,
    LK: Layout,
    LV: Layout,
{
    let (keys, values) = (keys.read(), values.read());
    same_length("reduce_by_key", keys, values)?;
    let n = keys.len();
    let heads = Flags::of_heads(space, keys)?;
    let runs = heads.set;
    let mut firsts = space.zeros::<K, 1>(keys.label(), [runs])?;
    let mut results = space.zeros::<R::Output, 1>(values.label(), [runs])?;
    // SAFETY: the first iteration of each run writes its key and the last one its result, both at the number of the run: no two
    // iterations at one place. Which iterations begin runs is stored, nothing writes it meanwhile, and the reducer that counts
    // them is this module's own; the caller's joins have no part in it.
    let (first_places, result_places) = unsafe { (firsts.distinct(), results.distinct()) };
    parallel_scan(
        "by key",
        space.range(0..n),
        (heads.flags.lookup(), keys, values, first_places, result_places),
        move |i, run, last, (heads, keys, values, mut firsts, mut results)| {
            let at = i.get();
            if heads[at] {
                if last {
                    firsts[run.begun] = keys[i];
                }
                *run = Run { begun: run.begun + 1, value: reducer.init() };
            }
            reducer.join(&mut run.value, &values[i]);
            if last && *heads.get(at + 1).unwrap_or(&true) {
                results[run.begun - 1] = reducer.finish(run.value);
            }
        },
        ByKey(reducer),
    )?;
    Ok((firsts, results))
}

/// How many runs have begun, and the value of the last of them.
#[derive(Clone, Copy)]
struct Run<T> {
    begun: usize,
    value: T,
}

/// Joins what comes later: a run that has begun there starts anew.
#[derive(Clone, Copy)]
struct ByKey<R>(R);

impl<R: Reducer<Value: Copy>> Reducer for ByKey<R> {
    type Value = Run<R::Value>;
    type Output = ();

    const COMMUTATIVE: bool = false;
    const EXACT: bool = R::EXACT;

    #[inline(always)]
    fn init(&self) -> Self::Value {
        Run { begun: 0, value: self.0.init() }
    }

    #[inline(always)]
    fn join(&self, into: &mut Self::Value, from: &Self::Value) {
        if from.begun == 0 {
            self.0.join(&mut into.value, &from.value);
        } else {
            *into = Run { begun: into.begun + from.begun, value: from.value };
        }
    }

    #[inline(always)]
    fn finish(&self, _: Self::Value) {}
}
