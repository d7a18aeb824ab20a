//! Tests whether keys are sorted.

use spelt_core::reducers::Min;
use spelt_core::tools::algorithm;
use spelt_core::{ExecutionSpace, Layout, ReadView, Result, parallel_reduce};

use super::key::{Direction, RadixKey};
use crate::dense::Dense;

/// Whether no key is smaller than the one before it; floats by their total order, as in [`sort`](crate::sort).
///
/// # Errors
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) for Views with gaps, which are copied first.
///
/// # Complexity
/// Work O(n), span O(n / threads + log n); each key is read once.
///
/// # Examples
/// ```
/// use spelt_algorithms::is_sorted;
/// use spelt_core::{Serial, View};
/// let keys = View::from_vec("keys", [4], vec![-0.0, 0.0, 1.0, f64::NAN])?;
/// assert!(is_sorted(&Serial::new(), &keys)?);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn is_sorted<S, K, L>(space: &S, keys: &impl ReadView<K, 1, S::Memory, L>) -> Result<bool>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    let _region = algorithm("is_sorted");
    Ok(first_descent(space, keys, false)?.is_none())
}

/// Whether no key is larger than the one before it: [`is_sorted`] in descending order.
///
/// # Errors
/// As [`is_sorted`].
///
/// # Complexity
/// As [`is_sorted`].
///
/// # Examples
/// ```
/// use spelt_algorithms::is_sorted_descending;
/// use spelt_core::{Serial, View};
/// let keys = View::from_vec("keys", [3], vec![f64::NAN, 0.0, -0.0])?;
/// assert!(is_sorted_descending(&Serial::new(), &keys)?);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn is_sorted_descending<S, K, L>(space: &S, keys: &impl ReadView<K, 1, S::Memory, L>) -> Result<bool>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    let _region = algorithm("is_sorted_descending");
    Ok(first_descent(space, keys, true)?.is_none())
}

/// The index of the first key that is smaller than the one before it, or the number of keys: that many are sorted.
///
/// # Errors
/// As [`is_sorted`].
///
/// # Complexity
/// As [`is_sorted`].
///
/// # Examples
/// ```
/// use spelt_algorithms::is_sorted_until;
/// use spelt_core::{Serial, View};
/// let keys = View::from_vec("keys", [4], vec![1, 3, 2, 0])?;
/// assert_eq!(is_sorted_until(&Serial::new(), &keys)?, 2);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn is_sorted_until<S, K, L>(space: &S, keys: &impl ReadView<K, 1, S::Memory, L>) -> Result<usize>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    let _region = algorithm("is_sorted_until");
    let n = keys.read().len();
    Ok(first_descent(space, keys, false)?.unwrap_or(n))
}

/// The index of the first key that belongs before its predecessor.
fn first_descent<S, K, L>(
    space: &S,
    keys: &impl ReadView<K, 1, S::Memory, L>,
    descending: bool,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    K: RadixKey,
    L: Layout,
{
    let n = keys.read().len();
    if n < 2 {
        return Ok(None);
    }
    let direction = Direction::<K::Bits>::new(descending);
    let keys = Dense::of(space, keys.read())?;
    let keys = keys.view();
    let first = parallel_reduce(
        "is_sorted",
        space.range(0..n - 1),
        (keys.subview(0..n - 1), keys.subview(1..n)),
        move |i, first, (former, latter)| {
            if direction.bits(former[i]) > direction.bits(latter[i]) {
                *first = (*first).min(i.get() + 1);
            }
        },
        Min::<usize>::new(),
    )?;
    Ok((first < n).then_some(first))
}
