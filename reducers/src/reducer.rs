//! The reducer trait: how contributions of iterations become one result.

use crate::columns::ColumnsVisitor;
use crate::sieve::SieveVisitor;

/// An argument that lets other crates call a function of a trait, and not override it: its name is not exported.
#[derive(Clone, Copy, Debug)]
pub struct Seal(());

/// The only `Seal`.
#[doc(hidden)]
#[must_use]
pub const fn seal() -> Seal {
    Seal(())
}

/// Defines how the contributions of the iterations of a launch become one result.
///
/// A launch makes running values with [`init`](Reducer::init), hands them to the kernel, joins them pairwise with
/// [`join`](Reducer::join), and calls [`finish`](Reducer::finish) once on the final value. `init` may be called any number
/// of times (per lane, tile, or team), so it must give an identity: joining it must not change a result. An empty launch
/// returns `finish(init())`.
///
/// # Guarantee
///
/// The shape of the tree of joins depends on the extents of the policy, on [`COMMUTATIVE`](Reducer::COMMUTATIVE) and on
/// [`LANE_BYTES`](Reducer::LANE_BYTES), that of a scan also on the size of a value and on whether it has drop glue, and on nothing
/// else; so the result has the same bits on every execution space.
///
/// This is a safe trait, and nothing unsafe relies on its laws: a reducer that breaks them only gives a wrong
/// result.
///
/// # Source
///
/// Kokkos's reducer concept (`init`, `join`, `final`), without the reference to the result that a Kokkos reducer holds.
///
/// # Examples
///
/// The arithmetic mean: the running value is a sum and a count, the result a quotient.
///
/// ```
/// use spelt_reducers::Reducer;
///
/// struct Mean;
///
/// impl Reducer for Mean {
///     type Value = (f64, u64);
///     type Output = f64;
///
///     fn init(&self) -> (f64, u64) {
///         (0.0, 0)
///     }
///     fn join(&self, into: &mut (f64, u64), from: &(f64, u64)) {
///         into.0 += from.0;
///         into.1 += from.1;
///     }
///     fn finish(&self, value: (f64, u64)) -> f64 {
///         value.0 / value.1 as f64
///     }
/// }
///
/// let (mut left, right) = ((4.0, 2), (5.0, 1));
/// Mean.join(&mut left, &right);
/// assert_eq!(Mean.finish(left), 3.0);
/// ```
pub trait Reducer {
    /// The running value that a kernel updates.
    type Value;

    /// The result of the launch.
    type Output;

    /// Whether values may join out of index order.
    ///
    /// `false` makes values join in index order: each lane then takes a contiguous run of iterations, which on a device
    /// costs the coalescing of loads.
    const COMMUTATIVE: bool = true;

    /// Whether regrouping the joins, without reordering them, never changes a bit of the result.
    ///
    /// It applies to all values, NaN and zeros of both signs included: `(a b) c` and `a (b c)` have the same bits. An identity
    /// does not change a value that began as one, but it may change others: infinity replaces a NaN in [`Min`](crate::Min).
    /// See [`neutral`](Reducer::neutral) for those.
    ///
    /// `true` permits a scan to use any grouping.
    const EXACT: bool = false;

    /// Whether reordering the joins never changes a bit of the result either.
    ///
    /// Exact reducers need not be: of `0.0` and `-0.0`, `Min` keeps the one that comes first. `true` lets values join in
    /// the fastest order, even if index order is requested, and lets a device join contributions to a scattered View as they arrive.
    const REORDERABLE: bool = false;

    /// The number of bytes that determines the number of lanes of a tile.
    ///
    /// For a value that owns memory of run-time length, it is the size of one element.
    const LANE_BYTES: usize = core::mem::size_of::<Self::Value>();

    /// The 8-byte words of a value that consist of two 4-byte fields, or of one and padding: bit `w` for word `w`.
    ///
    /// It determines how the compiler packs lanes into registers, not the result.
    #[doc(hidden)]
    const HALF_WORDS: u32 = 0;

    /// Whether a value is a vector already, whose lanes the compiler packs: the values of a tile's lanes then lie in memory one after the
    /// other.
    ///
    /// It determines how the compiler packs lanes into registers, not the result.
    #[doc(hidden)]
    const PACKED: bool = false;

    /// Whether most joins and contributions leave a value as it is, as those of an extremum do.
    ///
    /// It determines how the compiler stores lanes, not the result.
    #[doc(hidden)]
    const MOSTLY_KEEPS: bool = false;

    /// Whether a value consists of columns that reduce apart, which [`by_columns`](Reducer::by_columns) then visits.
    #[doc(hidden)]
    const BY_COLUMNS: bool = false;

    /// Lets `visitor` work on the columns of values, if they consist of such: a device keeps them in memory that it does not allocate.
    ///
    /// Other crates cannot override it, as they cannot name `Seal`: kernels rely on the same columns at each visit.
    #[doc(hidden)]
    #[inline(always)]
    fn by_columns<V: ColumnsVisitor<Self>>(&self, visitor: V, _seal: Seal) -> Option<V::Output>
    where
        Self: Sized,
    {
        let _ = visitor;
        None
    }

    /// Whether most contributions change nothing, which a sieve tells; [`by_sieve`](Reducer::by_sieve) then visits it.
    #[doc(hidden)]
    const HAS_SIEVE: bool = false;

    /// Lets `visitor` work with the reducer's sieve, if it has one.
    #[doc(hidden)]
    #[inline(always)]
    fn by_sieve<V: SieveVisitor<Self>>(visitor: V) -> Option<V::Output>
    where
        Self: Sized,
    {
        let _ = visitor;
        None
    }

