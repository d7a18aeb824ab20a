//! `Simd`: a vector, and what makes one.

use core::ops::{Index, IndexMut};
use core::sync::atomic::{Ordering, compiler_fence};

use spelt_core::Element;

use crate::SimdElement;

/// A vector of `N` lanes.
///
/// It has the memory of `[T; N]`, and is an [`Element`](trait@Element): Views hold it, kernels take it by value. Any `N` is allowed; powers of
/// two give the best code. Every operation computes each lane as the language computes a `T`, but integers wrap: the bits are
/// the same on every machine.
///
/// `==` compares whole vectors, as it does arrays; [`simd_eq`](Self::simd_eq) compares lane by lane.
///
/// # Source
/// Kokkos: `simd<T, Abi>`. The names of methods are those of Rust's `std::simd`.
///
/// # Complexity
/// `N` operations, in as few instructions as the processor's registers allow. One instruction serves one vector: a vector of 16 bytes, as four
/// lanes of `f32`, fills half of a register of AVX2, and twice as many lanes take the same number of instructions.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, parallel_for};
/// use spelt_simd::Simd;
/// let space = Serial::new();
/// let mut x = space.zeros::<Simd<f32, 8>, 1>("x", [100])?;
/// parallel_for("count", space.range(0..100), &mut x, |i, mut x| {
///     x[i] = Simd::from_fn(|lane| (8 * i.get() + lane) as f32) * 0.5;
/// })?;
/// assert_eq!(x[99][7], 399.5);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Element)]
#[element(crate = "spelt_core")]
#[repr(transparent)]
pub struct Simd<T, const N: usize>(pub(crate) [T; N]);

impl<T: SimdElement, const N: usize> Simd<T, N> {
    /// The number of lanes.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_simd::Simd::<f64, 4>::LEN, 4);
    /// ```
    pub const LEN: usize = N;

    /// The vector whose lanes are all `value`.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::<u8, 2>::splat(7).to_array(), [7, 7]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn splat(value: T) -> Self {
        Self([value; N])
    }

    /// The vector with these lanes.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::from_array([1.0, 2.0])[1], 2.0);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn from_array(lanes: [T; N]) -> Self {
        Self(lanes)
    }

    /// The lanes.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!((Simd::from_array([1, 2]) * 3).to_array(), [3, 6]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn to_array(self) -> [T; N] {
        self.0
    }

    /// The vector of the values of `f` for the lanes 0, 1, .., called in this order.
    ///
    /// It gathers from whatever can be read by an index in a kernel.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::<usize, 4>::from_fn(|lane| lane * lane).to_array(), [0, 1, 4, 9]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn from_fn<F: FnMut(usize) -> T>(mut f: F) -> Self {
        let mut lanes = [T::ALL_BYTES_ZERO; N];
        let mut lane = 0;
        while lane < N {
            lanes[lane] = f(lane);
            lane += 1;
        }
        Self(lanes)
    }

    /// The vector of the first `N` elements of `slice`.
    ///
    /// # Panics
    /// If there are fewer.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// assert_eq!(Simd::<i32, 2>::from_slice(&[1, 2, 3]).to_array(), [1, 2]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn from_slice(slice: &[T]) -> Self {
        let Some(lanes) = slice.first_chunk() else { too_short(N, slice.len()) };
        Self(*lanes)
    }

    /// Writes the lanes to the first `N` elements of `slice`.
    ///
    /// # Panics
    /// If there are fewer.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// let mut numbers = [0; 3];
    /// Simd::from_array([1, 2]).copy_to_slice(&mut numbers[1..]);
    /// assert_eq!(numbers, [0, 1, 2]);
    /// ```
    #[inline(always)]
    pub fn copy_to_slice(self, slice: &mut [T]) {
        let len = slice.len();
        let Some(lanes) = slice.first_chunk_mut() else { too_short(N, len) };
        *lanes = self.0;
    }

    /// The vector of `f` of each lane: `x.map(exp)`.
    ///
    /// The functions of `spelt::math` have the same bits on every machine, and vector code. Functions that IEEE 754 defines, such as
    /// `f64::floor`, do as well.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// let x = Simd::from_array([1.5, -1.5]);
    /// assert_eq!(x.map(f64::floor).to_array(), [1.0, -2.0]);
    /// assert_eq!(x.map(spelt_math::exp)[0].to_bits(), spelt_math::exp(1.5_f64).to_bits());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn map<U: SimdElement, F: FnMut(T) -> U>(self, mut f: F) -> Simd<U, N> {
        keep_lanes_together::<T, N>();
        let mut lanes = [U::ALL_BYTES_ZERO; N];
        let mut lane = 0;
        while lane < N {
            lanes[lane] = f(self.0[lane]);
            lane += 1;
        }
        Simd(lanes)
    }

    /// The vector of `f` of each lane of two vectors: `x.zip_map(y, pow)`.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Simd;
    /// let (x, y) = (Simd::from_array([3.0_f64, 5.0]), Simd::from_array([4.0, 12.0]));
    /// assert_eq!(x.zip_map(y, spelt_math::hypot).to_array(), [5.0, 13.0]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn zip_map<U: SimdElement, V: SimdElement, F: FnMut(T, U) -> V>(
        self,
        other: Simd<U, N>,
        mut f: F,
    ) -> Simd<V, N> {
        keep_lanes_together::<T, N>();
        let mut lanes = [V::ALL_BYTES_ZERO; N];
        let mut lane = 0;
        while lane < N {
            lanes[lane] = f(self.0[lane], other.0[lane]);
            lane += 1;
        }
        Simd(lanes)
    }
}

/// Keeps the operations on the lanes of a vector together.
///
/// With the loop over a View's elements around them, LLVM would rather make vectors of the same lane of neighbouring elements, and
/// spend most of the time on exchanging lanes. A loop with a fence is left alone, and the lanes are packed within the iteration. The
/// fence is no instruction: it only orders memory for signal handlers of the thread.
#[inline(always)]
pub(crate) fn keep_lanes_together<T, const N: usize>() {
    if const { N >= 4 && N.is_power_of_two() && size_of::<[T; N]>() >= 16 } {
        compiler_fence(Ordering::Release);
    }
}

#[cold]
#[inline(never)]
fn too_short(lanes: usize, len: usize) -> ! {
    panic!("a vector has {lanes} lanes, but the slice has {len} elements")
}

impl<T: SimdElement, const N: usize> Default for Simd<T, N> {
    #[inline(always)]
    fn default() -> Self {
        Self([T::ALL_BYTES_ZERO; N])
    }
}

impl<T: SimdElement, const N: usize> From<[T; N]> for Simd<T, N> {
    #[inline(always)]
    fn from(lanes: [T; N]) -> Self {
        Self(lanes)
    }
}

impl<T: SimdElement, const N: usize> From<Simd<T, N>> for [T; N] {
    #[inline(always)]
    fn from(vector: Simd<T, N>) -> Self {
        vector.0
    }
}

impl<T, const N: usize> Index<usize> for Simd<T, N> {
    type Output = T;
    #[inline(always)]
    fn index(&self, lane: usize) -> &T {
        &self.0[lane]
    }
}

impl<T, const N: usize> IndexMut<usize> for Simd<T, N> {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut T {
        &mut self.0[lane]
    }
}
