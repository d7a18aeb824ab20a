//! Whether loops over lanes are written for the compiler's vectoriser.

/// Whether the compiler makes vector code of loops. Where it makes none, at the optimisation levels 0, 1, "s" and "z", the forms of a loop that
/// exist to become vector code gain nothing, and each takes time to compile in every launch: one form is left, for all lengths.
///
/// A constant to be tested in `const` blocks: without optimisation, the compiler leaves out only what these exclude. The tests of this
/// crate, which are not optimised either, have all forms. So do device passes: kernels are the same, however the host is compiled.
pub const VECTOR_LOOPS: bool = cfg!(any(spelt_vector_loops, spelt_device_pass, test));

/// `number`, of which the compiler knows nothing.
///
/// In a loop over rows, whose body is a loop over lanes, it keeps the compiler from making vectors of rows: with AVX-512, sums of integers
/// gathered the elements of eight rows for each lane, and 600 to 2048 of them took 4 to 11 times as long as sums of floats (Zen 4).
/// [`black_box`](core::hint::black_box) would store the number and load it again.
#[inline(always)]
pub(crate) fn opaque(number: usize) -> usize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let mut number = number;
        // SAFETY: there is no instruction.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) number, options(nomem, nostack, preserves_flags));
        }
        number
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    core::hint::black_box(number)
}
