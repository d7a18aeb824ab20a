//! Tuples, arrays, columns and custom reducers.

use proptest::prelude::*;
use spelt_reducers::*;

use crate::bits::Bits;
use crate::check::{associative_unpromised, folded, joined};

fn commutative<R: Reducer>(_: &R) -> bool {
    R::COMMUTATIVE
}

fn exact<R: Reducer>(_: &R) -> bool {
    R::EXACT
}

fn reorderable<R: Reducer>(_: &R) -> bool {
    R::REORDERABLE
}

fn lane_bytes<R: Reducer>(_: &R) -> usize {
    R::LANE_BYTES
}

/// Two by two, row by row.
type Matrix = [i64; 4];

fn product(a: Matrix, b: Matrix) -> Matrix {
    let cell =
        |i: usize, j: usize| a[2 * i].wrapping_mul(b[j]).wrapping_add(a[2 * i + 1].wrapping_mul(b[2 + j]));
    [cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)]
}

proptest! {
    #[test]
    fn tuples_reduce_part_by_part(x in prop::collection::vec(any::<(i32, u8, f64)>(), 0..10)) {
        let reducer = (Sum::<i32>::new(), BOr::<u8>::new(), Max::<f64>::new());
        let (sum, bits, max) = folded(&reducer, &x);
        let parts: (Vec<_>, (Vec<_>, Vec<_>)) = x.iter().map(|&(a, b, c)| (a, (b, c))).unzip();
        prop_assert_eq!(sum, folded(&Sum::<i32>::new(), &parts.0));
        prop_assert_eq!(bits, folded(&BOr::<u8>::new(), &parts.1.0));
        prop_assert_eq!(max.bits(), folded(&Max::<f64>::new(), &parts.1.1).bits());
    }

    #[test]
    fn arrays_and_columns_agree(x in prop::collection::vec(any::<[f64; 3]>(), 0..10)) {
        let array = Elementwise::<_, 3>::new(Sum::<f64>::new());
        let array = array.finish(folded(&array, &x));
        let columns = Columns::new(Sum::<f64>::new(), 3);
        let values: Vec<ColumnsValue<f64>> = x.iter().map(|row| row.to_vec().into()).collect();
        let columns = columns.finish(folded(&columns, &values));
        prop_assert_eq!(columns.bits(), array.bits());
        let first: Vec<f64> = x.iter().map(|row| row[0]).collect();
        prop_assert_eq!(array[0].bits(), folded(&Sum::<f64>::new(), &first).bits());
    }

    #[test]
    fn matrices_join_in_order(a: Matrix, b: Matrix, c: Matrix) {
        let reducer = custom([1, 0, 0, 1], |into, from| *into = product(*into, *from)).non_commutative();
        associative_unpromised(&reducer, &a, &b, &c);
        prop_assert_eq!(folded(&reducer, &[a, b, c]), product(product(a, b), c));
        prop_assert!(!commutative(&reducer));
    }
}

#[test]
fn text_joins_in_order() {
    let text = custom(String::new(), |into, from| into.push_str(from)).non_commutative();
    assert!(!commutative(&text));
    let length = text.with_finish(|text| text.len());
    assert!(!commutative(&length));
    let value = folded(&length, &["ab".to_string(), "c".to_string()]);
    assert_eq!(value, "abc");
    assert_eq!(length.finish(value), 3);
}

#[test]
fn exactness_is_that_of_all_parts() {
    let (float, integer) = (Sum::<f64>::new(), Sum::<u64>::new());
    assert!(!exact(&float) && exact(&integer) && !reorderable(&float) && reorderable(&integer));
    // `0.0` and `-0.0` are equal, and the earlier one stays.
    assert!(!reorderable(&Min::<f64>::new()) && !reorderable(&Max::<f32>::new()));
    assert!(!reorderable(&MinMax::<f64>::new()) && !reorderable(&(integer, Max::<f64>::new())));
    assert!(
        reorderable(&Min::<u8>::new())
            && reorderable(&Max::<i128>::new())
            && reorderable(&Max::<char>::new())
    );
    assert!(reorderable(&Min::<bool>::new()) && reorderable(&MinMax::<i64>::new()));
    assert!(reorderable(&LAnd::<bool>::new()) && reorderable(&LOr::<bool>::new()));
    assert!(!reorderable(&LAnd::<i32>::new()), "2 is true, and a join makes it 1");
    assert!(exact(&(integer, integer)) && !exact(&(integer, float)) && !exact(&(float, integer)));
    assert!(reorderable(&(integer, integer)) && !reorderable(&(integer, float)));
    assert!(exact(&Elementwise::<_, 2>::new(integer)) && !exact(&Elementwise::<_, 2>::new(float)));
    assert!(reorderable(&Elementwise::<_, 2>::new(integer)));
    assert!(!reorderable(&Elementwise::<_, 2>::new(float)));
    assert!(exact(&Columns::new(integer, 2)) && !exact(&Columns::new(float, 2)));
    assert!(exact(&InOrder::new(integer)) && !exact(&InOrder::new(float)));
    assert!(exact(&Finish::new(integer, |x| x)) && !exact(&Finish::new(float, |x| x)));
    assert!(exact(&&integer) && !exact(&&float));
}

