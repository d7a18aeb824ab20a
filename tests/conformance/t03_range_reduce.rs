//! `parallel_reduce` over a range: the oracle's bits for floats, the sequential result for exact types.

use std::sync::OnceLock;

use spelt::prelude::*;

use crate::equal::{MANY, SHARED_OUT, assert_same, borders, rough};
use crate::oracle;
use crate::spaces::every;

every! { on_every_setting:
    fn a_float_sum_has_the_canonical_bits(space, setting) {
        static WANTED: OnceLock<Vec<(usize, f64)>> = OnceLock::new();
        let wanted = WANTED.get_or_init(|| borders(8).into_iter().chain(SHARED_OUT)
            .map(|n| (n, oracle::reduce(&Sum::<f64>::new(), n, |i, sum| *sum += rough(i)))).collect());
        for &(n, wanted) in wanted {
            let found = parallel_reduce("sum", setting.range(space, 0..n), (),
                |i, sum, ()| *sum += rough(i.get()), Sum::<f64>::new()).expect("nothing can fail");
            assert_same(&found, &wanted, format!("{n} iterations"));
            let (exact, magnitude) = oracle::exact_sum((0..n).map(rough));
            assert!((found - exact).abs() <= 80.0 * f64::EPSILON * magnitude, "{n}: {found}, exactly {exact}");
        }
    }

    fn a_short_float_sum_has_the_canonical_bits(space, setting) {
        static WANTED: OnceLock<Vec<(usize, f32)>> = OnceLock::new();
        let wanted = WANTED.get_or_init(|| borders(4).into_iter().chain([20_000])
            .map(|n| (n, oracle::reduce(&Sum::<f32>::new(), n, |i, sum| *sum += rough(i) as f32))).collect());
        for &(n, wanted) in wanted {
            let found = parallel_reduce("sum", setting.range(space, 0..n), (),
                |i, sum, ()| *sum += rough(i.get()) as f32, Sum::<f32>::new()).expect("nothing can fail");
            assert_same(&found, &wanted, format!("{n} iterations"));
        }
    }

    fn a_row_that_an_iteration_reduces_has_the_same_bits(space, setting) {
        static WANTED: OnceLock<Vec<(usize, Vec<f32>)>> = OnceLock::new();
        let wanted = WANTED.get_or_init(|| borders(4).into_iter().chain([20_000]).map(|n| {
            let row = |row| oracle::reduce(&Sum::<f32>::new(), n, |k, sum| *sum += rough(k + row) as f32);
            (n, (0..3).map(row).collect())
        }).collect());
        for (n, wanted) in wanted {
            let n = *n;
            let mut sums = space.zeros::<f32, 1>("sums", [3]).expect("memory");
            parallel_for("rows", setting.range(space, 0..3), &mut sums, move |row, mut sums| {
                let contribute = |k: usize, sum: &mut f32| *sum += rough(k + row.get()) as f32;
                sums[row] = serial_reduce(n, contribute, &Sum::new());
            }).expect("covered");
            assert_same(&sums.to_host().expect("memory").to_vec(), wanted, format!("rows of {n}"));
        }
    }

    fn wide_values_have_fewer_lanes(space, setting) {
        // Every width of a tile: 24, 48, 96, 256 and 800 bytes.
        static WANTED: OnceLock<Vec<Vec<u64>>> = OnceLock::new();
        fn wide<const N: usize>(i: usize, value: &mut [f64; N]) {
            for (place, value) in value.iter_mut().enumerate() {
                *value += rough(i + 17 * place);
            }
        }
        use crate::equal::Bits;
        let n = 3001;
        macro_rules! widths {
            ($run:ident) => { [$run!(3), $run!(6), $run!(12), $run!(32), $run!(100)].into() };
        }
        macro_rules! wanted {
            ($n:literal) => {
                oracle::reduce(&Elementwise::<_, $n>::new(Sum::<f64>::new()), n, wide).bits()
            };
        }
        macro_rules! found {
            ($n:literal) => {
                parallel_reduce("wide", setting.range(space, 5..n + 5), (),
                    move |i, value: &mut [f64; $n], ()| wide(i.get() - 5, value),
                    Elementwise::<_, $n>::new(Sum::<f64>::new())).expect("nothing can fail").bits()
            };
        }
        if setting.chunk == Some(7) { return }
        let wanted: &Vec<Vec<u64>> = WANTED.get_or_init(|| widths!(wanted));
        let found: Vec<Vec<u64>> = widths!(found);
        assert!(found == *wanted, "other bits than the oracle's");
    }
}

