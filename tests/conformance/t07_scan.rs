//! `parallel_scan`: prefixes and totals in index order.

use std::sync::OnceLock;

use spelt::prelude::*;
use spelt::reducers::Reducer;

use crate::equal::{SHARED_OUT, assert_same, borders, rough};
use crate::oracle;
use crate::spaces::every;

every! { on_every_setting:
    fn integers_scan_as_in_a_loop(space, setting) {
        for n in borders(8).into_iter().chain(SHARED_OUT) {
            let x = space.view_from_fn("x", [n], |[i]| (i * 31 % 1009) as i64 - 500).expect("memory");
            let mut inclusive = space.zeros::<i64, 1>("inclusive", [n]).expect("memory");
            let mut exclusive = space.zeros::<i64, 1>("exclusive", [n]).expect("memory");
            let total = parallel_scan("both", setting.range(space, 0..n), (&x, &mut inclusive, &mut exclusive),
                |i, sum, last, (x, mut inclusive, mut exclusive)| {
                    if last { exclusive[i] = *sum }
                    *sum += x[i];
                    if last { inclusive[i] = *sum }
                }, Sum::<i64>::new()).expect("covered");
            let (x, inclusive, exclusive) =
                (x.to_host().expect("memory"), inclusive.to_host().expect("memory"), exclusive.to_host().expect("memory"));
            let mut sum = 0;
            for i in 0..n {
                assert_eq!(exclusive[i], sum, "before {i} of {n}");
                sum += x[i];
                assert_eq!(inclusive[i], sum, "up to {i} of {n}");
            }
            assert_eq!(total, sum, "{n}");
        }
    }

    fn floats_scan_with_the_canonical_bits(space, setting) {
        static WANTED: OnceLock<Vec<(usize, Vec<f64>, f64)>> = OnceLock::new();
        let wanted = WANTED.get_or_init(|| borders(8).into_iter().chain([20_000]).map(|n| {
            let (prefixes, total) = oracle::scan(&Sum::<f64>::new(), n, |i, sum| *sum += rough(i));
            (n, prefixes, total)
        }).collect());
        for (n, prefixes, total) in wanted {
            let mut y = space.zeros::<f64, 1>("y", [*n]).expect("memory");
            let found = parallel_scan("sum", setting.range(space, 0..*n), &mut y, |i, sum, last, mut y| {
                *sum += rough(i.get());
                if last { y[i] = *sum }
            }, Sum::<f64>::new()).expect("covered");
            assert_same(&y.to_host().expect("memory").to_vec(), prefixes, format!("prefixes of {n}"));
            assert_same(&found, total, format!("total of {n}"));
        }
    }
}

