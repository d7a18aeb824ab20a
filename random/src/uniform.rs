//! Numbers of a range, each equally likely.

use core::ops::Range;

use crate::draws::Draws;

/// A type whose numbers [`Draws::range`] draws from a range: integers and floats.
///
/// # Examples
/// ```
/// use spelt_random::{Random, Uniform};
/// fn die<T: Uniform>(first: T, end: T) -> T {
///     Random::new(1).at(0).range(first..end)
/// }
/// assert!((1..7).contains(&die(1_u8, 7)) && (1.0..7.0).contains(&die(1.0, 7.0)));
/// ```
pub trait Uniform: Copy + sealed::Sealed {
    /// A number of the range.
    #[doc(hidden)]
    fn draw(draws: &mut Draws, range: Range<Self>) -> Self;

    /// Whether it has numbers, and is finite.
    #[doc(hidden)]
    fn is_range(range: &Range<Self>) -> bool;
}

mod sealed {
    pub trait Sealed {}
}

impl Draws {
    /// A number of a range, each equally likely: without bias for integers, by Lemire's method.
    ///
    /// Integers of up to 32 bits take a word, of 64 bits two; rarely more, where the range is large. Floats take what `f32` and
    /// `f64` take, and are always less than the end.
    ///
    /// # Panics
    /// If the range is empty, or has an end that is NaN, or if the difference of its ends is infinite.
    ///
    /// Source: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019), doi 10.1145/3230636.
    ///
    /// # Examples
    /// ```
    /// let mut draws = spelt_random::Random::new(1).at(0);
    /// assert!((1..7).contains(&draws.range(1..7)));
    /// assert!((-1.0..1.0).contains(&draws.range(-1.0..1.0)));
    /// ```
    #[inline(always)]
    pub fn range<T: Uniform>(&mut self, range: Range<T>) -> T {
        T::draw(self, range)
    }

    /// A number below `end`, which is not 0: one word, and rarely more.
    #[inline(always)]
    fn below_32(&mut self, end: u32) -> u32 {
        let mut product = u64::from(self.u32()) * u64::from(end);
        if (product as u32) < end {
            let unfair = end.wrapping_neg() % end;
            while (product as u32) < unfair {
                product = u64::from(self.u32()) * u64::from(end);
            }
        }
        (product >> 32) as u32
    }

    /// A number below `end`, which is not 0: two words, and rarely more.
    #[inline(always)]
    fn below_64(&mut self, end: u64) -> u64 {
        let mut product = u128::from(self.u64()) * u128::from(end);
        if (product as u64) < end {
            let unfair = end.wrapping_neg() % end;
            while (product as u64) < unfair {
                product = u128::from(self.u64()) * u128::from(end);
            }
        }
        (product >> 64) as u64
    }
}

macro_rules! integers {
    ($($type:ty, $unsigned:ty, $word:ty, $below:ident;)*) => {$(
        impl sealed::Sealed for $type {}
        impl Uniform for $type {
            #[inline(always)]
            fn draw(draws: &mut Draws, range: Range<Self>) -> Self {
                assert!(Self::is_range(&range), "random numbers of an empty range: its end must be larger than its start");
                // The length of a signed range may not fit the type.
                let len = range.end.wrapping_sub(range.start) as $unsigned;
                range.start.wrapping_add(draws.$below(<$word>::from(len)) as $type)
            }
            #[inline(always)]
            fn is_range(range: &Range<Self>) -> bool {
                range.start < range.end
            }
        }
    )*};
}
integers! {
    u8, u8, u32, below_32;
    u16, u16, u32, below_32;
    u32, u32, u32, below_32;
    u64, u64, u64, below_64;
    i8, u8, u32, below_32;
    i16, u16, u32, below_32;
    i32, u32, u32, below_32;
    i64, u64, u64, below_64;
}

impl sealed::Sealed for usize {}
impl Uniform for usize {
    #[inline(always)]
    fn draw(draws: &mut Draws, range: Range<Self>) -> Self {
        u64::draw(draws, range.start as u64..range.end as u64) as usize
    }
    #[inline(always)]
    fn is_range(range: &Range<Self>) -> bool {
        range.start < range.end
    }
}

impl sealed::Sealed for isize {}
impl Uniform for isize {
    #[inline(always)]
    fn draw(draws: &mut Draws, range: Range<Self>) -> Self {
        i64::draw(draws, range.start as i64..range.end as i64) as isize
    }
    #[inline(always)]
    fn is_range(range: &Range<Self>) -> bool {
        range.start < range.end
    }
}

macro_rules! floats {
    ($($type:ident),*) => {$(
        impl sealed::Sealed for $type {}
        impl Uniform for $type {
            #[inline(always)]
            fn draw(draws: &mut Draws, range: Range<Self>) -> Self {
                assert!(Self::is_range(&range), "random numbers of a range that is empty or not finite");
                let number = range.start + (range.end - range.start) * draws.$type();
                // Rounding may reach the end.
                if number < range.end { number } else { range.end.next_down() }
            }
            #[inline(always)]
            fn is_range(range: &Range<Self>) -> bool {
                range.start < range.end && range.end - range.start < $type::INFINITY
            }
        }
    )*};
}
floats!(f32, f64);
