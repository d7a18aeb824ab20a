//! A seed and a step: the source of the numbers of all indices.

use spelt_core::Element;

use crate::draws::Draws;
use crate::index::RandomIndex;

/// A source of random numbers: each index has its own, the same on every space, thread count and run.
///
/// It is plain data, a copy of which is passed to a kernel as an argument or captured. [`step`](Self::step) gives other numbers: one step for each
/// launch, or each step of a simulation. The numbers of an index repeat after 2^34 words of 32 bits.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// use spelt_random::Random;
///
/// let (space, random) = (Serial::new(), Random::new(42));
/// let mut x = View::<f64, 1>::zeros("x", [1000])?;
/// for step in 0..3 {
///     parallel_for("walk", space.range(0..1000), (random.step(step), &mut x), |i, (random, mut x)| {
///         x[i] += random.at(i).normal();
///     })?;
/// }
/// // Any part can be computed again, alone.
/// let last = (0..3).fold(0.0, |x, step| x + random.step(step).at(999).normal());
/// assert_eq!(x[999], last);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Element)]
#[element(crate = "spelt_core")]
#[repr(C)]
pub struct Random {
    seed: u64,
    step: u64,
}

/// A step at or beyond 2^32 changes the key by a multiple of this: odd, so that the keys of a seed differ.
const KEY_STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Random {
    /// The numbers of a seed, at step 0.
    ///
    /// # Examples
    /// ```
    /// use spelt_random::Random;
    /// assert_eq!(Random::new(1).at(0).u64(), Random::new(1).at(0).u64());
    /// assert_ne!(Random::new(1).at(0).u64(), Random::new(2).at(0).u64());
    /// ```
    #[inline]
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { seed, step: 0 }
    }

    /// The numbers of the same seed at another step.
    ///
    /// # Examples
    /// ```
    /// use spelt_random::Random;
    /// let random = Random::new(1);
    /// assert_eq!(random.step(5).step(0), random);
    /// assert_ne!(random.at(0).u64(), random.step(1).at(0).u64());
    /// ```
    #[inline]
    #[must_use]
    pub const fn step(self, step: u64) -> Self {
        Self { step, ..self }
    }

    /// The numbers of an index.
    ///
    /// Word `4 b + w` is word `w` of [`philox4x32`](crate::philox4x32) with the seed as the key, and the counter (`b`, low word of
    /// the index, high word of the index, low word of the step). The key is the seed plus the high
    /// word of the step times `0x9E37_79B9_7F4A_7C15`, wrapping.
    ///
    /// # Examples
    /// ```
    /// use spelt_random::{Random, philox4x32};
    /// let seed = 0x0000_0007_0000_0003;
    /// let mut draws = Random::new(seed).step(9).at(0x0000_0002_0000_0005_u64);
    /// let words = [draws.u32(), draws.u32(), draws.u32(), draws.u32()];
    /// assert_eq!(words, philox4x32([0, 5, 2, 9], [3, 7]));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn at(self, index: impl RandomIndex) -> Draws {
        let key = self.seed.wrapping_add((self.step >> 32).wrapping_mul(KEY_STEP));
        Draws::new(key, index.bits(), self.step as u32)
    }
}
