//! Kernel arguments made from Views.
//!
//! | argument | in the kernel | checked by the launch |
//! |---|---|---|
//! | `&x` | reads `x[i]`, and any index checked | the range lies in the extents |
//! | `&mut y` | reads and writes `y[i]` | the same |
//! | `x.halo::<H>()` | reads `x[i]` and `x.at(i, offset)` | the range and `H` more on every side |
//! | `x.halo_of::<Between<-2, 1>>()` | the same from two places before to one after | the range and the reach of each side |
//! | `x.lookup()` | reads any index, checked | nothing |
//! | `&x`, `&mut y` and adapters of an [`OffsetView`](crate::OffsetView) | the same, with indices from its origin | the same |
//! | `x.partial()`, `y.partial_mut()` | reads, writes `y[i]`, checked | nothing |
//! | `x.along::<D>()` | reads `x[i]` at component `D` of `i` | that component |
//! | `a.by_rows()`, `a.by_rows_mut()` | reads, writes the row `a[i]` or `a.row_mut(i)` | the range lies in the rows |
//! | `y.by_blocks(n)`, `y.by_blocks_mut(n)` | reads, writes the block `y[i]` or `y.part_mut(i)` | the range lies in the blocks |
//! | `y.by_segments(&offsets)`, `y.by_segments_mut(&offsets)` | reads, writes the segment `y[i]` or `y.part_mut(i)` | the range lies in the segments, and these in the View |
//! | `.nested()` of these four | reads, writes `y[rj]` of the team's part | the same, and each nested loop lies in the part of its team |
//! | `y.by_segments_mut(&offsets).only(a..b)`, also of blocks and with `.nested()` | a pair: the same for parts `a..b`, and `get(part)`, `slab(part)` of any other | the range lies in `a..b` |
//! | `y.atomic()` | changes any index, atomically, by value | nothing |
//! | `y.scatter()` | contributes to any index, by value | nothing |
//! | `&mut printer` | reports lines, for a [`Printer`](crate::Printer) | nothing |
//! | `unsafe { y.distinct() }` | reads and writes any index, checked | nothing |
//!
//! Tuples, arrays and structs of these are in `spelt-access`. `elements.rs` has the way to a View's contents, for tools.

mod along;
mod atomic;
mod distinct;
mod elements;
mod flat;
mod halo;
mod lookup;
mod nested_parts;
mod only;
mod origin;
mod partial;
mod parts;
mod rows;
mod scatter;
mod text;
#[cfg(all(test, not(spelt_loom)))]
mod toy;
mod view;

pub use along::Along;
pub use atomic::Atomic;
pub use distinct::Distinct;
pub use flat::FlatArg;
pub use halo::Halo;
pub use lookup::Lookup;
pub use nested_parts::{NestedParts, NestedPartsMut};
pub use only::{NestedOnlyPartsMut, OnlyPartsMut};
pub use origin::FromOrigin;
pub use partial::{Partial, PartialMut};
pub use parts::{Blocks, BlocksMut, Parts, PartsMut, Segments, SegmentsMut};
pub use rows::{Rows, RowsMut};
pub use scatter::Scatter;
pub use view::describe;

/// The size of a cache line. Unit: bytes.
const LINE_BYTES: usize = 64;

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
pub(crate) use {on_all_views, on_writable_views};
