//! `histogram` and `histogram_even`: counts of samples.

use core::ops::Range;

use spelt_core::reducers::{ProdElement, SumElement};
use spelt_core::tools::algorithm;
use spelt_core::{Element, Error, ErrorKind, ExecutionSpace, Layout, ReadView, Result, WriteView};

use super::Contributions;
use crate::{IndexElement, SampleElement};

/// Counts the occurrences of each number: `counts[k]` becomes the number of `i` with `samples[i] == k`.
///
/// Numbers that are not an index of `counts` are ignored. Counts have any type with addition and a one; small integer
/// types wrap. The result is the same on every space, thread count and run.
///
/// # Errors
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is not enough memory for copies of the counts.
///
/// # Complexity
/// As [`reduce_by_index`](crate::reduce_by_index) with a value of 1 each: the samples are read once, or three times if there are
/// more bins than n / 256. On a device, counts of integers read them once.
///
/// # Source
/// NumPy: `bincount`.
///
/// # Examples
/// ```
/// use spelt_algorithms::histogram;
/// use spelt_core::{Serial, View};
/// let digits = View::from_vec("digits", [6], vec![3_u8, 1, 4, 1, 5, 9])?;
/// let mut counts = View::<u32, 1>::zeros("counts", [6])?;
/// histogram(&Serial::new(), &digits, &mut counts)?;
/// assert_eq!(counts.as_slice(), Some(&[0, 2, 0, 1, 1, 1][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn histogram<S, I, C, LI, L>(
    space: &S,
    samples: &impl ReadView<I, 1, S::Memory, LI>,
    counts: &mut impl WriteView<C, 1, S::Memory, L>,
) -> Result<()>
where
    S: ExecutionSpace,
    I: IndexElement,
    C: Element + SumElement + ProdElement,
    LI: Layout,
    L: Layout,
{
    let _region = algorithm("histogram");
    let keys = samples.read();
    Contributions { keys, values: keys, bin: I::place, lift: one::<I, C> }.sum_into(space, counts)
}

/// Counts samples in bins of equal width: a sample `x` in `range` falls into bin `(x - start) * bins / (end - start)`, rounded
/// down.
///
/// There are as many bins as `counts` has elements. Samples outside `range`, its end and NaN among them, are dropped. Integers
/// are computed exactly, floats in `f64`. The result is the same on every space, thread count and run.
///
/// # Errors
/// [`Configuration`](spelt_core::ErrorKind::Configuration) if `range` is empty or not finite, or if its product with the number of bins
/// overflows; [`Extents`](spelt_core::ErrorKind::Extents) if there is no bin;
/// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory).
///
/// # Complexity
/// As [`histogram`], with one division for each sample that is read.
///
/// # Source
/// CUB: `DeviceHistogram::HistogramEven`.
///
/// # Examples
/// ```
/// use spelt_algorithms::histogram_even;
/// use spelt_core::{Serial, View};
/// let samples = View::from_vec("samples", [10], vec![2.2, 6.1, 7.1, 2.9, 3.5, 0.3, 2.9, 2.1, 6.1, 999.5])?;
/// let mut counts = View::<u32, 1>::zeros("counts", [6])?;
/// histogram_even(&Serial::new(), &samples, 0.0..12.0, &mut counts)?;
/// assert_eq!(counts.as_slice(), Some(&[1, 5, 0, 3, 0, 0][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn histogram_even<S, T, C, LT, L>(
    space: &S,
    samples: &impl ReadView<T, 1, S::Memory, LT>,
    range: Range<T>,
    counts: &mut impl WriteView<C, 1, S::Memory, L>,
) -> Result<()>
where
    S: ExecutionSpace,
    T: SampleElement,
    C: Element + SumElement + ProdElement,
    LT: Layout,
    L: Layout,
{
    let _region = algorithm("histogram_even");
    let bins = counts.read().len();
    if bins == 0 {
        return Err(Error::new(
            ErrorKind::Extents,
            format!(
                "histogram_even: view `{}` has no bin for the samples: give it at least one",
                counts.read().label()
            ),
        ));
    }
    let scale = T::scale(range.start, range.end, bins).map_err(|wrong| {
        Error::new(
            ErrorKind::Configuration,
            format!("histogram_even: the range {range:?} cannot be cut into {bins} bins: {wrong}"),
        )
    })?;
    let keys = samples.read();
    Contributions { keys, values: keys, bin: into_bins::<T>(scale), lift: one::<T, C> }
        .sum_into(space, counts)
}

/// The contribution of each sample to its count.
fn one<T, C: ProdElement>(_sample: T) -> C {
    C::ONE
}

/// The bins of samples; a separate function, generic in no other type.
fn into_bins<T: SampleElement>(scale: T::Scale) -> impl Fn(T) -> usize + Copy + Sync {
    move |sample| sample.bin(scale)
}
