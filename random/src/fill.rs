//! Views of random numbers.

use core::fmt::Debug;
use core::ops::Range;

use spelt_core::{Error, ErrorKind, ExecutionSpace, Layout, Result, Scalar, WriteView, parallel_for};

use crate::{Draws, Random, Uniform};

/// Fills a View with numbers of a range, each equally likely: element `i` is `random.at(i).range(range)`.
///
/// `i` is the number of the element, the last index fastest, regardless of the layout.
///
/// # Errors
/// [`ErrorKind::Configuration`] if the range is empty, or its length is not finite; nothing is written. Any error that a
/// device reports.
///
/// # Complexity
/// Work O(n), span O(n / threads). Writes each element once.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, View};
/// use spelt_random::{Random, fill_uniform};
/// let mut x = View::<f64, 2>::zeros("x", [3, 5])?;
/// fill_uniform(&Serial::new(), &mut x, Random::new(1), -1.0..1.0)?;
/// assert_eq!(x[[2, 1]], Random::new(1).at(11).range(-1.0..1.0));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn fill_uniform<S, T, L, const R: usize>(
    space: &S,
    view: &mut impl WriteView<T, R, S::Memory, L>,
    random: Random,
    range: Range<T>,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Uniform + Scalar + Debug,
    L: Layout,
{
    if !T::is_range(&range) {
        return Err(Error::new(
            ErrorKind::Configuration,
            format!(
                "view `{}`: no random numbers are in {range:?}: give a range of finite length whose end is larger than its start",
                view.read().label()
            ),
        ));
    }
    let Range { start, end } = range;
    fill(space, view, random, (start, end), |draws, (start, end)| draws.range(start..end))
}

/// Fills a View with numbers of the normal distribution: element `i` is `mean + deviation * random.at(i).normal()`.
///
/// `i` is the number of the element, the last index fastest, regardless of the layout. Numbers of `f32` are rounded once.
///
/// # Errors
/// [`ErrorKind::Configuration`] if the standard deviation is negative or NaN; nothing is written. Any error that a
/// device reports.
///
/// # Complexity
/// As [`fill_uniform`].
///
/// # Examples
/// ```
/// use spelt_core::{Serial, View};
/// use spelt_random::{Random, fill_normal};
/// let mut x = View::<f32, 1>::zeros("x", [1000])?;
/// fill_normal(&Serial::new(), &mut x, Random::new(1), 10.0, 2.0)?;
/// assert_eq!(x[7], (10.0 + 2.0 * Random::new(1).at(7).normal()) as f32);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn fill_normal<S, T, L, const R: usize>(
    space: &S,
    view: &mut impl WriteView<T, R, S::Memory, L>,
    random: Random,
    mean: f64,
    deviation: f64,
) -> Result<()>
where
    S: ExecutionSpace,
    T: RandomFloat,
    L: Layout,
{
    if deviation.is_nan() || deviation < 0.0 {
        return Err(Error::new(
            ErrorKind::Configuration,
            format!(
                "view `{}`: {deviation} is not a standard deviation: give 0 or more",
                view.read().label()
            ),
        ));
    }
    fill(space, view, random, (mean, deviation), |draws, (mean, deviation)| {
        T::rounded(mean + deviation * draws.normal())
    })
}

/// A float that [`fill_normal`] writes.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Layout, Serial, View};
/// use spelt_random::{Random, RandomFloat, fill_normal};
/// fn noise<T: RandomFloat>(n: usize) -> spelt_core::Result<View<T, 1>> {
///     let mut noise = View::zeros("noise", [n])?;
///     fill_normal(&Serial::new(), &mut noise, Random::new(1), 0.0, 1.0)?;
///     Ok(noise)
/// }
/// assert_eq!(noise::<f64>(3)?[2] as f32, noise::<f32>(3)?[2]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait RandomFloat: Scalar + sealed::Sealed {
    /// The nearest number of this type.
    #[doc(hidden)]
    fn rounded(number: f64) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for f64 {}
impl RandomFloat for f64 {
    #[inline(always)]
    fn rounded(number: f64) -> Self {
        number
    }
}

impl sealed::Sealed for f32 {}
impl RandomFloat for f32 {
    #[inline(always)]
    fn rounded(number: f64) -> Self {
        number as Self
    }
}

/// Fills a View by `draw`, with the numbers of each element.
fn fill<S, T, P, L, const R: usize>(
    space: &S,
    view: &mut impl WriteView<T, R, S::Memory, L>,
    random: Random,
    (a, b): (P, P),
    draw: impl Fn(&mut Draws, (P, P)) -> T + Sync + Copy,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Scalar,
    P: Scalar,
    L: Layout,
{
    let mut view = view.write();
    let extents = view.extents();
    let all = space.md_range(extents.map(|extent| 0..extent));
    parallel_for("random numbers", all, (random, a, b, &mut view), move |i, (random, a, b, mut view)| {
        let index = i.index();
        let mut number = 0;
        for dimension in 0..R {
            number = number * extents[dimension] + index[dimension];
        }
        view[i] = draw(&mut random.at(number), (a, b));
    })
}
