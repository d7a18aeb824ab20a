//! The spellings that the documentation uses infer, with a launch of the shape of `parallel_reduce`.

use spelt_reducers::*;

/// As `parallel_reduce` over a range, with two running values.
fn reduce<R, F>(n: usize, kernel: F, reducer: R) -> R::Output
where
    R: Reducer + Sync,
    F: Fn(usize, &mut R::Value) + Sync,
{
    let (mut left, mut right) = (reducer.init(), reducer.init());
    for i in 0..n {
        kernel(i, if i % 2 == 0 { &mut left } else { &mut right });
    }
    reducer.join(&mut left, &right);
    reducer.finish(left)
}

const X: [f64; 4] = [2.0, -1.5, 7.0, -1.5];

#[test]
fn plain_values() {
    let x = &X;
    assert_eq!(reduce(4, |i, sum| *sum += x[i], Sum::<f64>::new()), 6.0);
    let lowest = reduce(
        4,
        |i, min| {
            if x[i] < *min {
                *min = x[i];
            }
        },
        Min::<f64>::new(),
    );
    assert_eq!(lowest, -1.5);
    assert_eq!(reduce(4, |i, max| *max = max.max(x[i]), Max::<f64>::new()), 7.0);
    assert!(!reduce(4, |i, all| *all &= x[i] > 0.0, LAnd::<bool>::new()));
    assert_eq!(reduce(4, |i, any| *any |= 1 << i, BOr::<u8>::new()), 15);
}

#[test]
fn updates_need_no_type() {
    let x = &X;
    let best = reduce(4, |i, best| best.update(x[i], i), MinMaxLoc::new());
    assert_eq!((best.min_loc, best.max_loc), (1, 2));
    let best = reduce(4, |i, best| best.update(x[i], [i, 0]), MinMaxLoc::<f64, [usize; 2]>::new());
    assert_eq!(best.min_loc, [1, 0]);
    let ends = reduce(4, |i, ends| ends.update(x[i]), MinMax::new());
    assert_eq!((ends.min_val, ends.max_val), (-1.5, 7.0));
    let last = reduce(4, |i, last| last.update(x[i] < 0.0, i), LastLoc::new());
    assert_eq!(last.get(), Some(3));
}

#[test]
fn the_location_defaults_to_usize() {
    assert_eq!(size_of_val(&MinLoc::<u8>::new().init().loc), size_of::<usize>());
    assert_eq!(size_of_val(&FirstLoc::<usize>::new()), 0);
}

#[test]
fn compositions() {
    let x = &X;
    let (sum, best) = reduce(
        4,
        |i, (sum, best)| {
            *sum += x[i];
            best.update(x[i], i);
        },
        (Sum::<f64>::new(), MaxLoc::<f64>::new()),
    );
    assert_eq!((sum, best.loc), (6.0, 2));

    let counts = reduce(4, |i, bins| bins[usize::from(x[i] > 0.0)] += 1, Columns::new(Sum::<u32>::new(), 2));
    assert_eq!(counts, [2, 2]);
    let counts =
        reduce(4, |i, bins| bins[usize::from(x[i] > 0.0)] += 1, Elementwise::<_, 2>::new(Sum::<u32>::new()));
    assert_eq!(counts, [2, 2]);

    let norm = reduce(4, |i, sum| *sum += x[i] * x[i], custom(0.0, |a, b| *a += b).with_finish(f64::sqrt));
    assert_eq!(norm, 57.5_f64.sqrt());

    let descending = MinLocBy::<f64, _>::new(|a, b| b.total_cmp(a));
    let best = reduce(4, |i, best| descending.update(best, x[i], i), descending);
    assert_eq!(best.unwrap().loc, 2);
    let best = reduce(4, |i, best| descending.update(best, x[i], i), &descending);
    assert_eq!(best.unwrap().val, 7.0);
}
