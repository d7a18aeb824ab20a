//! Random orders and samples.

use spelt_algorithms::{Extreme, Ties, sort_by_key, top_k};
use spelt_core::{Element, ExecutionSpace, Layout, Result, View, WriteView, parallel_fill};

use crate::Random;

/// Shuffles the elements of a View: each order is equally likely, up to 2^-64 for each pair of elements.
///
/// The result depends on the elements, the seed and the step alone. Element `i` gets the key `random.at(i).u64()`, and the keys are
/// sorted.
///
/// # Errors
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is no memory for the keys and for copies; any error that a
/// device reports.
///
/// # Complexity
/// That of sorting n keys of 64 bits with a value each.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, View};
/// use spelt_random::{Random, shuffle};
/// let mut deck = View::from_fn("deck", [52], |[i]| i as u8)?;
/// shuffle(&Serial::new(), &mut deck, Random::new(1))?;
/// let mut sorted = deck.to_vec();
/// assert!(!sorted.is_sorted());
/// sorted.sort();
/// assert!(sorted.into_iter().eq(0..52));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn shuffle<S, T, L>(
    space: &S,
    view: &mut impl WriteView<T, 1, S::Memory, L>,
    random: Random,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
{
    let mut keys = keys(space, view.read().len(), random)?;
    sort_by_key(space, &mut keys, view)
}

/// The numbers from 0 to `n`, exclusive, in a random order: those that [`shuffle`] makes.
///
/// # Errors
/// As [`shuffle`].
///
/// # Complexity
/// As [`shuffle`].
///
/// # Examples
/// ```
/// use spelt_core::Serial;
/// use spelt_random::{Random, permutation};
/// let mut order = permutation(&Serial::new(), 100, Random::new(1))?.to_vec();
/// order.sort();
/// assert!(order.into_iter().eq(0..100));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn permutation<S: ExecutionSpace>(
    space: &S,
    n: usize,
    random: Random,
) -> Result<View<usize, 1, S::Memory>> {
    let order = space.uninit("permutation", [n])?;
    let mut order = parallel_fill("numbers", space.range(0..n), order, (), |i, ()| i.get())?;
    shuffle(space, &mut order, random)?;
    Ok(order)
}

/// `count` different numbers from 0 to `n`, exclusive, in a random order; all of them if `count` is larger.
///
/// Each sample is equally likely. They are the first numbers of [`permutation`].
///
/// # Errors
/// As [`shuffle`].
///
/// # Complexity
/// Work O(n), and sorting `count` keys.
///
/// # Examples
/// ```
/// use spelt_core::Serial;
/// use spelt_random::{Random, permutation, sample};
/// let space = Serial::new();
/// let drawn = sample(&space, 49, 6, Random::new(1))?.to_vec();
/// assert_eq!(drawn, permutation(&space, 49, Random::new(1))?.to_vec()[..6]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn sample<S: ExecutionSpace>(
    space: &S,
    n: usize,
    count: usize,
    random: Random,
) -> Result<View<usize, 1, S::Memory>> {
    let keys = keys(space, n, random)?;
    let (_, indices) = top_k(space, &keys, count, Extreme::Smallest, Ties::SmallerIndex)?;
    Ok(indices)
}

/// The key of each element.
fn keys<S: ExecutionSpace>(space: &S, n: usize, random: Random) -> Result<View<u64, 1, S::Memory>> {
    let keys = space.uninit("keys", [n])?;
    parallel_fill("keys", space.range(0..n), keys, random, |i, random| random.at(i).u64())
}
