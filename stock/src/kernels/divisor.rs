//! Division by a number that is known before the kernel starts.

/// A divisor as a multiplication and a shift, which a device does several times faster than a division.
///
/// With `2^(shift - 1) < d <= 2^shift` and `magic = floor(2^32 * (2^shift - d) / d) + 1`, the quotient of `n` is
/// `(high half of magic * n + n) >> shift`, exact for all `n` below 2^31: Granlund and Montgomery, "Division by invariant
/// integers using multiplication", figure 4.1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divisor {
    value: u32,
    magic: u32,
    shift: u32,
}

impl Divisor {
    /// The divisor 1.
    pub const ONE: Divisor = Divisor { value: 1, magic: 1, shift: 0 };

    /// The divisor `value`, which must be above 0 and below 2^31.
    pub fn new(value: u32) -> Self {
        debug_assert!(value > 0 && value < 1 << 31);
        let shift = 32 - (value - 1).leading_zeros();
        let magic = ((1_u64 << 32) * ((1_u64 << shift) - u64::from(value)) / u64::from(value) + 1) as u32;
        Divisor { value, magic, shift }
    }

    /// The divisor itself.
    #[inline(always)]
    pub fn value(&self) -> u32 {
        self.value
    }

    /// Quotient and remainder of `number`, which must be below 2^31.
    #[inline(always)]
    pub fn divide(&self, number: u32) -> (u32, u32) {
        let high = ((u64::from(self.magic) * u64::from(number)) >> 32) as u32;
        let quotient = high.wrapping_add(number) >> (self.shift & 31);
        (quotient, number.wrapping_sub(quotient.wrapping_mul(self.value)))
    }
}
