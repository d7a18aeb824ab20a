//! The traits of the crate `rand_core`, and so the distributions that are built on it.

use core::convert::Infallible;

use rand_core::TryRng;

use crate::Draws;

/// The words of the draws, without end.
///
/// # Examples
/// ```
/// use rand_core::Rng;
/// use spelt_random::Random;
/// let mut draws = Random::new(1).at(0);
/// assert_eq!(Rng::next_u64(&mut draws), Random::new(1).at(0).u64());
/// ```
impl TryRng for Draws {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.u32())
    }
    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.u64())
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for bytes in bytes.chunks_mut(4) {
            bytes.copy_from_slice(&self.u32().to_le_bytes()[..bytes.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rand_core::Rng;

    use crate::Random;

    #[test]
    fn bytes_are_those_of_the_words() {
        let (mut bytes, mut draws) = ([0; 7], Random::new(1).at(0));
        Random::new(1).at(0).fill_bytes(&mut bytes);
        let words = [draws.u32().to_le_bytes(), draws.u32().to_le_bytes()].concat();
        assert_eq!(bytes, words[..7]);
    }
}
