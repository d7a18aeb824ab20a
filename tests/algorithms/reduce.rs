//! `reduce`, `reduce_commutative` and their mapped forms.

use std::sync::atomic::{AtomicUsize, Ordering};

use spelt::algorithms::{reduce, reduce_commutative, transform_reduce, transform_reduce_commutative};
use spelt::prelude::*;
use spelt::reducers::{InOrder, Reducer};

use crate::equal::{assert_same, borders, noise, rough};
use crate::oracle;
use crate::spaces::every;

/// The product of 2 x 2 matrices, by rows; it does not commute, and does not say so.
pub(crate) fn product() -> impl Reducer<Value = [u64; 4], Output = [u64; 4]> + Copy + Send + Sync {
    custom([1_u64, 0, 0, 1], |a: &mut [u64; 4], b: &[u64; 4]| {
        let times = |x: u64, y: u64, z: u64, w: u64| x.wrapping_mul(y).wrapping_add(z.wrapping_mul(w));
        *a = [
            times(a[0], b[0], a[1], b[2]),
            times(a[0], b[1], a[1], b[3]),
            times(a[2], b[0], a[3], b[2]),
            times(a[2], b[1], a[3], b[3]),
        ];
    })
}

/// The largest sum of neighbours: best, best that begins at the front, best that ends at the back, all.
fn best_sum() -> impl Reducer<Value = [i64; 4], Output = [i64; 4]> + Copy + Send + Sync {
    custom([0_i64; 4], |a: &mut [i64; 4], b: &[i64; 4]| {
        *a = [a[0].max(b[0]).max(a[2] + b[1]), a[1].max(a[3] + b[1]), b[2].max(a[2] + b[3]), a[3] + b[3]];
    })
}

/// The longest ascending run: longest, at the front, at the back, length, first, last.
fn longest_run() -> impl Reducer<Value = [i64; 6], Output = [i64; 6]> + Copy + Send + Sync {
    custom([0_i64; 6], |a: &mut [i64; 6], b: &[i64; 6]| {
        if b[3] == 0 {
            return;
        }
        if a[3] == 0 {
            *a = *b;
            return;
        }
        let joined = a[5] <= b[4];
        let across = if joined { a[2] + b[1] } else { 0 };
        *a = [
            a[0].max(b[0]).max(across),
            if joined && a[1] == a[3] { a[3] + b[1] } else { a[1] },
            if joined && b[2] == b[3] { a[2] + b[3] } else { b[2] },
            a[3] + b[3],
            a[4],
            b[5],
        ];
    })
}

every! { on_every_space:
    fn integers_add_up(space, _setting) {
        for n in [0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 20_001] {
            let x = space.view_from_fn("x", [n], |[i]| i as i64).expect("memory");
            let wanted = (n * n.saturating_sub(1) / 2) as i64;
            assert_eq!(reduce(space, &x, Sum::new()).expect("covered"), wanted, "{n}");
            assert_eq!(reduce_commutative(space, &x, Sum::new()).expect("covered"), wanted, "{n}");
        }
        let x = space.view_from_fn("x", [1000], |_| u32::MAX).expect("memory");
        assert_eq!(reduce(space, &x, Sum::new()).expect("covered"), 4_294_966_296);
    }

    fn floats_add_in_the_canonical_order(space, _setting) {
        for n in borders(8).into_iter().chain([20_000]) {
            let x = space.view_from_fn("x", [n], rough_at).expect("memory");
            let sum = Sum::<f64>::new();
            let wanted = oracle::reduce(&sum, n, |i, sum| *sum += rough(i));
            assert_same(&reduce_commutative(space, &x, sum).expect("covered"), &wanted, n);
            let wanted = oracle::reduce(&InOrder::new(sum), n, |i, sum| *sum += rough(i));
            assert_same(&reduce(space, &x, sum).expect("covered"), &wanted, n);
        }
    }

    fn matrices_multiply_in_index_order(space, _setting) {
        let (a, b) = ([1_u64, 1, 0, 1], [1_u64, 0, 1, 1]);
        let there = space.view_from_fn("there", [20], move |[i]| if i % 2 == 0 { a } else { b }).expect("memory");
        let back = space.view_from_fn("back", [20], move |[i]| if i % 2 == 0 { b } else { a }).expect("memory");
        assert_eq!(reduce(space, &there, product()).expect("covered"), [10946, 6765, 6765, 4181]);
        assert_eq!(reduce(space, &back, product()).expect("covered"), [4181, 6765, 6765, 10946]);
        for n in [0, 1, 1024, 9999] {
            let factor = move |i: usize| [i as u64 | 1, i as u64 % 7, i as u64 % 13, 1];
            let x = space.view_from_fn("x", [n], move |[i]| factor(i)).expect("memory");
            let mut wanted = [1, 0, 0, 1];
            (0..n).for_each(|i| product().join(&mut wanted, &factor(i)));
            assert_eq!(reduce(space, &x, product()).expect("covered"), wanted, "{n}");
        }
    }

    fn largest_sums_of_neighbours(space, _setting) {
        let best = |values: Vec<i64>| {
            let x = spelt::View::from_vec("x", [values.len()], values).expect("memory").to_space(space).expect("memory");
            transform_reduce(space, &x, |x, _| [x.max(0), x.max(0), x.max(0), x], best_sum()).expect("covered")[0]
        };
        assert_eq!(best(vec![1, -2, 3, 4, -1, 5, -6]), 11);
        assert_eq!(best(vec![-1, -2]), 0);
        let x: Vec<i64> = (0..12_000).map(|i| (noise(i) * 1000.0) as i64).collect();
        let (mut most, mut here) = (0, 0);
        for x in &x {
            here = (here + x).max(0);
            most = most.max(here);
        }
        assert_eq!(best(x), most);
    }

    fn longest_runs(space, _setting) {
        let longest = |n: usize, f: fn(usize) -> i64| {
            let x = space.view_from_fn("x", [n], move |[i]| f(i)).expect("memory");
            transform_reduce(space, &x, |x, _| [1, 1, 1, 1, x, x], longest_run()).expect("covered")[0]
        };
        assert_eq!(longest(0, |_| 0), 0);
        assert_eq!(longest(9000, |i| i as i64), 9000);
        assert_eq!(longest(9000, |i| -(i as i64)), 1);
        let planted: fn(usize) -> i64 = |i| if (5000..6000).contains(&i) { i as i64 } else { (noise(i) * 1e6) as i64 };
        let (mut most, mut here) = (1, 1);
        for i in 1..9000 {
            here = if planted(i - 1) <= planted(i) { here + 1 } else { 1 };
            most = most.max(here);
        }
        assert_eq!(longest(9000, planted), most);
        assert!(most >= 1000);
    }
}

