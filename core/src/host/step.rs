//! Bodies behind pointers: where the compiler makes no vector code, the loops of a launch are compiled once for all closures.
//!
//! A loop that the closure is inlined into becomes vector code. Without vector code the copies gain nothing, and a reduction has more than
//! a hundred functions, which would be compiled again for each closure. The order of the iterations, and of the joins, is the same.
//!
//! Launches name these types by their paths, in the arm of `if_vector_loops` that needs them: an import would be unused in optimised builds.

#![cfg_attr(not(spelt_vector_loops), warn(dead_code))]
#![cfg_attr(spelt_vector_loops, allow(dead_code, reason = "for loops that are not optimised"))]

use spelt_order::body::Late;

use super::kernel::{InPart, OnSpan, copies};

/// A body, as loops that are compiled once call it.
pub(super) trait Step<I> {
    /// Calls the body in this part of the launch.
    fn step(&self, part: usize, input: I);
}

impl<I, B: Late<I> + InPart> Step<I> for B {
    #[inline]
    fn step(&self, part: usize, input: I) {
        self.in_part(part).call(input);
    }
}

/// The body of a `parallel_for`.
pub(super) type ForSteps<'a, const N: usize> = dyn Step<[usize; N]> + Sync + 'a;
/// The body of a reduction.
pub(super) type ReduceSteps<'a, C, V> = dyn for<'v> Step<(C, usize, &'v mut V)> + Sync + 'a;
/// The body of a scan.
pub(super) type ScanSteps<'a, C, V> = dyn for<'v> Step<(C, usize, &'v mut V, bool)> + Sync + 'a;

/// A body behind a pointer, in one part of its launch.
pub(super) struct Pointed<'a, S: ?Sized> {
    step: &'a S,
    part: usize,
}

copies! {
    [S: ?Sized] Pointed<'_, S>;
}

impl<'a, S: ?Sized> Pointed<'a, S> {
    pub(super) fn new(step: &'a S) -> Self {
        Self { step, part: 0 }
    }
}

impl<S: ?Sized> InPart for Pointed<'_, S> {
    #[inline]
    fn in_part(self, part: usize) -> Self {
        Self { part, ..self }
    }
}

impl<I, S: ?Sized> OnSpan<I> for Pointed<'_, S> {}

impl<I, S: Step<I> + ?Sized> Late<I> for Pointed<'_, S> {
    #[inline(always)]
    fn call(&mut self, input: I) {
        self.step.step(self.part, input);
    }
}
