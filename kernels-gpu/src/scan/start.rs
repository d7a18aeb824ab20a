//! The place of a launch in a scan: the whole of it, or a part with values before it.

/// The place of a launch in a scan. It is a type, so that a launch of the whole scan tests nothing.
pub trait Start<V> {
    /// The value before the first iteration, if there is one.
    fn before(&self) -> Option<*const V>;

    /// Whether the closure is called on the value before each iteration. Otherwise the launch finds the total only.
    fn gives_values(&self) -> bool;
}

/// The launch is the whole scan.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Whole;

impl<V> Start<V> for Whole {
    #[inline(always)]
    fn before(&self) -> Option<*const V> {
        None
    }

    #[inline(always)]
    fn gives_values(&self) -> bool {
        true
    }
}

/// The launch is a part of a scan. Where joins are not exact, its tiles are a node of the canonical order.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Node<V> {
    /// The value before the first iteration; null if there is none.
    pub before: *const V,
    /// Whether the closure is called on the value before each iteration.
    pub gives_values: bool,
}

impl<V> Start<V> for Node<V> {
    #[inline(always)]
    fn before(&self) -> Option<*const V> {
        (!self.before.is_null()).then_some(self.before)
    }

    #[inline(always)]
    fn gives_values(&self) -> bool {
        self.gives_values
    }
}