fn rough_at([i]: [usize; 1]) -> f64 {
    rough(i)
}

every! { on_every_host_space:
    fn nothing_gives_the_identity(space, _setting) {
        macro_rules! nothing {
            ($($type:ty, $reducer:expr => $wanted:expr;)*) => {$(
                let x = space.zeros::<$type, 1>("x", [0]).expect("memory");
                assert_eq!(reduce(space, &x, $reducer).expect("covered"), $wanted);
                assert_eq!(reduce_commutative(space, &x, $reducer).expect("covered"), $wanted);
            )*};
        }
        nothing! {
            i32, Sum::new() => 0;
            f64, Prod::new() => 1.0;
            f64, Min::new() => f64::INFINITY;
            f64, Max::new() => f64::NEG_INFINITY;
            u8, Min::new() => u8::MAX;
            bool, LAnd::new() => true;
            bool, LOr::new() => false;
            u16, BAnd::new() => u16::MAX;
            u16, BOr::new() => 0;
        }
        let x = space.zeros::<f64, 1>("x", [0]).expect("memory");
        let least = |val, loc| spelt::reducers::MinLocValue { val, loc };
        let none = transform_reduce(space, &x, least, MinLoc::<f64>::new()).expect("covered");
        assert_eq!((none.val, none.loc), (f64::INFINITY, usize::MAX));
    }

    fn strided_and_borrowed_views(space, _setting) {
        let x = space.view_from_fn("x", [3000, 3], |[i, j]| (10 * i + j) as i64).expect("memory");
        let wanted = (0..3000).map(|i| 10 * i + 1).sum::<i64>();
        assert_eq!(reduce(space, &x.subview((All, 1)), Sum::new()).expect("covered"), wanted);
    }

    /// One call and one join for each element, in addition to the joins of the canonical order.
    fn calls_and_joins(space, _setting) {
        for n in [0, 1, 2, 33, 2048, 5000, 30_000] {
            let x = space.zeros::<f64, 1>("x", [n]).expect("memory");
            for in_order in [false, true] {
                let (calls, joins) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let counting = custom(0.0, |_: &mut f64, _: &f64| {
                    joins.fetch_add(1, Ordering::Relaxed);
                });
                let map = |x, _| {
                    calls.fetch_add(1, Ordering::Relaxed);
                    x
                };
                if in_order {
                    transform_reduce(space, &x, map, counting).expect("covered");
                } else {
                    transform_reduce_commutative(space, &x, map, counting).expect("covered");
                }
                assert_eq!(calls.into_inner(), n);
                let found = joins.swap(0, Ordering::Relaxed);
                if in_order {
                    oracle::reduce(&InOrder::new(counting), n, |_, _| {});
                } else {
                    oracle::reduce(&counting, n, |_, _| {});
                }
                let extra = joins.into_inner();
                assert_eq!(found, n + extra, "{n}");
                assert!(extra <= n / 2 + 32, "{n}: {extra}");
            }
        }
    }
}
