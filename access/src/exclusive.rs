//! Views that a kernel writes, behind pointers of which the compiler knows that nothing else reaches their elements.
//!
//! A loop that writes one View and reads others becomes vector code only behind a test of their addresses, and has scalar code for the case
//! in which they overlap; with many Views it has no vector code, since there would be too many tests. Safe code has no written View that
//! overlaps another, but the compiler knows that only of references that are parameters of a function (LLVM's `noalias`). So iterations that
//! follow one another run in a function whose parameters are the elements that they write: a slice, the span, for each written View. No
//! other iteration touches them.
//!
//! The function is passed as a pointer, which the compiler resolves after it has inlined the kernel into it, and is then inlined itself:
//! `spelt_order::body` explains how. Inlined at once, its accesses could not be seen to go through its parameters, we expect; that was not tried.

use core::mem::MaybeUninit;

use crate::KernelArgs;
use crate::argument::inlined_span;

/// The elements of one View, as bytes.
type Span<'a> = &'a mut [MaybeUninit<u8>];

/// Iterations, before and after they have run.
struct Iterations<A: KernelArgs, F, Z, const N: usize> {
    raw: A::Raw,
    first: [usize; N],
    run: Option<F>,
    output: Option<Z>,
}

/// Calls `run` with the raw form of arguments whose written Views are behind pointers of their own.
///
/// # Safety
/// `raw` comes from [`KernelArgs::lower`], its borrows live, and the launch covers the indices `first` and `last`, of which `last` does not precede
/// `first` in lexicographic order. While `run` runs, the elements of written Views from one to the other in that order are touched only
/// by iterations in it, through the raw form that it is passed.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn on_span<A: KernelArgs, Z, const N: usize>(
    raw: A::Raw,
    first: [usize; N],
    last: [usize; N],
    run: impl FnOnce(A::Raw) -> Z,
) -> Z {
    // SAFETY: the contract is the same.
    unsafe {
        if const { A::SPANS <= few::VIEWS } {
            few::on_span::<A, Z, N>(raw, first, last, run)
        } else {
            many::on_span::<A, Z, N>(raw, first, last, run)
        }
    }
}

/// The functions for so many Views, each of which has a parameter. Further Views keep their pointers, and are tested.
macro_rules! functions {
    ($module:ident: $views:literal Views, $($span:ident)*) => {
        mod $module {
            use super::*;

            pub(super) const VIEWS: usize = $views;

            type Function<B> = fn($(functions!(@span $span),)* &mut B);

            /// [`on_span`](super::on_span) for these Views.
            ///
            /// # Safety
            /// As there.
            #[inline(always)]
            pub(super) unsafe fn on_span<A: KernelArgs, Z, const N: usize>(
                raw: A::Raw,
                first: [usize; N],
                last: [usize; N],
                run: impl FnOnce(A::Raw) -> Z,
            ) -> Z {
                let mut spans: [Span<'_>; VIEWS] = core::array::from_fn(|_| Span::default());
                let mut count = 0;
                let mut visit = inlined_span(
                    #[inline(always)]
                    |span: *mut [MaybeUninit<u8>]| {
                        if count < VIEWS {
                            // SAFETY: elements of a View that is borrowed exclusively, which only the iterations in `run` touch, through this
                            // reference, as the contract asks; no two spans have an element in common, as the Views have none.
                            spans[count] = unsafe { &mut *span };
                            count += 1;
                        }
                    },
                );
                // SAFETY: by the contract, the launch covers these indices, in this order.
                unsafe { A::written_spans(&raw, first, last, &mut visit) };
                let mut iterations = Iterations::<A, _, Z, N> { raw, first, run: Some(run), output: None };
                let [$($span),*] = spans;
                // SAFETY: the whole program is compiled for processors with this feature.
                #[cfg_attr(not(any(target_feature = "sse2", target_feature = "neon")), expect(unused_unsafe))]
                unsafe {
                    pass(nothing, $(functions!(@none $span),)* &mut iterations);
                    pass(call, $($span,)* &mut iterations);
                }
                iterations.output.expect("the iterations have run")
            }

            /// Calls `function`. rustc does not inline it where it names an instruction set that its callers do not name; elsewhere it may, which costs speed. It is passed two
            /// functions, so that constant propagation does not see through it.
            #[inline]
            #[cfg_attr(target_feature = "sse2", target_feature(enable = "sse2"))]
            #[cfg_attr(target_feature = "neon", target_feature(enable = "neon"))]
            #[allow(clippy::too_many_arguments, reason = "one for each View")]
            fn pass<B>(function: Function<B>, $($span: Span<'_>,)* iterations: &mut B) {
                function($($span,)* iterations);
            }

            /// The other function that `pass` is passed.
            #[inline(always)]
            #[allow(clippy::too_many_arguments, reason = "one for each View")]
            fn nothing<B>($(_: functions!(@span $span),)* _: &mut B) {}

            #[inline(always)]
            #[allow(clippy::too_many_arguments, reason = "one for each View")]
            fn call<A: KernelArgs, F: FnOnce(A::Raw) -> Z, Z, const N: usize>(
                $($span: Span<'_>,)*
                iterations: &mut Iterations<A, F, Z, N>,
            ) {
                let pointers = [$($span.as_mut_ptr()),*];
                let mut next = 0;
                let mut pointer = inlined_pointer(
                    #[inline(always)]
                    || {
                        let pointer = pointers.get(next).map(|pointer| pointer.cast());
                        next += 1;
                        pointer
                    },
                );
                // SAFETY: the pointers of the spans that `written_spans` has visited, in its order; then none that is used.
                let raw = unsafe { A::with_spans(iterations.raw, iterations.first, &mut pointer) };
                if let Some(run) = iterations.run.take() {
                    iterations.output = Some(run(raw));
                }
            }
        }
    };
    (@span $span:ident) => { Span<'_> };
    (@none $span:ident) => { &mut [] };
}
functions! { few: 4 Views, a b c d }
functions! { many: 24 Views, a b c d e f g h i j k l m n o p q r s t u v w x }

/// The closure itself: see [`inlined_span`].
#[inline(always)]
fn inlined_pointer<F: FnMut() -> Option<*mut u8>>(closure: F) -> F {
    closure
}
