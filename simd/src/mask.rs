//! `Mask`: a truth value for each lane.

use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use spelt_core::Element;

use crate::simd::keep_lanes_together;
use crate::{Simd, SimdElement};

/// A truth value for each of `N` lanes, the result of a comparison.
///
/// It serves vectors of every type with as many lanes. `&`, `|`, `^` and `!` combine masks; [`select`](Self::select) chooses between vectors.
/// It has the memory of `[bool; N]` and is an [`Element`](trait@Element).
///
/// # Source
/// Kokkos: `simd_mask<T, Abi>`, and `where` with `select`.
///
/// # Examples
/// ```
/// use spelt_simd::Simd;
/// let x = Simd::from_array([-1.0, 0.5, 2.0, f64::NAN]);
/// let inside = x.simd_ge(Simd::splat(0.0)) & x.simd_le(Simd::splat(1.0));
/// assert_eq!(inside.to_array(), [false, true, false, false]);
/// assert_eq!(inside.select(x, Simd::splat(9.0)).to_array(), [9.0, 0.5, 9.0, 9.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Element)]
#[element(crate = "spelt_core")]
#[repr(transparent)]
pub struct Mask<const N: usize>([bool; N]);

impl<const N: usize> Mask<N> {
    /// The mask whose lanes are all `value`.
    ///
    /// # Examples
    /// ```
    /// assert!(spelt_simd::Mask::<4>::splat(true).all());
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn splat(value: bool) -> Self {
        Self([value; N])
    }

    /// The mask with these lanes.
    ///
    /// # Examples
    /// ```
    /// assert!(spelt_simd::Mask::from_array([false, true]).test(1));
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn from_array(lanes: [bool; N]) -> Self {
        Self(lanes)
    }

    /// The lanes.
    ///
    /// # Examples
    /// ```
    /// assert_eq!((!spelt_simd::Mask::from_array([false, true])).to_array(), [true, false]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn to_array(self) -> [bool; N] {
        self.0
    }

    /// The mask of the values of `f` for the lanes 0, 1, .., called in this order.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::Mask;
    /// assert_eq!(Mask::<4>::from_fn(|lane| lane < 3).count(), 3);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn from_fn<F: FnMut(usize) -> bool>(mut f: F) -> Self {
        let mut lanes = [false; N];
        let mut lane = 0;
        while lane < N {
            lanes[lane] = f(lane);
            lane += 1;
        }
        Self(lanes)
    }

    /// Whether a lane is set.
    ///
    /// # Panics
    /// If there is no such lane.
    ///
    /// # Examples
    /// ```
    /// assert!(!spelt_simd::Mask::from_array([false, true]).test(0));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn test(self, lane: usize) -> bool {
        self.0[lane]
    }

    /// Sets or resets a lane.
    ///
    /// # Panics
    /// If there is no such lane.
    ///
    /// # Examples
    /// ```
    /// let mut mask = spelt_simd::Mask::<2>::splat(false);
    /// mask.set(1, true);
    /// assert_eq!(mask.to_array(), [false, true]);
    /// ```
    #[inline(always)]
    pub fn set(&mut self, lane: usize, value: bool) {
        self.0[lane] = value;
    }

    /// Whether every lane is set.
    ///
    /// # Examples
    /// ```
    /// assert!(!spelt_simd::Mask::from_array([false, true]).all());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn all(self) -> bool {
        let mut all = true;
        let mut lane = 0;
        while lane < N {
            all &= self.0[lane];
            lane += 1;
        }
        all
    }

    /// Whether at least one lane is set.
    ///
    /// # Examples
    /// ```
    /// assert!(spelt_simd::Mask::from_array([false, true]).any());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn any(self) -> bool {
        let mut any = false;
        let mut lane = 0;
        while lane < N {
            any |= self.0[lane];
            lane += 1;
        }
        any
    }

    /// The number of lanes that are set.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_simd::Mask::from_array([true, false, true, true]).count(), 3);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn count(self) -> usize {
        let mut count = 0;
        let mut lane = 0;
        while lane < N {
            count += self.0[lane] as usize;
            lane += 1;
        }
        count
    }

    /// The lanes of `set` where the mask is set, those of `unset` elsewhere.
    ///
    /// Both vectors have been computed for all lanes. NaNs keep their bits.
    ///
    /// # Examples
    /// ```
    /// use spelt_simd::{Mask, Simd};
    /// let mask = Mask::from_array([true, false]);
    /// assert_eq!(mask.select(Simd::from_array([1, 2]), Simd::from_array([3, 4])).to_array(), [1, 4]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn select<T: SimdElement>(self, set: Simd<T, N>, unset: Simd<T, N>) -> Simd<T, N> {
        keep_lanes_together::<T, N>();
        let mut lanes = unset.0;
        let mut lane = 0;
        while lane < N {
            // Not a branch, which would keep the lanes out of vector registers.
            lanes[lane] = core::hint::select_unpredictable(self.0[lane], set.0[lane], lanes[lane]);
            lane += 1;
        }
        Simd(lanes)
    }
}

impl<const N: usize> Default for Mask<N> {
    #[inline(always)]
    fn default() -> Self {
        Self([false; N])
    }
}

macro_rules! operators {
    ($($operator:ident::$method:ident, $assign:ident::$assign_method:ident: $sign:tt;)*) => {$(
        impl<const N: usize> $operator for Mask<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                let mut lane = 0;
                while lane < N {
                    self.0[lane] $sign other.0[lane];
                    lane += 1;
                }
                self
            }
        }
        impl<const N: usize> $assign for Mask<N> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = $operator::$method(*self, other);
            }
        }
    )*};
}
operators! {
    BitAnd::bitand, BitAndAssign::bitand_assign: &=;
    BitOr::bitor, BitOrAssign::bitor_assign: |=;
    BitXor::bitxor, BitXorAssign::bitxor_assign: ^=;
}

impl<const N: usize> Not for Mask<N> {
    type Output = Self;
    #[inline(always)]
    fn not(mut self) -> Self {
        let mut lane = 0;
        while lane < N {
            self.0[lane] = !self.0[lane];
            lane += 1;
        }
        self
    }
}
