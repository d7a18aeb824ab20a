//! The policy of a launch on the instance of its node.

use spelt_policies::{MdRangePolicy, RangePolicy, SignedPolicy, TeamPolicy};

use crate::launch::{ExecutionSpace, OnSpace};

/// A policy that a graph moves to the instance of its space that a node runs on: ranges, boxes and leagues.
pub trait OnInstance: OnSpace {
    /// The same policy on another instance.
    #[doc(hidden)]
    type On<'g>: OnSpace<Space = Self::Space>
    where
        Self::Space: 'g;

    /// Moves it.
    #[doc(hidden)]
    fn on_instance(self, instance: &Self::Space) -> Self::On<'_>;
}

macro_rules! on_instance {
    ($([$($generics:tt)*] $policy:ident<&S $(, $parameter:ident)?>;)*) => {$(
        impl<S: ExecutionSpace, $($generics)*> OnInstance for $policy<&S $(, $parameter)?> {
            type On<'g>
                = $policy<&'g S $(, $parameter)?>
            where
                S: 'g;
            #[inline(always)]
            fn on_instance(self, instance: &S) -> $policy<&S $(, $parameter)?> {
                self.on(instance)
            }
        }
    )*};
}
on_instance! {
    [] RangePolicy<&S>;
    [const R: usize] MdRangePolicy<&S, R>;
    [V] TeamPolicy<&S, V>;
}

impl<P: OnInstance, const R: usize> OnInstance for SignedPolicy<P, R> {
    type On<'g>
        = SignedPolicy<P::On<'g>, R>
    where
        P::Space: 'g;
    #[inline(always)]
    fn on_instance(self, instance: &P::Space) -> SignedPolicy<P::On<'_>, R> {
        self.map(
            #[inline(always)]
            |zero_based| zero_based.on_instance(instance),
        )
    }
}