every! { on_every_space:
    fn many_iterations(space, setting) {
        static WANTED: OnceLock<f64> = OnceLock::new();
        let wanted = WANTED.get_or_init(|| oracle::reduce(&Sum::<f64>::new(), MANY, |i, sum| *sum += rough(i)));
        let found = parallel_reduce("sum", setting.range(space, 0..MANY), (),
            |i, sum, ()| *sum += rough(i.get()), Sum::<f64>::new()).expect("nothing can fail");
        assert_same(&found, wanted, MANY);
    }

    fn the_order_counts_iterations_not_indices(space, setting) {
        let n = 9999;
        let at = |begin: usize| parallel_reduce("sum", setting.range(space, begin..begin + n), (),
            move |i, sum, ()| *sum += rough(i.get() - begin), Sum::<f64>::new()).expect("nothing can fail");
        for begin in [1, 63, 1_000_003, u32::MAX as usize - 5, usize::MAX - n] {
            assert_same(&at(begin), &at(0), begin);
        }
    }

    #[allow(clippy::reversed_empty_ranges)]
    fn nothing_reduces_to_the_finished_identity(space, setting) {
        for range in [0..0, 5..5, 9..3] {
            let policy = || setting.range(space, range.clone());
            let sum = parallel_reduce("sum", policy(), (), |_, _, ()| panic!("called"), Sum::<i32>::new());
            assert_eq!(sum.expect("nothing can fail"), 0);
            let min = parallel_reduce("min", policy(), (), |_, _, ()| panic!("called"), Min::<f64>::new());
            assert_eq!(min.expect("nothing can fail"), f64::INFINITY);
            let best = parallel_reduce("best", policy(), (), |_, _, ()| panic!("called"), MinLoc::<u8>::new());
            assert_eq!(best.expect("nothing can fail").loc, usize::MAX);
            let finished = parallel_reduce("finish", policy(), (), |_, _, ()| panic!("called"),
                Finish::new(Sum::<i32>::new(), |sum| sum + 9));
            assert_eq!(finished.expect("nothing can fail"), 9);
            let mut into = space.view_from_fn("into", [], |[]| 77).expect("memory");
            parallel_reduce_into("into", policy(), (), |_, _, ()| panic!("called"), Sum::<i32>::new(), &mut into)
                .expect("nothing can fail");
            assert_eq!(into.to_host().expect("memory").value(), 0);
        }
    }

    fn the_mapped_form_has_the_same_bits(space, setting) {
        let x = space.view_from_fn("x", [10_007], |[i]| rough(i)).expect("memory");
        let y = space.view_from_fn("y", [10_007], |[i]| rough(i + 1)).expect("memory");
        let policy = || setting.range(space, 3..10_007);
        let plain = parallel_reduce("dot", policy(), (&x, &y), |i, sum, (x, y)| *sum += x[i] * y[i],
            Sum::<f64>::new()).expect("covered");
        let mapped = parallel_map_reduce("dot", policy(), (&x, &y), |i, (x, y)| x[i] * y[i], Sum::<f64>::new())
            .expect("covered");
        let wanted = oracle::reduce(&Sum::<f64>::new(), 10_004, |i, sum| *sum += rough(i + 3) * rough(i + 4));
        assert_same(&plain, &wanted, "plain");
        assert_same(&mapped, &wanted, "mapped");
    }

    fn results_into_a_view_replace_what_was_there(space, setting) {
        let mut total = space.view_from_fn("total", [], |[]| f64::NAN).expect("memory");
        for n in [1, 100, 20_000] {
            parallel_reduce_into("sum", setting.range(space, 0..n), (), |i, sum, ()| *sum += rough(i.get()),
                Sum::<f64>::new(), &mut total).expect("nothing can fail");
            let wanted = oracle::reduce(&Sum::<f64>::new(), n, |i, sum| *sum += rough(i));
            assert_same(&total.to_host().expect("memory").value(), &wanted, n);
        }
    }

    fn kernels_may_write_while_they_reduce(space, setting) {
        let n = 9001;
        let mut y = space.view_from_fn("y", [n], |[i]| i as u64).expect("memory");
        let sum = parallel_reduce("both", setting.range(space, 0..n), &mut y, |i, sum, mut y| {
            y[i] *= 2;
            *sum += y[i];
        }, Sum::<u64>::new()).expect("covered");
        assert_eq!(sum, (n * (n - 1)) as u64);
        let y = y.to_host().expect("memory");
        assert!((0..n).all(|i| y[i] == 2 * i as u64));
    }

    fn far_ranges_reduce(space, setting) {
        let top = u32::MAX as usize + 1;
        for range in [top - 5..top + 1000, top - 9000..top + 9000, usize::MAX - 9000..usize::MAX] {
            let found = parallel_reduce("far", setting.range(space, range.clone()), (),
                |i, best, ()| best.update(-(i.get() as i128 % 1009) as i64, i.get()), MinLoc::<i64>::new())
                .expect("nothing can fail");
            let wanted = range.map(|i| (-((i % 1009) as i64), i)).min().expect("not empty");
            assert_eq!((found.val, found.loc), wanted);
        }
    }
}
