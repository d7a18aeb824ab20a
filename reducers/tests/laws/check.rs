//! The laws themselves, for any reducer: each panics where its law is broken.

use spelt_reducers::Reducer;

use crate::bits::Bits;

/// Joins two values.
pub(crate) fn joined<R: Reducer>(reducer: &R, into: &R::Value, from: &R::Value) -> R::Value
where
    R::Value: Clone,
{
    let mut value = into.clone();
    reducer.join(&mut value, from);
    value
}

/// Joins values from left to right, starting from the identity.
pub(crate) fn folded<R: Reducer>(reducer: &R, values: &[R::Value]) -> R::Value {
    let mut total = reducer.init();
    for value in values {
        reducer.join(&mut total, value);
    }
    total
}

/// The identity is neutral on both sides, to the bit.
pub(crate) fn neutral<R: Reducer>(reducer: &R, value: &R::Value)
where
    R::Value: Clone + Bits,
{
    let identity = reducer.init();
    assert_eq!(joined(reducer, &identity, value).bits(), value.bits(), "identity on the left");
    assert_eq!(joined(reducer, value, &identity).bits(), value.bits(), "identity on the right");
}

/// Joins associate, to the bit; the reducer must promise so.
pub(crate) fn associative<R: Reducer>(reducer: &R, a: &R::Value, b: &R::Value, c: &R::Value)
where
    R::Value: Clone + Bits,
{
    assert!(R::EXACT, "the reducer does not promise it");
    associative_unpromised(reducer, a, b, c);
}

/// Joins associate, to the bit, though [`Reducer::EXACT`] does not say so.
pub(crate) fn associative_unpromised<R: Reducer>(reducer: &R, a: &R::Value, b: &R::Value, c: &R::Value)
where
    R::Value: Clone + Bits,
{
    let left = joined(reducer, &joined(reducer, a, b), c);
    let right = joined(reducer, a, &joined(reducer, b, c));
    assert_eq!(left.bits(), right.bits(), "(a b) c = a (b c)");
}

/// Joins commute, to the bit.
pub(crate) fn commutative<R: Reducer>(reducer: &R, a: &R::Value, b: &R::Value)
where
    R::Value: Clone + Bits,
{
    assert_eq!(joined(reducer, a, b).bits(), joined(reducer, b, a).bits(), "a b = b a");
}
