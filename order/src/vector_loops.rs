//! Whether loops over lanes are written for the compiler's vectoriser.

/// Whether the compiler makes vector code of loops. Where it makes none, at the optimisation levels 0, 1, "s" and "z", the forms of a loop that
/// exist to become vector code gain nothing, and each takes time to compile in every launch: one form is left, for all lengths.
///
/// A constant for conditions of other constants; code asks by [`if_vector_loops`](crate::if_vector_loops). The tests of this
/// crate, which are not optimised either, have all forms. So do device passes: kernels are the same, however the host is compiled.
pub const VECTOR_LOOPS: bool = cfg!(any(spelt_vector_loops, spelt_device_pass, test));

/// `if_vector_loops! {{ code } else { other code }}`: whichever of the two [`VECTOR_LOOPS`] asks for, as a block. The other is not compiled.
///
/// Of an `if const`, the compiler visits both arms with all that they call, for each type that they are called with: many times what it
/// compiles then, and in unoptimised builds most of its time.
#[cfg(any(spelt_vector_loops, spelt_device_pass, test))]
#[doc(hidden)]
#[macro_export]
macro_rules! if_vector_loops {
    ({ $($code:tt)* } $(else { $($other:tt)* })?) => {{ $($code)* }};
}

/// See the other definition.
#[cfg(not(any(spelt_vector_loops, spelt_device_pass, test)))]
#[doc(hidden)]
#[macro_export]
macro_rules! if_vector_loops {
    ({ $($code:tt)* } $(else { $($other:tt)* })?) => {{ $($($other)*)? }};
}