every! { on_every_space:
    fn totals_are_those_of_a_reduction_for_exact_types(space, setting) {
        for n in [1, 5000, 40_000] {
            let scanned = parallel_scan("scan", setting.range(space, 0..n), (),
                |i, best, _, ()| best.update(i.get() * 7919 % 1013, i.get()), MinMaxLoc::<usize>::new());
            let reduced = parallel_reduce("reduce", setting.range(space, 0..n), (),
                |i, best, ()| best.update(i.get() * 7919 % 1013, i.get()), MinMaxLoc::<usize>::new());
            assert_same(&scanned.expect("nothing can fail"), &reduced.expect("nothing can fail"), n);
        }
    }

    fn running_maxima_and_equal_zeros(space, setting) {
        // The zero with the smaller index stays: -0.0 at 1, in another lane than 0.0 at 32.
        let n = 40_000;
        let x = space.view_from_fn("x", [n], |[i]| match i {
            1 => -0.0,
            32 => 0.0,
            _ if i % 2 == 0 => 1.0 + rough(i).abs(),
            _ => f64::NAN,
        }).expect("memory");
        let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
        let total = parallel_scan("min", setting.range(space, 0..n), (&x, &mut y), |i, min, last, (x, mut y)| {
            if x[i] < *min { *min = x[i] }
            if last { y[i] = *min }
        }, Min::<f64>::new()).expect("covered");
        assert_same(&total, &-0.0, "total");
        assert_same(&y.to_host().expect("memory").to_vec()[1..].to_vec(), &vec![-0.0; n - 1], "prefixes");
        let total = parallel_scan("max", setting.range(space, 0..n), (&x, &mut y), |i, max, last, (x, mut y)| {
            let x = -x[i];
            if x > *max { *max = x }
            if last { y[i] = *max }
        }, Max::<f64>::new()).expect("covered");
        assert_same(&total, &0.0, "total");
        assert_same(&y.to_host().expect("memory").to_vec()[1..].to_vec(), &vec![0.0; n - 1], "prefixes");
        let ends = parallel_scan("ends", setting.range(space, 0..n), &x,
            |i, ends, _, x| ends.update(x[i].min(0.0) * 0.0 + x[i]), MinMax::<f64>::new()).expect("covered");
        assert!(ends.min_val == 0.0);
    }

    fn matrices_multiply_in_index_order(space, setting) {
        type Matrix = [u64; 4];
        const PRIME: u64 = 1_000_003;
        let times = |a: &Matrix, b: &Matrix| [
            (a[0] * b[0] + a[1] * b[2]) % PRIME, (a[0] * b[1] + a[1] * b[3]) % PRIME,
            (a[2] * b[0] + a[3] * b[2]) % PRIME, (a[2] * b[1] + a[3] * b[3]) % PRIME,
        ];
        let product = custom([1_u64, 0, 0, 1], move |into: &mut Matrix, from: &Matrix| *into = times(into, from))
            .non_commutative();
        let factor = |i: usize| [i as u64 % 89 + 1, i as u64 % 7, i as u64 % 13, 1];
        for n in [1, 1023, 9999, 30_000] {
            let mut y = space.zeros::<Matrix, 1>("y", [n]).expect("memory");
            let total = parallel_scan("product", setting.range(space, 0..n), &mut y, move |i, value, last, mut y| {
                product.join(value, &factor(i.get()));
                if last { y[i] = *value }
            }, product).expect("covered");
            let y = y.to_host().expect("memory");
            let mut wanted = [1, 0, 0, 1];
            for i in 0..n {
                wanted = times(&wanted, &factor(i));
                assert_eq!(y[i], wanted, "{i} of {n}");
            }
            assert_eq!(total, wanted);
        }
    }

    fn tuples_and_arrays_scan(space, setting) {
        let n = 20_000;
        let reducer = (Sum::<f64>::new(), Elementwise::<_, 3>::new(Max::<i64>::new()));
        let contribute = |i: usize, (sum, tops): &mut (f64, [i64; 3])| {
            *sum += rough(i);
            tops[i % 3] = tops[i % 3].max((i * 7 % 10_007) as i64);
        };
        let mut y = space.zeros::<(f64, [i64; 3]), 1>("y", [n]).expect("memory");
        let total = parallel_scan("tuple", setting.range(space, 0..n), &mut y, move |i, value, last, mut y| {
            contribute(i.get(), value);
            if last { y[i] = *value }
        }, reducer).expect("covered");
        let (prefixes, wanted) = oracle::scan(&reducer, n, contribute);
        assert_same(&total, &wanted, "total");
        assert_same(&y.to_host().expect("memory").to_vec(), &prefixes, "prefixes");
    }

    fn boxes_scan_with_the_last_index_fastest(space, setting) {
        for [n, m] in [[200, 151], [3, 10_001], [30_001, 1], [1, 1]] {
            let mut y = space.zeros_in::<f64, 2, _>(Left, "y", [n + 1, m + 2]).expect("memory");
            let total = parallel_scan("box", setting.md_range(space, [1..n + 1, 2..m + 2]), &mut y, move |i, sum, last, mut y| {
                let [row, column] = i.get();
                *sum += rough((row - 1) * m + column - 2);
                if last { y[i] = *sum }
            }, Sum::<f64>::new()).expect("covered");
            let (prefixes, wanted) = oracle::scan(&Sum::<f64>::new(), n * m, |k, sum| *sum += rough(k));
            assert_same(&total, &wanted, format!("total of {n} x {m}"));
            let y = y.to_host().expect("memory");
            let found: Vec<f64> = (0..n * m).map(|k| y[[k / m + 1, k % m + 2]]).collect();
            assert_same(&found, &prefixes, format!("prefixes of {n} x {m}"));
        }
    }

    fn boxes_of_every_rank_scan(space, setting) {
        macro_rules! rank {
            ($($extents:expr),*) => {$({
                let extents = $extents;
                let n: usize = extents.iter().product();
                let place = move |index: &[usize]| index.iter().zip(extents).fold(0, |place, (i, extent)| place * extent + i - 1);
                let mut y = space.zeros("y", extents.map(|extent| extent + 1)).expect("memory");
                let policy = setting.md_range(space, extents.map(|extent| 1..extent + 1));
                let total = parallel_scan("rank", policy, &mut y, move |i, sum, last, mut y| {
                    *sum += rough(place(&i.index()));
                    if last { y[i] = *sum }
                }, Sum::<f64>::new()).expect("covered");
                let (prefixes, wanted) = oracle::scan(&Sum::<f64>::new(), n, |k, sum| *sum += rough(k));
                assert_same(&total, &wanted, format!("total of {extents:?}"));
                let y = y.to_host().expect("memory");
                for (index, found) in y.indexed_iter() {
                    let wanted = if index.contains(&0) { 0.0 } else { prefixes[place(&index)] };
                    assert_same(found, &wanted, format!("{index:?} of {extents:?}"));
                }
            })*};
        }
        rank!([13, 14, 15], [6, 7, 8, 9], [4, 5, 6, 4, 5], [3, 4, 3, 4, 3, 5], [3, 2, 4, 3, 2, 3, 5], [2, 3, 2, 3, 2, 3, 2, 5]);
    }

    fn each_index_has_one_last_call(space, setting) {
        let n = 30_000;
        let mut all = space.zeros::<u32, 1>("all", [n]).expect("memory");
        let mut lasts = space.zeros::<u32, 1>("lasts", [n]).expect("memory");
        parallel_scan("calls", setting.range(space, 7..n + 7), (all.atomic(), lasts.atomic()),
            |i, _, last, (all, lasts)| {
                let i = i.get() - 7;
                all.add(i, 1);
                if last {
                    assert!(lasts.fetch_add(i, 1) == 0);
                } else {
                    assert!(lasts.load(i) == 0, "the last call comes last");
                }
            }, Sum::<f64>::new()).expect("nothing can fail");
        assert!(all.to_host().expect("memory").iter().all(|&all| all <= 3));
        assert!(lasts.to_host().expect("memory").iter().all(|&lasts| lasts == 1));
    }

    fn scans_into_a_view_and_over_nothing(space, setting) {
        let mut total = space.view_from_fn("total", [], |[]| 55_u32).expect("memory");
        parallel_scan_into("sum", setting.range(space, 0..20_000), (), |_, sum, _, ()| *sum += 2, Sum::<u32>::new(),
            &mut total).expect("nothing can fail");
        assert_eq!(total.to_host().expect("memory").value(), 40_000);
        parallel_scan_into("nothing", setting.range(space, 5..5), (), |_, _, _, ()| panic!("called"),
            Sum::<u32>::new(), &mut total).expect("nothing can fail");
        assert_eq!(total.to_host().expect("memory").value(), 0);
        let far = usize::MAX - 9000..usize::MAX;
        let last = parallel_scan("far", setting.range(space, far), (), |i, max, _, ()| *max = i.get().max(*max),
            Max::<usize>::new()).expect("nothing can fail");
        assert_eq!(last, usize::MAX - 1);
    }

    fn prefixes_may_replace_their_input(space, setting) {
        let n = 25_000;
        let mut x = space.view_from_fn("x", [n], |[i]| i as u64).expect("memory");
        parallel_scan("in place", setting.range(space, 0..n), &mut x, |i, sum, last, mut x| {
            *sum += x[i];
            if last { x[i] = *sum }
        }, Sum::<u64>::new()).expect("covered");
        let x = x.to_host().expect("memory");
        assert!((0..n as u64).all(|i| x[i as usize] == i * (i + 1) / 2));
    }
}
