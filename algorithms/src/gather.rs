//! `gather`: elements fetched by index.

use spelt_core::tools::algorithm;
use spelt_core::{Element, ExecutionSpace, Layout, ReadView, Result, WriteView, parallel_for};

use crate::IndexElement;
use crate::bounds::{all_inside, same_length};

/// Writes `source[indices[i]]` to `out[i]`; if the index is out of bounds, `out[i]` is unchanged.
///
/// An index may occur any number of times.
///
/// # Errors
/// [`Extents`](spelt_core::ErrorKind::Extents) if the lengths of `out` and `indices` differ.
///
/// # Complexity
/// Work O(n) for n indices, span O(n / threads); the indices are read and `out` is written once, `source` is read at
/// the indices.
///
/// # Source
/// Thrust: `gather`; NumPy: `take`.
///
/// # Examples
/// ```
/// use spelt_algorithms::gather;
/// use spelt_core::{Serial, View};
/// let source = View::from_vec("source", [3], vec![10, 20, 30])?;
/// let indices = View::from_vec("indices", [4], vec![2, 0, 7, 2])?;
/// let mut out = View::<i32, 1>::zeros("out", [4])?;
/// gather(&Serial::new(), &source, &indices, &mut out)?;
/// assert_eq!(out.as_slice(), Some(&[30, 10, 0, 30][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn gather<S, T, I, L, LI, LO>(
    space: &S,
    source: &impl ReadView<T, 1, S::Memory, L>,
    indices: &impl ReadView<I, 1, S::Memory, LI>,
    out: &mut impl WriteView<T, 1, S::Memory, LO>,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    I: IndexElement,
    L: Layout,
    LI: Layout,
    LO: Layout,
{
    let _region = algorithm("gather");
    let (source, indices, out) = (source.read(), indices.read(), out.write());
    same_length("gather", indices, out.view())?;
    parallel_for(
        "gather",
        space.range(0..indices.len()),
        (source.lookup(), indices, out),
        move |i, (source, indices, mut out)| {
            if let Some(element) = source.get(indices[i].place()) {
                out[i] = *element;
            }
        },
    )
}

/// [`gather`] with an error for indices outside `source`; nothing is written then.
///
/// # Errors
/// As [`gather`], and [`Extents`](spelt_core::ErrorKind::Extents) with the number of indices outside and the first of them.
///
/// # Complexity
/// As [`gather`]; the indices are read twice.
///
/// # Examples
/// ```
/// use spelt_algorithms::gather_checked;
/// use spelt_core::{Serial, View};
/// let (source, indices) = (View::from_vec("source", [1], vec![10])?, View::from_vec("indices", [2], vec![0, -1])?);
/// let mut out = View::<i32, 1>::zeros("out", [2])?;
/// let error = gather_checked(&Serial::new(), &source, &indices, &mut out).unwrap_err();
/// assert!(error.to_string().contains("1 of the 2 indices"));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn gather_checked<S, T, I, L, LI, LO>(
    space: &S,
    source: &impl ReadView<T, 1, S::Memory, L>,
    indices: &impl ReadView<I, 1, S::Memory, LI>,
    out: &mut impl WriteView<T, 1, S::Memory, LO>,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    I: IndexElement,
    L: Layout,
    LI: Layout,
    LO: Layout,
{
    let _region = algorithm("gather_checked");
    all_inside(space, "gather_checked", indices.read(), source.read().len())?;
    gather(space, source, indices, out)
}
