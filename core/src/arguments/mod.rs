//! Kernel arguments made from Views.
//!
//! | argument | in the kernel | checked by the launch |
//! |---|---|---|
//! | `&x` | reads `x[i]`, and any index checked | the range lies in the extents |
//! | `&mut y` | reads and writes `y[i]` | the same |
//! | `x.halo::<H>()` | reads `x[i]` and `x.at(i, offset)` | the range and `H` more on every side |
//! | `x.lookup()` | reads any index, checked | nothing |
//! | `x.partial()`, `y.partial_mut()` | reads, writes `y[i]`, checked | nothing |
//! | `x.along::<D>()` | reads `x[i]` at component `D` of `i` | that component |
//! | `a.by_rows()`, `a.by_rows_mut()` | reads, writes the row `a[i]` | the range lies in the rows |
//! | `y.atomic()` | changes any index, atomically, by value | nothing |
//! | `y.scatter()` | contributes to any index, by value | nothing |
//! | `unsafe { y.distinct() }` | reads and writes any index, checked | nothing |

mod along;
mod atomic;
mod distinct;
mod flat;
mod halo;
mod lookup;
mod partial;
mod rows;
mod scatter;
mod text;
#[cfg(all(test, not(spelt_loom)))]
mod toy;
mod view;

use spelt_access::Element;

use crate::reach::{ArgReachedBy, ReachedBy};

pub use along::Along;
pub use atomic::Atomic;
pub use distinct::Distinct;
pub use flat::FlatArg;
pub use halo::Halo;
pub use lookup::Lookup;
pub use partial::{Partial, PartialMut};
pub use rows::{Rows, RowsMut};
pub use scatter::Scatter;
#[cfg(feature = "cuda")]
pub(crate) use view::describe;

// SAFETY: plain data is passed by value, and points to no memory.
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

/// Makes these argument types usable alone, without a tuple.
macro_rules! single {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        // SAFETY: the tuple of this one member keeps the contract if the member does.
        unsafe impl<$($generics)*> spelt_access::KernelArgs for $type {
            type Raw = <Self as spelt_access::KernelArg>::Raw;
            type Access<'k> = <Self as spelt_access::KernelArg>::Access<'k>;
            type Held = <Self as spelt_access::KernelArg>::Held;
            #[inline(always)]
            fn describe<'d>(&'d self, visit: &mut impl FnMut(spelt_access::Description<'d>)) {
                visit(spelt_access::KernelArg::describe(self));
            }
            #[inline(always)]
            fn covers_box(&self, lower: &[usize], upper: &[usize]) -> bool {
                spelt_access::KernelArg::covers_box(self, lower, upper)
            }
            #[inline(always)]
            fn parts(&self) -> Option<usize> {
                spelt_access::KernelArg::parts(self)
            }
            #[inline(always)]
            fn prepare(&mut self, iterations: usize) -> Result<(), spelt_access::Shortage> {
                spelt_access::KernelArg::prepare(self, iterations)
            }
            #[inline(always)]
            unsafe fn lower(&mut self) -> (Self::Raw, Self::Held) {
                // SAFETY: the two traits' `lower` have one contract: the result is used only while the borrow in `self`
                // lives.
                unsafe { spelt_access::KernelArg::lower(self) }
            }
            #[inline(always)]
            unsafe fn lower_on_device(&mut self) -> (Self::Raw, Self::Held) {
                // SAFETY: the two traits' `lower_on_device` have one contract: the result is used only while the borrow
                // in `self` lives.
                unsafe { spelt_access::KernelArg::lower_on_device(self) }
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
                // SAFETY: the two traits' `access` have one contract, and `raw` is what this trait's `lower` got from
                // the other's.
                unsafe { <Self as spelt_access::KernelArg>::access(raw, part) }
            }
            fn finish(held: Self::Held) {
                <Self as spelt_access::KernelArg>::finish(held);
            }
        }
    )*};
}

/// Makes these adapters arguments on every space that reaches their View's memory `M`.
macro_rules! reached {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        // SAFETY: the space reaches the View's memory.
        unsafe impl<$($generics)*, S: crate::reach::Reach<M> + ?Sized> crate::reach::ArgReachedBy<S> for $type {}
        // SAFETY: the space reaches the View's memory, `S: Reach<M>`, which is all that the argument points into.
        unsafe impl<$($generics)*, S: crate::reach::Reach<M> + ?Sized> crate::reach::ReachedBy<S> for $type {}
        crate::arguments::single! { [$($generics)*] $type; }
    )*};
}

/// Gives all Views of rank `$rank` and layout `$layout` the method that `$method!` defines for a lifetime: the
/// memory's for `ViewRef`, which is `Copy`, and the borrow of `self` for the others.
macro_rules! on_all_views {
    ($method:ident, [$($generics:tt)*] $rank:tt $layout:ty) => {
        impl<T: Element, $($generics)* M: MemorySpace> View<T, $rank, M, $layout> {
            $method!('_);
        }
        impl<'a, T: Element, $($generics)* M: MemorySpace> ViewRef<'a, T, $rank, M, $layout> {
            $method!('a);
        }
        impl<'a, T: Element, $($generics)* M: MemorySpace> ViewMut<'a, T, $rank, M, $layout> {
            $method!('_);
        }
    };
}

/// Gives the Views that can be written the method that `$method!` defines.
macro_rules! on_writable_views {
    ($method:ident, [$($generics:tt)*] $rank:tt $layout:ty, $memory:ident) => {
        impl<T: Element, $($generics)* M: $memory> View<T, $rank, M, $layout> {
            $method!();
        }
        impl<T: Element, $($generics)* M: $memory> ViewMut<'_, T, $rank, M, $layout> {
            $method!();
        }
    };
}
pub(crate) use {on_all_views, on_writable_views, reached, single};
