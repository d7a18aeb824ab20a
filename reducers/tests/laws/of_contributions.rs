//! Joins of values that no kernel has assigned to: the same bits as other joins, with fewer comparisons.

use proptest::prelude::*;
use spelt_reducers::of_contributions::OfContributions;
use spelt_reducers::*;

use crate::bits::{Bits, any_float, any_number};
use crate::check::joined;

/// Both kinds of join agree wherever `into` is no NaN.
fn agrees<R: Reducer>(reducer: &R, into: &R::Value, from: &R::Value)
where
    R::Value: Clone + Bits,
{
    let mut value = into.clone();
    reducer.join_contributed(&mut value, from);
    assert_eq!(value.bits(), joined(reducer, into, from).bits());
}

/// All that `OfContributions` passes on, beside its joins.
fn has_the_constants_of<R: Reducer>(_: &R, _: &OfContributions<R>) {
    assert_eq!(R::COMMUTATIVE, OfContributions::<R>::COMMUTATIVE);
    assert_eq!(R::EXACT, OfContributions::<R>::EXACT);
    assert_eq!(R::REORDERABLE, OfContributions::<R>::REORDERABLE);
    assert_eq!(R::LANE_BYTES, OfContributions::<R>::LANE_BYTES);
    assert_eq!(R::HALF_WORDS, OfContributions::<R>::HALF_WORDS);
    assert_eq!(R::PACKED, OfContributions::<R>::PACKED);
    assert_eq!(R::MOSTLY_KEEPS, OfContributions::<R>::MOSTLY_KEEPS);
}

proptest! {
    #[test]
    fn extremes_join_to_the_same_bits(into in any_number(), from in any_float(), other in any::<[i32; 2]>()) {
        agrees(&Min::<f64>::new(), &into, &from);
        agrees(&Max::<f64>::new(), &into, &from);
        let both = |x| MinMaxValue { min_val: x, max_val: x };
        agrees(&MinMax::<f64>::new(), &both(into), &both(from));
        agrees(&InOrder::new(Max::<f64>::new()), &into, &from);
        agrees(&Finish::new(Max::<f64>::new(), |x| x), &into, &from);
        agrees(&&Max::<f64>::new(), &into, &from);
        agrees(&(Min::<f64>::new(), Sum::<i32>::new()), &(into, other[0] / 2), &(from, other[1] / 2));
        agrees(&Max::<i32>::new(), &other[0], &other[1]);
    }
}

/// A reducer whose two kinds of join differ.
struct Told;

impl Reducer for Told {
    type Value = &'static str;
    type Output = &'static str;
    fn init(&self) -> &'static str {
        "identity"
    }
    fn join(&self, into: &mut &'static str, _from: &&'static str) {
        *into = "joined";
    }
    fn join_contributed(&self, into: &mut &'static str, _from: &&'static str) {
        *into = "contributed";
    }
    fn finish(&self, value: &'static str) -> &'static str {
        value
    }
}

#[test]
fn wrappers_pass_the_join_on() {
    fn contributed<R: Reducer<Value = &'static str>>(reducer: &R) -> &'static str {
        let mut value = reducer.init();
        reducer.join_contributed(&mut value, &"other");
        value
    }
    assert_eq!(contributed(&&Told), "contributed");
    assert_eq!(contributed(&InOrder::new(Told)), "contributed");
    assert_eq!(contributed(&Finish::new(Told, |value| value)), "contributed");
    let mut pair = (Told, Told).init();
    (Told, Told).join_contributed(&mut pair, &("other", "other"));
    assert_eq!(pair, ("contributed", "contributed"));

    let reducer = OfContributions(Told);
    assert_eq!(reducer.init(), "identity");
    assert_eq!(joined(&reducer, &"into", &"from"), "contributed");
    assert_eq!(reducer.finish("value"), "value");
    has_the_constants_of(&Told, &reducer);
    has_the_constants_of(&Max::<f64>::new(), &OfContributions(Max::new()));
    has_the_constants_of(&MinMaxLoc::<f32>::new(), &OfContributions(MinMaxLoc::new()));
}
