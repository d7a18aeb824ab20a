//! Numbers of which the compiler knows nothing.

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
