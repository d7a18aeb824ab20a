//! `custom`: a reducer from an identity and a closure.

use crate::{Finish, InOrder, Reducer};

/// Makes a reducer from an identity and a closure that joins.
///
/// Short for [`Custom::new`]. The closure's arguments infer from the identity; write a literal with its type
/// (`0_u64`, `0.0_f64`).
///
/// # Examples
///
/// ```
/// use spelt_reducers::{Reducer, custom};
///
/// let gcd = custom(0_u64, |into, from| {
///     let (mut a, mut b) = (*into, *from);
///     while b != 0 {
///         (a, b) = (b, a % b);
///     }
///     *into = a;
/// });
/// let mut value = gcd.init();
/// gcd.join(&mut value, &12);
/// gcd.join(&mut value, &18);
/// assert_eq!(gcd.finish(value), 6);
/// ```
#[inline(always)]
pub const fn custom<V, J>(identity: V, join: J) -> Custom<V, J>
where
    V: Clone,
    J: Fn(&mut V, &V),
{
    Custom::new(identity, join)
}

/// A reducer from an identity and a closure that joins; see [`custom`].
///
/// The closure joins its second argument into its first, which comes earlier if the order matters. It must be associative,
/// and commutative unless [`non_commutative`](Custom::non_commutative) is called, and the identity must be neutral:
/// it is joined any number of times. The result of a closure that is only approximately associative, such as a floating-point sum, still
/// has the same bits on every execution space.
///
/// The identity is cloned for each running value. A type that implements [`Reducer`] does the same and has a name.
///
/// # Complexity
///
/// One call per join.
///
/// # Source
///
/// Kokkos: a functor or reducer with `init`, `join` and `final`.
#[derive(Clone, Copy)]
pub struct Custom<V, J> {
    identity: V,
    join: J,
}

impl<V, J> Custom<V, J>
where
    V: Clone,
    J: Fn(&mut V, &V),
{
    /// Makes a reducer from an identity and a closure that joins its second argument into its first.
    #[inline(always)]
    #[must_use]
    pub const fn new(identity: V, join: J) -> Self {
        Self { identity, join }
    }

    /// Makes values join in index order.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Reducer, custom};
    ///
    /// let text = custom(String::new(), |into, from| into.push_str(from)).non_commutative();
    /// let mut value = text.init();
    /// text.join(&mut value, &"sp".to_string());
    /// text.join(&mut value, &"elt".to_string());
    /// assert_eq!(text.finish(value), "spelt");
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn non_commutative(self) -> InOrder<Self> {
        InOrder::new(self)
    }

    /// Converts the joined value to another result, once, at the end.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Reducer, custom};
    ///
    /// let norm = custom(0.0_f64, |into, from| *into += from).with_finish(f64::sqrt);
    /// assert_eq!(norm.finish(9.0), 3.0);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn with_finish<O, F>(self, finish: F) -> Finish<Self, F>
    where
        F: Fn(V) -> O,
    {
        Finish::new(self, finish)
    }
}

impl<V, J> Reducer for Custom<V, J>
where
    V: Clone,
    J: Fn(&mut V, &V),
{
    type Value = V;
    type Output = V;

    #[inline(always)]
    fn init(&self) -> V {
        self.identity.clone()
    }

    #[inline(always)]
    fn join(&self, into: &mut V, from: &V) {
        (self.join)(into, from);
    }

    #[inline(always)]
    fn finish(&self, value: V) -> V {
        value
    }
}

impl<V: core::fmt::Debug, J> core::fmt::Debug for Custom<V, J> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Custom").field("identity", &self.identity).finish_non_exhaustive()
    }
}
