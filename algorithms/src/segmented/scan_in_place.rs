//! Scans that restart in each segment, in place.

use spelt_core::reducers::Reducer;
use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, ViewRef, WriteView};

use super::offsets::check_offsets;
use super::scan::{by_dense_flags, by_dense_offsets};
use crate::bounds::same_length;
use crate::dense::{Dense, write_densely};

/// A segmented scan whose prefixes replace the elements, by flags.
fn by_flags<const INCLUSIVE: bool, S, T, L, J, R>(
    space: &S,
    flags: ViewRef<'_, bool, 1, S::Memory, J>,
    values: &mut impl WriteView<T, 1, S::Memory, L>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    same_length("segmented scan in place", values.read(), flags)?;
    let flags = Dense::of(space, flags)?;
    let none = space.zeros("", [0])?;
    write_densely(space, values, |values| {
        by_dense_flags::<INCLUSIVE, true, _, _, _>(space, none.view(), flags.view(), values, reducer)
    })
}

/// A segmented scan whose prefixes replace the elements, by offsets.
fn by_offsets<const INCLUSIVE: bool, S, T, L, J, R>(
    space: &S,
    offsets: &impl ReadView<usize, 1, S::Memory, J>,
    values: &mut impl WriteView<T, 1, S::Memory, L>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let known = offsets.segment_shape();
    let offsets = Dense::of(space, offsets.read())?;
    let (_, longest) = check_offsets(space, offsets.view(), known, values.read())?;
    let none = space.zeros("", [0])?;
    write_densely(space, values, |values| {
        by_dense_offsets::<INCLUSIVE, true, _, _, _>(
            space,
            none.view(),
            offsets.view(),
            values,
            longest,
            reducer,
        )
    })
}

/// [`segmented_inclusive_scan_by_flags`](crate::segmented_inclusive_scan_by_flags) in place: the prefixes replace the elements.
///
/// The bits are those of [`segmented_inclusive_scan_by_flags`](crate::segmented_inclusive_scan_by_flags).
///
/// # Errors
/// As [`segmented_inclusive_scan_by_flags`](crate::segmented_inclusive_scan_by_flags).
///
/// # Panics
/// If the reducer panics; the View then has some prefixes and some elements.
///
/// # Complexity
/// As [`segmented_inclusive_scan_by_flags`](crate::segmented_inclusive_scan_by_flags).
///
/// # Examples
/// ```
/// use spelt_algorithms::segmented_inclusive_scan_by_flags_in_place;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let flags = View::from_vec("flags", [5], vec![true, false, false, true, false])?;
/// let mut x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// segmented_inclusive_scan_by_flags_in_place(&Serial::new(), &flags, &mut x, Sum::new())?;
/// assert_eq!(x.to_vec(), [1, 3, 6, 4, 9]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn segmented_inclusive_scan_by_flags_in_place<S, T, L, J, R>(
    space: &S,
    flags: &impl ReadView<bool, 1, S::Memory, J>,
    values: &mut impl WriteView<T, 1, S::Memory, L>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("segmented_inclusive_scan_by_flags_in_place");
    by_flags::<true, _, _, _, _, _>(space, flags.read(), values, reducer)
}

/// [`segmented_exclusive_scan_by_flags`](crate::segmented_exclusive_scan_by_flags) in place: the prefixes replace the elements.
///
/// The bits are those of [`segmented_exclusive_scan_by_flags`](crate::segmented_exclusive_scan_by_flags).
///
/// # Errors
/// As [`segmented_exclusive_scan_by_flags`](crate::segmented_exclusive_scan_by_flags).
///
/// # Panics
/// If the reducer panics; the View then has some prefixes and some elements.
///
/// # Complexity
/// As [`segmented_exclusive_scan_by_flags`](crate::segmented_exclusive_scan_by_flags).
///
/// # Examples
/// ```
/// use spelt_algorithms::segmented_exclusive_scan_by_flags_in_place;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let flags = View::from_vec("flags", [5], vec![true, false, false, true, false])?;
/// let mut x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// segmented_exclusive_scan_by_flags_in_place(&Serial::new(), &flags, &mut x, Sum::new())?;
/// assert_eq!(x.to_vec(), [0, 1, 3, 0, 4]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn segmented_exclusive_scan_by_flags_in_place<S, T, L, J, R>(
    space: &S,
    flags: &impl ReadView<bool, 1, S::Memory, J>,
    values: &mut impl WriteView<T, 1, S::Memory, L>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("segmented_exclusive_scan_by_flags_in_place");
    by_flags::<false, _, _, _, _, _>(space, flags.read(), values, reducer)
}

