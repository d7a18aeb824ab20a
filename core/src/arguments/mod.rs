//! Kernel arguments made from Views.

mod flat;
mod view;

use spelt_kernels_gpu::Element;

use crate::spaces::{ArgReachedBy, ReachedBy};

pub use flat::FlatArg;

// SAFETY: plain data is nowhere in particular.
unsafe impl<T: Element, S: ?Sized> ArgReachedBy<S> for T {}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {$(
        // SAFETY: the space reaches every member.
        unsafe impl<S: ?Sized, $($name: ArgReachedBy<S>),*> ReachedBy<S> for ($($name,)*) {}
    )*};
}
tuples! {
    ; A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; A B C D E F G H I;
    A B C D E F G H I J; A B C D E F G H I J K; A B C D E F G H I J K L;
}

/// Lets these argument types stand by themselves, without a tuple around.
macro_rules! single {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        // SAFETY: as its one member.
        unsafe impl<$($generics)*> spelt_kernels_gpu::KernelArgs for $type {
            type Raw = <Self as spelt_kernels_gpu::KernelArg>::Raw;
            type Access<'k> = <Self as spelt_kernels_gpu::KernelArg>::Access<'k>;
            type Held = <Self as spelt_kernels_gpu::KernelArg>::Held;
            #[inline(always)]
            fn describe<'d>(&'d self, visit: &mut impl FnMut(spelt_kernels_gpu::Description<'d>)) {
                visit(spelt_kernels_gpu::KernelArg::describe(self));
            }
            #[inline(always)]
            fn blocks(&self) -> Option<usize> {
                spelt_kernels_gpu::KernelArg::blocks(self)
            }
            #[inline(always)]
            unsafe fn lower(&mut self) -> (Self::Raw, Self::Held) {
                // SAFETY: the caller's promise is handed on.
                unsafe { spelt_kernels_gpu::KernelArg::lower(self) }
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, block: usize) -> Self::Access<'k> {
                // SAFETY: the caller's promise is handed on.
                unsafe { <Self as spelt_kernels_gpu::KernelArg>::access(raw, block) }
            }
            fn finish(held: Self::Held) {
                <Self as spelt_kernels_gpu::KernelArg>::finish(held);
            }
        }
    )*};
}
pub(crate) use single;
