//! Numbers of which the compiler knows nothing.

use core::mem::MaybeUninit;

/// `number`, of which the compiler knows nothing.
///
/// In a loop over rows, whose body is a loop over lanes, it keeps the compiler from making vectors of rows: with AVX-512, sums of integers
/// gathered the elements of eight rows for each lane: 600 to 2048 of them took 4 to 11 times as long as sums of floats, and counts in boxes with
/// lines of 100 or 196 elements 3 to 5 times as long as without gathers (Zen 4).
/// [`black_box`](core::hint::black_box) would store the number and load it again.
#[inline(always)]
pub(crate) fn opaque(number: usize) -> usize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let mut number = number;
        // A comment, as the text must name each operand.
        // SAFETY: there is no instruction.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) number, options(nomem, nostack, preserves_flags));
        }
        number
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    core::hint::black_box(number)
}

/// `values`, 16 bytes of them, of which the compiler knows nothing, and which it has in one register.
///
/// [`black_box`](core::hint::black_box) would store them and load them again: the joins behind it wait for that.
#[inline(always)]
pub(crate) fn opaque_register<V, const COUNT: usize>(
    values: [MaybeUninit<V>; COUNT],
) -> [MaybeUninit<V>; COUNT] {
    #[cfg(all(target_arch = "x86_64", target_pointer_width = "64", target_feature = "sse2", not(miri)))]
    {
        use core::arch::x86_64::__m128;
        use core::mem::transmute_copy;

        assert!(COUNT * size_of::<V>() == 16);
        // SAFETY: both have 16 bytes, which need not be initialised.
        let mut register: MaybeUninit<__m128> = unsafe { transmute_copy(&values) };
        // SAFETY: there is no instruction.
        unsafe {
            core::arch::asm!("/* {0} */", inout(xmm_reg) register, options(nomem, nostack, preserves_flags));
        }
        // SAFETY: these are the same bytes.
        unsafe { transmute_copy(&register) }
    }
    #[cfg(not(all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        target_feature = "sse2",
        not(miri)
    )))]
    core::hint::black_box(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_a_register_keep_their_bits_and_places() {
        fn check<V: Copy + PartialEq + core::fmt::Debug, const COUNT: usize>(values: [V; COUNT]) {
            let opaque = opaque_register(values.map(MaybeUninit::new));
            // SAFETY: all have values.
            assert_eq!(opaque.map(|value| unsafe { value.assume_init() }), values);
        }
        check([0xffff_ffff_u32, 0x7fa0_0001, 0, 0x8000_0000]);
        check([0x7ff4_0000_0000_0001_u64, 0x8000_0000_0000_0000]);
    }
}
