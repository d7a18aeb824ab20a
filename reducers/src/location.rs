//! Locations of values: an index, a tuple of indices, or a user-defined type.

/// A type that identifies the place of a value, for the reducers that return a location.
///
/// Implemented for the integers, and, ordered as in a dictionary, for arrays of locations of any length and tuples of up
/// to six. The order must be total. Implement it for your own types.
///
/// # Source
///
/// Kokkos: the `Index` parameter of `MinLoc` and the like, with `reduction_identity<Index>::min()` and `::max()`.
///
/// # Examples
///
/// ```
/// use spelt_reducers::{Location, MinLoc, Reducer};
///
/// #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
/// struct Cell {
///     block: u32,
///     index: u32,
/// }
///
/// impl Location for Cell {
///     const MIN: Self = Cell { block: 0, index: 0 };
///     const MAX: Self = Cell { block: u32::MAX, index: u32::MAX };
/// }
///
/// let mut best = MinLoc::<f64, Cell>::new().init();
/// best.update(2.0, Cell { block: 1, index: 0 });
/// best.update(2.0, Cell { block: 0, index: 9 });
/// assert_eq!(best.loc, Cell { block: 0, index: 9 });
/// ```
pub trait Location: Copy + PartialOrd {
    /// The first location.
    const MIN: Self;

    /// The last location; the location of an extremum without contributions.
    const MAX: Self;

    /// Whether this location comes before `other`, the same as `self < other`.
    ///
    /// Arrays and tuples compare here without branches, which lets the loops around it vectorise.
    #[inline(always)]
    #[must_use]
    fn precedes(self, other: Self) -> bool {
        self < other
    }
}

macro_rules! integers {
    ($($int:ident)*) => {$(
        impl Location for $int {
            const MIN: Self = $int::MIN;
            const MAX: Self = $int::MAX;
        }
    )*};
}

integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

impl<L: Location, const N: usize> Location for [L; N] {
    const MIN: Self = [L::MIN; N];
    const MAX: Self = [L::MAX; N];

    #[inline(always)]
    fn precedes(self, other: Self) -> bool {
        let mut before = false;
        for part in (0..N).rev() {
            before = self[part].precedes(other[part]) | ((self[part] == other[part]) & before);
        }
        before
    }
}

macro_rules! tuples {
    ($(($($part:ident $index:tt),+) reversed ($($reversed:tt),+);)*) => {$(
        impl<$($part: Location),+> Location for ($($part,)+) {
            const MIN: Self = ($($part::MIN,)+);
            const MAX: Self = ($($part::MAX,)+);

            #[inline(always)]
            fn precedes(self, other: Self) -> bool {
                let before = false;
                $(
                    let before = self.$reversed.precedes(other.$reversed)
                        | ((self.$reversed == other.$reversed) & before);
                )+
                before
            }
        }
    )*};
}

tuples! {
    (A 0) reversed (0);
    (A 0, B 1) reversed (1, 0);
    (A 0, B 1, C 2) reversed (2, 1, 0);
    (A 0, B 1, C 2, D 3) reversed (3, 2, 1, 0);
    (A 0, B 1, C 2, D 3, E 4) reversed (4, 3, 2, 1, 0);
    (A 0, B 1, C 2, D 3, E 4, F 5) reversed (5, 4, 3, 2, 1, 0);
}
