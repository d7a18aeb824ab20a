//! The random numbers of the C library of GNU, with which Kokkos's exercises make their data.

use std::collections::VecDeque;

/// The numbers that `rand` returns after `srand(seed)`.
///
/// Each is the sum of the numbers 31 and 3 places before it, without its lowest bit (documented in the source of the library; the first
/// 31 come from a generator by multiplication, and 310 sums are dropped).
#[derive(Clone, Debug)]
pub(crate) struct CRandom {
    last: VecDeque<u32>,
}

impl CRandom {
    /// The largest number, `RAND_MAX`.
    pub(crate) const MAX: u32 = 0x7FFF_FFFF;

    pub(crate) fn new(seed: u32) -> Self {
        let first = i64::from(seed.max(1) as i32);
        let next = |word: &i64| Some((16_807 * word).rem_euclid(i64::from(Self::MAX)));
        let mut last: VecDeque<u32> =
            std::iter::successors(Some(first), next).take(31).map(|word| word as u32).collect();
        // The three places after them repeat the first three.
        last.rotate_left(3);
        let mut random = Self { last };
        (0..310).for_each(|_| _ = random.next());
        random
    }

    /// `rand() / RAND_MAX`: from 0 to 1, both included.
    pub(crate) fn fraction(&mut self) -> f64 {
        f64::from(self.next()) / f64::from(Self::MAX)
    }

    pub(crate) fn next(&mut self) -> u32 {
        let sum = self.last[0].wrapping_add(self.last[28]);
        self.last.pop_front();
        self.last.push_back(sum);
        sum >> 1
    }
}