#[test]
fn commutativity_is_that_of_all_parts() {
    let sum = Sum::<f64>::new();
    assert!(commutative(&sum) && commutative(&custom(0, |a: &mut i32, b| *a += b)));
    assert!(commutative(&(sum, sum)));
    assert!(!commutative(&(sum, InOrder::new(sum))));
    assert!(!commutative(&Elementwise::<_, 2>::new(InOrder::new(sum))));
    assert!(!commutative(&Columns::new(InOrder::new(sum), 2)));
    assert!(!commutative(&Finish::new(InOrder::new(sum), |x| x)));
    assert!(!commutative(&custom(0, |a: &mut i32, b| *a += b).with_finish(|x| x).non_commutative()));
    assert!(!commutative(&&InOrder::new(sum)));
    let exact = Sum::<u64>::new();
    assert!(commutative(&InOrder::new(exact)), "the bits do not depend on the order");
}

#[test]
fn the_element_decides_the_lanes_of_columns() {
    assert_eq!(lane_bytes(&Sum::<f64>::new()), 8);
    assert_eq!(lane_bytes(&Columns::new(Sum::<f32>::new(), 100)), 4);
    assert_eq!(lane_bytes(&InOrder::new(Columns::new(Sum::<f32>::new(), 100))), 4);
    assert_eq!(lane_bytes(&Finish::new(Columns::new(Sum::<f32>::new(), 100), |x| x)), 4);
    assert_eq!(lane_bytes(&Columns::new(Columns::new(Sum::<u16>::new(), 2), 2)), 2);
    assert_eq!(lane_bytes(&&Columns::new(Sum::<f32>::new(), 100)), 4);
    assert_eq!(lane_bytes(&Elementwise::<_, 3>::new(Sum::<f32>::new())), 12);
    assert_eq!(lane_bytes(&MinMaxLoc::<f64>::new()), 32);
}

#[test]
fn finish_runs_on_every_part() {
    let mean = custom((0.0, 0_u32), |into: &mut (f64, u32), from| {
        into.0 += from.0;
        into.1 += from.1;
    })
    .with_finish(|(sum, count)| sum / f64::from(count));
    assert_eq!(mean.finish((6.0, 4)), 1.5);
    assert_eq!((mean, Sum::<u8>::new()).finish(((6.0, 4), 3)), (1.5, 3));
    assert_eq!(Elementwise::<_, 2>::new(mean).finish([(6.0, 4), (1.0, 1)]), [1.5, 1.0]);
    assert_eq!(Columns::new(mean, 2).finish(vec![(6.0, 4), (1.0, 1)].into()), [1.5, 1.0]);
    assert!(Finish::new(mean, |mean| mean > 1.0).finish((6.0, 4)));
}

#[test]
fn eight_in_one_pass() {
    let s = Sum::<u8>::new();
    let all = (s, s, s, s, s, s, s, Max::<u8>::new());
    let one = (1, 2, 3, 4, 5, 6, 7, 8);
    let value = joined(&all, &all.init(), &one);
    assert_eq!(all.finish(value), one);
    assert_eq!((s,).finish((3,)), (3,));
}

#[test]
fn no_columns() {
    let none = Columns::new(Sum::<f64>::new(), 0);
    let value = joined(&none, &none.init(), &none.init());
    assert_eq!(none.finish(value), [0.0; 0]);
}

#[test]
#[should_panic(expected = "cannot join 3 columns into 2")]
fn columns_of_another_length() {
    let columns = Columns::new(Sum::<f64>::new(), 2);
    columns.join(&mut columns.init(), &vec![0.0; 3].into());
}

#[test]
fn reducers_print_and_copy() {
    let reducer = (MinLoc::<f64>::new(), custom(1, |_: &mut i32, _| {}), MinBy::new(i32::cmp));
    let copy = reducer;
    assert_eq!(format!("{reducer:?}"), "(MinLoc, Custom { identity: 1, .. }, MinBy)");
    assert_eq!(format!("{:?}", InOrder::new(copy.0)), "InOrder(MinLoc)");
}

#[test]
fn reducers_are_shared_between_threads() {
    fn shared<R: Reducer<Value: Send> + Send + Sync>(_: R) {}
    // The types that a stateless reducer names need not be Sync for the reducer to be so.
    fn sync<R: Send + Sync>(_: R) {}
    sync(Sum::<std::rc::Rc<std::cell::Cell<u8>>>::new());
    shared((Sum::<f64>::new(), MinMaxLoc::<f64>::new(), Columns::new(Sum::<f64>::new(), 3)));
    shared(MinBy::new(f64::total_cmp));
}
