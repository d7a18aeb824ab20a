//! How the values of one key become one.

use spelt_core::reducers::{
    BAnd, BOr, BitElement, Max, Min, MinMaxElement, Prod, ProdElement, Reducer, Sum, SumElement,
};
use spelt_core::{AtomicAccess, AtomicInteger, Element};

/// A reducer for the values of an [`UnorderedMap`](super::UnorderedMap): `Sum`, `Prod`, `Min`, `Max`, `BAnd` and `BOr` of [integers](MapValue),
/// or `()` for a map to `()`, which is a set of keys.
///
/// Values of one key join in the order in which they arrive, so only joins that are exact in any order are allowed. For floats there is
/// [`reduce_by_key`](spelt_algorithms::reduce_by_key()) after a sort. The trait is sealed.
///
/// # Examples
/// ```
/// use spelt_containers::{MapReducer, UnorderedMap};
/// use spelt_core::{Result, Serial, View, reducers::{Max, Min}};
/// fn of_key_3(reducer: impl MapReducer<i32>) -> Result<Option<i32>> {
///     let space = Serial::new();
///     let (keys, values) = (View::from_vec("keys", [2], vec![3_u8, 3])?, View::from_vec("values", [2], vec![10, -5])?);
///     let mut map = UnorderedMap::with_capacity(&space, "map", 1)?;
///     map.extend(&space, &keys, &values, reducer)?;
///     Ok(map.get(3))
/// }
/// assert_eq!((of_key_3(Min::new())?, of_key_3(Max::new())?), (Some(-5), Some(10)));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not join values `{V}` of a map",
    note = "values of one key join in the order in which they arrive: `Sum`, `Prod`, `Min`, `Max`, `BAnd` and `BOr` of integers give the \
            same result in any order, and `()` joins `()`"
)]
pub trait MapReducer<V: Element>: Send + Sync + 'static + sealed::Sealed {
    /// The value of a slot before the first join.
    #[doc(hidden)]
    fn identity() -> V;
    /// Joins `value` into a slot.
    #[doc(hidden)]
    fn join(values: &AtomicAccess<'_, V, 1>, slot: usize, value: V);
}

/// An integer that reducers join in an [`UnorderedMap`](super::UnorderedMap): those of 32 and 64 bits, which every device changes
/// atomically.
///
/// # Examples
/// ```
/// use spelt_containers::{MapValue, UnorderedMap};
/// use spelt_core::{Result, Serial, View, reducers::{BitElement, BOr}};
/// fn any<V: MapValue + BitElement>(values: Vec<V>) -> Result<Option<V>> {
///     let (space, n) = (Serial::new(), values.len());
///     let (keys, values) = (View::<u8, 1>::zeros("keys", [n])?, View::from_vec("values", [n], values)?);
///     let mut map = UnorderedMap::with_capacity(&space, "map", 1)?;
///     map.extend(&space, &keys, &values, BOr::new())?;
///     Ok(map.get(0))
/// }
/// assert_eq!(any(vec![1_i32, 4])?, Some(5));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value that the reducers of a map join",
    note = "values are integers of 32 or 64 bits: other integers can be converted",
    note = "sums of floats would depend on the order in which they arrive: sort by the keys, and use `spelt::algorithms::reduce_by_key`"
)]
pub trait MapValue: AtomicInteger + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! values {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl MapValue for $type {}
    )*};
}
values! { u32 u64 usize i32 i64 isize }

macro_rules! reducers {
    ($($reducer:ident $bound:ident $operation:ident;)*) => {$(
        impl<V> sealed::Sealed for $reducer<V> {}
        impl<V: MapValue + $bound> MapReducer<V> for $reducer<V> {
            #[inline(always)]
            fn identity() -> V {
                $reducer::<V>::new().init()
            }
            #[inline(always)]
            fn join(values: &AtomicAccess<'_, V, 1>, slot: usize, value: V) {
                values.$operation(slot, value);
            }
        }
    )*};
}
reducers! {
    Sum SumElement add;
    Prod ProdElement mul;
    Min MinMaxElement min;
    Max MinMaxElement max;
    BAnd BitElement and;
    BOr BitElement or;
}

impl sealed::Sealed for () {}
impl MapReducer<()> for () {
    fn identity() {}
    #[inline(always)]
    fn join(_values: &AtomicAccess<'_, (), 1>, _slot: usize, (): ()) {}
}

/// Moves values from table to table: a key comes once.
pub(super) struct Moved;

impl sealed::Sealed for Moved {}
impl<V: Element> MapReducer<V> for Moved {
    #[inline(always)]
    fn identity() -> V {
        V::ALL_BYTES_ZERO
    }
    #[inline(always)]
    fn join(values: &AtomicAccess<'_, V, 1>, slot: usize, value: V) {
        if const { size_of::<V>() != 0 } {
            values.store(slot, value);
        }
    }
}
