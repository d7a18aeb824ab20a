//! Views compared by extents and elements.

use spelt_access::{Element, Layout};

use super::memory_space::HostAccessible;
use super::{View, ViewMut, ViewRef};

macro_rules! equal {
    ($($left:ident [$($left_param:tt)*] $right:ident [$($right_param:tt)*];)*) => {$(
        /// Equal extents, and equal elements at each index, regardless of the layouts and labels.
        impl<$($left_param)* $($right_param)* T, const R: usize, M1, M2, L1, L2>
            PartialEq<$right<$($right_param)* T, R, M2, L2>> for $left<$($left_param)* T, R, M1, L1>
        where
            T: Element + PartialEq, M1: HostAccessible, M2: HostAccessible, L1: Layout, L2: Layout,
        {
            fn eq(&self, other: &$right<$($right_param)* T, R, M2, L2>) -> bool {
                self.extents() == other.extents() && self.iter().eq(other.iter())
            }
        }
    )*};
}
equal! {
    View [] View [];
    View [] ViewRef ['b,];
    View [] ViewMut ['b,];
    ViewRef ['a,] View [];
    ViewRef ['a,] ViewRef ['b,];
    ViewRef ['a,] ViewMut ['b,];
    ViewMut ['a,] View [];
    ViewMut ['a,] ViewRef ['b,];
    ViewMut ['a,] ViewMut ['b,];
}
