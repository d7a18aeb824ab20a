//! `Failures`: the number of failures in a kernel, and the first of them.

use crate::order::{earlier, select};
use crate::stateless::stateless;
use crate::{Location, Reducer};

/// The running value and result of [`Failures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct FailuresValue<E, L = usize> {
    /// The number of failures.
    pub count: u64,
    /// The smallest location of a failure, or [`Location::MAX`] if there is none.
    pub loc: L,
    /// The failure at that location, or the default if there is none.
    pub failure: E,
}

impl<E: Copy, L: Location> FailuresValue<E, L> {
    /// Counts a failure at a location, and keeps it if no earlier one is known. Of several at one location, the first is kept.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Failures, Reducer};
    ///
    /// let mut failures = Failures::<char>::new().init();
    /// failures.add(7, 'a');
    /// failures.add(5, 'b');
    /// failures.add(5, 'c');
    /// assert_eq!((failures.count, failures.loc, failures.failure), (3, 5, 'b'));
    /// ```
    #[inline(always)]
    pub fn add(&mut self, loc: L, failure: E) {
        self.join(&Self { count: 1, loc, failure });
    }

    /// The first failure with its location, or `None` if nothing has failed.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Failures, Reducer};
    ///
    /// let mut failures = Failures::<i32>::new().init();
    /// assert_eq!(failures.first(), None);
    /// failures.add(7, -1);
    /// assert_eq!(failures.first(), Some((7, -1)));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn first(&self) -> Option<(L, E)> {
        (self.count > 0).then_some((self.loc, self.failure))
    }

    /// `Ok` if nothing has failed, otherwise the whole value as an error: `parallel_reduce(..)?.ok()?`.
    ///
    /// In a function that returns `spelt::Result`, the last `?` makes it a `spelt::Error` of the kind `Failures`.
    ///
    /// # Errors
    ///
    /// If something has failed.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Failures, Reducer};
    ///
    /// let mut failures = Failures::<i32>::new().init();
    /// assert!(failures.ok().is_ok());
    /// failures.add(7, -1);
    /// assert_eq!(failures.ok().unwrap_err().to_string(), "1 failure: -1 at 7");
    /// ```
    pub fn ok(self) -> Result<(), Self> {
        if self.count == 0 { Ok(()) } else { Err(self) }
    }

    #[inline(always)]
    fn join(&mut self, from: &Self) {
        // An index may be the largest location, which is that of a value without failures.
        let closer = (self.count == 0) | earlier(from.loc, self.loc);
        self.loc = select(closer, from.loc, self.loc);
        self.failure = if closer { from.failure } else { self.failure };
        self.count = self.count.wrapping_add(from.count);
    }
}

impl<E: core::fmt::Debug, L: core::fmt::Debug> core::fmt::Display for FailuresValue<E, L> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.count {
            0 => f.write_str("no failures"),
            1 => write!(f, "1 failure: {:?} at {:?}", self.failure, self.loc),
            count => write!(f, "{count} failures, the first: {:?} at {:?}", self.failure, self.loc),
        }
    }
}

impl<E: core::fmt::Debug, L: core::fmt::Debug> core::error::Error for FailuresValue<E, L> {}

stateless! {
    /// Counts the failures of a kernel and keeps the one with the smallest location.
    ///
    /// A kernel cannot return an error, because its iterations run at the same time: it reports the error here. The number of failures and
    /// the first of them are the same on every space and for every number of threads. Every iteration runs, even after a failure.
    ///
    /// The locations of different iterations differ, as their indices do. Otherwise the failure that is kept depends on the canonical order,
    /// but still not on the space.
    ///
    /// # Complexity
    ///
    /// One comparison of locations per join; values of 24 bytes if `E` has at most 8 and `L` is `usize`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Failures, Reducer};
    ///
    /// let reducer = Failures::<&str>::new();
    /// let mut left = reducer.init();
    /// let mut right = reducer.init();
    /// left.add(8, "negative");
    /// right.add(3, "infinite");
    /// reducer.join(&mut left, &right);
    /// assert_eq!(left.to_string(), "2 failures, the first: \"infinite\" at 3");
    /// ```
    Failures<E, L = usize>
}

impl<E: Copy + Default, L: Location> Reducer for Failures<E, L> {
    type Value = FailuresValue<E, L>;
    type Output = FailuresValue<E, L>;

    #[inline(always)]
    fn init(&self) -> FailuresValue<E, L> {
        FailuresValue { count: 0, loc: L::MAX, failure: E::default() }
    }

    #[inline(always)]
    fn join(&self, into: &mut FailuresValue<E, L>, from: &FailuresValue<E, L>) {
        into.join(from);
    }

    #[inline(always)]
    fn finish(&self, value: FailuresValue<E, L>) -> FailuresValue<E, L> {
        value
    }
}
