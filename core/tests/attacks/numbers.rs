//! Numbers that look random, the same in each run.

/// A linear congruence, of which the upper half is used.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// The next number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (self.0 >> 33) as usize % end
    }
}