/// [`segmented_inclusive_scan_by_offsets`](crate::segmented_inclusive_scan_by_offsets) in place: the prefixes replace the elements.
///
/// The bits are those of [`segmented_inclusive_scan_by_offsets`](crate::segmented_inclusive_scan_by_offsets).
///
/// # Errors
/// As [`segmented_inclusive_scan_by_offsets`](crate::segmented_inclusive_scan_by_offsets); no element is changed if the offsets are wrong.
///
/// # Panics
/// If the reducer panics; the View then has some prefixes and some elements.
///
/// # Complexity
/// As [`segmented_inclusive_scan_by_offsets`](crate::segmented_inclusive_scan_by_offsets).
///
/// # Examples
/// ```
/// use spelt_algorithms::segmented_inclusive_scan_by_offsets_in_place;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let offsets = View::from_vec("offsets", [3], vec![0, 3, 5])?;
/// let mut x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// segmented_inclusive_scan_by_offsets_in_place(&Serial::new(), &offsets, &mut x, Sum::new())?;
/// assert_eq!(x.to_vec(), [1, 3, 6, 4, 9]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn segmented_inclusive_scan_by_offsets_in_place<S, T, L, J, R>(
    space: &S,
    offsets: &impl ReadView<usize, 1, S::Memory, J>,
    values: &mut impl WriteView<T, 1, S::Memory, L>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("segmented_inclusive_scan_by_offsets_in_place");
    by_offsets::<true, _, _, _, _, _>(space, offsets, values, reducer)
}

/// [`segmented_exclusive_scan_by_offsets`](crate::segmented_exclusive_scan_by_offsets) in place: the prefixes replace the elements.
///
/// The bits are those of [`segmented_exclusive_scan_by_offsets`](crate::segmented_exclusive_scan_by_offsets).
///
/// # Errors
/// As [`segmented_exclusive_scan_by_offsets`](crate::segmented_exclusive_scan_by_offsets); no element is changed if the offsets are wrong.
///
/// # Panics
/// If the reducer panics; the View then has some prefixes and some elements.
///
/// # Complexity
/// As [`segmented_exclusive_scan_by_offsets`](crate::segmented_exclusive_scan_by_offsets).
///
/// # Examples
/// ```
/// use spelt_algorithms::segmented_exclusive_scan_by_offsets_in_place;
/// use spelt_core::{Serial, View, reducers::Sum};
/// let offsets = View::from_vec("offsets", [3], vec![0, 3, 5])?;
/// let mut x = View::from_vec("x", [5], vec![1, 2, 3, 4, 5])?;
/// segmented_exclusive_scan_by_offsets_in_place(&Serial::new(), &offsets, &mut x, Sum::new())?;
/// assert_eq!(x.to_vec(), [0, 1, 3, 0, 4]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn segmented_exclusive_scan_by_offsets_in_place<S, T, L, J, R>(
    space: &S,
    offsets: &impl ReadView<usize, 1, S::Memory, J>,
    values: &mut impl WriteView<T, 1, S::Memory, L>,
    reducer: R,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    J: Layout,
    R: Reducer<Value = T> + Copy + Sync,
{
    let _region = algorithm("segmented_exclusive_scan_by_offsets_in_place");
    by_offsets::<false, _, _, _, _, _>(space, offsets, values, reducer)
}
