//! The random numbers of one index, one draw after the other.

use crate::philox::philox4x32;

/// The random numbers of one index: [`Random::at`](crate::Random::at) makes them.
///
/// Draws take words of 32 bits, one after the other: what a draw returns depends on the number of words before it alone.
/// The words are made four at a time; a kernel that draws a fixed number of them makes as many as it needs, in vector code.
///
/// # Examples
/// ```
/// use spelt_random::{Draws, Random};
/// let mut draws: Draws = Random::new(1).at(7);
/// let first = draws.u32();
/// assert_eq!((Random::new(1).at(7).u32(), draws.u32() == first), (first, false));
/// ```
#[derive(Clone, Debug)]
pub struct Draws {
    counter: [u32; 4],
    key: [u32; 2],
    /// The words that are left, from the first on.
    words: [u32; 4],
    left: u32,
}

/// The distance of neighbouring numbers of [`Draws::f64`], and of [`Draws::f32`].
const STEP_F64: f64 = 1.0 / (1_u64 << 53) as f64;
const STEP_F32: f32 = 1.0 / (1_u32 << 24) as f32;

impl Draws {
    #[inline(always)]
    pub(crate) fn new(key: u64, index: u64, step: u32) -> Self {
        let counter = [0, index as u32, (index >> 32) as u32, step];
        Self { counter, key: [key as u32, (key >> 32) as u32], words: [0; 4], left: 0 }
    }

    /// 32 random bits.
    ///
    /// # Examples
    /// ```
    /// let mut draws = spelt_random::Random::new(1).at(0);
    /// assert_ne!(draws.u32(), draws.u32());
    /// ```
    #[inline(always)]
    pub fn u32(&mut self) -> u32 {
        if self.left == 0 {
            self.words = philox4x32(self.counter, self.key);
            self.counter[0] = self.counter[0].wrapping_add(1);
            self.left = 4;
        }
        // Moved along, as an index would keep the words in memory.
        let [word, rest @ ..] = self.words;
        self.words = [rest[0], rest[1], rest[2], 0];
        self.left -= 1;
        word
    }

    /// 64 random bits: two words, the low one first.
    ///
    /// # Examples
    /// ```
    /// let random = spelt_random::Random::new(1);
    /// let (low, high) = { let mut draws = random.at(0); (draws.u32(), draws.u32()) };
    /// assert_eq!(random.at(0).u64(), u64::from(high) << 32 | u64::from(low));
    /// ```
    #[inline(always)]
    pub fn u64(&mut self) -> u64 {
        let low = self.u32();
        u64::from(self.u32()) << 32 | u64::from(low)
    }

    /// A number from 0 inclusive to 1 exclusive: a multiple of 2^-24, each equally likely. One word.
    ///
    /// # Examples
    /// ```
    /// assert!((0.0..1.0).contains(&spelt_random::Random::new(1).at(0).f32()));
    /// ```
    #[inline(always)]
    pub fn f32(&mut self) -> f32 {
        (self.u32() >> 8) as f32 * STEP_F32
    }

    /// A number from 0 inclusive to 1 exclusive: a multiple of 2^-53, each equally likely. Two words.
    ///
    /// # Examples
    /// ```
    /// assert!((0.0..1.0).contains(&spelt_random::Random::new(1).at(0).f64()));
    /// ```
    #[inline(always)]
    pub fn f64(&mut self) -> f64 {
        (self.u64() >> 11) as f64 * STEP_F64
    }

    /// A number between 0 and 1, both exclusive: an odd multiple of 2^-53, each equally likely. Two words.
    #[inline(always)]
    pub(crate) fn open_f64(&mut self) -> f64 {
        // One bit fewer than `f64`, as the sum must be exact: otherwise the largest would round to 1.
        ((self.u64() >> 12) as f64 + 0.5) * (2.0 * STEP_F64)
    }

    /// A random bit. One word.
    ///
    /// # Examples
    /// ```
    /// let heads = (0..1000).filter(|&i| spelt_random::Random::new(1).at(i).bool()).count();
    /// assert!((400..600).contains(&heads));
    /// ```
    #[inline(always)]
    pub fn bool(&mut self) -> bool {
        self.u32() >> 31 == 1
    }

    /// True with this probability: never at 0 or below or for NaN, always at 1 or above. Two words.
    ///
    /// # Examples
    /// ```
    /// let rare = (0..1000).filter(|&i| spelt_random::Random::new(1).at(i).chance(0.1)).count();
    /// assert!((50..150).contains(&rare));
    /// ```
    #[inline(always)]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.f64() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws whose next two words have all bits like this.
    fn of(word: u32) -> Draws {
        Draws { words: [word, word, 0, 0], left: 2, ..Draws::new(0, 0, 0) }
    }

    #[test]
    fn extremes_of_words() {
        assert_eq!((of(0).f64(), of(u32::MAX).f64()), (0.0, 1.0_f64.next_down()));
        assert_eq!((of(0).f32(), of(u32::MAX).f32()), (0.0, 1.0_f32.next_down()));
        assert_eq!((of(0).open_f64(), of(u32::MAX).open_f64()), (STEP_F64, 1.0 - STEP_F64));
        assert!((36.7..36.8).contains(&of(0).exponential()));
        assert!((1e-16..1.2e-16).contains(&of(u32::MAX).exponential()));
        assert_eq!((of(0).poisson(5e-6), of(u32::MAX).poisson(0.0)), (0, 0));
        assert!(
            (2..5).contains(&of(u32::MAX).poisson(5e-6)) && (40..70).contains(&of(u32::MAX).poisson(9.9))
        );
        assert!((8.2..8.3).contains(&of(u32::MAX).normal()));
        assert!((of(0).normal() + of(u32::MAX).normal()).abs() < 1e-14);
    }

    #[test]
    fn numbers_that_round_to_the_end_of_a_range_are_below_it() {
        let (start, end) = (1.0, 1.0 + 4.0 * f64::EPSILON);
        assert_eq!((of(0).range(start..end), of(u32::MAX).range(start..end)), (start, end.next_down()));
    }
}