    /// Makes an identity: a running value without contributions.
    fn init(&self) -> Self::Value;

    /// Joins `from` into `into`; if the order matters, `into` comes earlier in index order.
    fn join(&self, into: &mut Self::Value, from: &Self::Value);

    /// [`join`](Reducer::join) of values that are made of identities and contributions alone, as those of mapped reductions: no kernel has
    /// assigned to them, so that the extreme of floats is not NaN, and `into` never is.
    #[doc(hidden)]
    #[inline(always)]
    fn join_contributed(&self, into: &mut Self::Value, from: &Self::Value) {
        self.join(into, from);
    }

    /// Whether [`join_contributed`](Reducer::join_contributed) takes less time than [`join`](Reducer::join), so that values that a kernel may have
    /// assigned to are joined as if they were [contributed](Reducer::contributed).
    #[doc(hidden)]
    const HAS_CONTRIBUTED: bool = false;

    /// The value, or an identity if contributions cannot have made it. [`join_contributed`](Reducer::join_contributed) of such values has the bits of
    /// the [`join`](Reducer::join) of the original ones, unless it is an [identity](Reducer::is_identity).
    #[doc(hidden)]
    #[inline(always)]
    fn contributed(&self, value: Self::Value) -> Self::Value {
        value
    }

    /// Whether the value, or a part of it, equals an identity.
    #[doc(hidden)]
    #[inline(always)]
    fn is_identity(&self, value: &Self::Value) -> bool {
        let _ = value;
        true
    }

    /// The values as numbers, if joins add them and the identity is `0.0`: then other code may do it.
    #[doc(hidden)]
    #[inline(always)]
    fn float_sums<'v>(&self, values: &'v mut [Self::Value]) -> FloatSums<'v> {
        let _ = values;
        FloatSums::Others
    }

    /// Converts the fully joined value to the result; called exactly once.
    fn finish(&self, value: Self::Value) -> Self::Output;

    /// A value that never changes bits, on either side of a join.
    ///
    /// The identity need not be neutral: `-0.0 + 0.0` is `0.0`, and the minimum of NaN and infinity is infinity. So contributions
    /// to values in memory (`scatter`, bins) are collected in values that begin as neutral. With `None`, the default, a flag
    /// beside each value records whether there was a contribution; the results are the same, but slightly slower.
    ///
    /// If the answer is not the same each time, results are unspecified. Two NaNs count as equal here. A reducer that returns a
    /// neutral value defines [`is_neutral`](Reducer::is_neutral) too.
    ///
    /// # Examples
    ///
    /// ```
    /// use spelt_reducers::{Min, Reducer, Sum};
    ///
    /// assert!(Sum::<f64>::new().neutral().is_some_and(|zero| zero == 0.0 && zero.is_sign_negative()));
    /// assert!(Min::<f64>::new().neutral().is_some_and(f64::is_nan));
    /// ```
    #[inline(always)]
    fn neutral(&self) -> Option<Self::Value> {
        None
    }

    /// Whether a value equals [`neutral`](Reducer::neutral), so that it is omitted instead of joined.
    ///
    /// Values in memory then keep their bits even if arithmetic would change those of a NaN.
    #[inline(always)]
    fn is_neutral(&self, value: &Self::Value) -> bool {
        let _ = value;
        false
    }
}

/// See [`Reducer::float_sums`].
#[doc(hidden)]
#[derive(Debug)]
pub enum FloatSums<'v> {
    F32(&'v mut [f32]),
    F64(&'v mut [f64]),
    Others,
}

impl<R: Reducer + ?Sized> Reducer for &R {
    type Value = R::Value;
    type Output = R::Output;

    const COMMUTATIVE: bool = R::COMMUTATIVE;
    const EXACT: bool = R::EXACT;
    const REORDERABLE: bool = R::REORDERABLE;
    const LANE_BYTES: usize = R::LANE_BYTES;
    const HALF_WORDS: u32 = R::HALF_WORDS;
    const PACKED: bool = R::PACKED;
    const MOSTLY_KEEPS: bool = R::MOSTLY_KEEPS;

    #[inline(always)]
    fn init(&self) -> Self::Value {
        (**self).init()
    }

    #[inline(always)]
    fn join(&self, into: &mut Self::Value, from: &Self::Value) {
        (**self).join(into, from);
    }

    #[inline(always)]
    fn join_contributed(&self, into: &mut Self::Value, from: &Self::Value) {
        (**self).join_contributed(into, from);
    }

    const HAS_CONTRIBUTED: bool = R::HAS_CONTRIBUTED;

    #[inline(always)]
    fn contributed(&self, value: Self::Value) -> Self::Value {
        (**self).contributed(value)
    }

    #[inline(always)]
    fn is_identity(&self, value: &Self::Value) -> bool {
        (**self).is_identity(value)
    }

    #[inline(always)]
    fn float_sums<'v>(&self, values: &'v mut [Self::Value]) -> FloatSums<'v> {
        (**self).float_sums(values)
    }

    #[inline(always)]
    fn finish(&self, value: Self::Value) -> Self::Output {
        (**self).finish(value)
    }

    #[inline(always)]
    fn neutral(&self) -> Option<Self::Value> {
        (**self).neutral()
    }

    #[inline(always)]
    fn is_neutral(&self, value: &Self::Value) -> bool {
        (**self).is_neutral(value)
    }
}
