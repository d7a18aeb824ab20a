//! Indices of any integer type: checked like `usize`.

use core::ops::Index;

use spelt::prelude::*;

use crate::spaces::every;

/// The texts of failing accesses, which end the process's launches on a device: hosts only.
#[cfg(not(feature = "cuda"))]
fn panic_of(run: impl FnOnce()) -> String {
    let payload =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("it is out of bounds");
    *payload.downcast::<String>().expect("a text")
}

/// A helper of kernels: the difference of two neighbours, from any accessor that reads.
fn slope(x: &(impl Index<usize, Output = f64> + ?Sized), i: usize) -> f64 {
    x[i + 1] - x[i]
}

/// The same for indices that may be negative.
fn signed_slope(x: &impl Index<isize, Output = f64>, i: isize) -> f64 {
    x[i + 1] - x[i]
}

every! { on_every_space:
    fn a_helper_takes_every_accessor_that_reads(space, setting) {
        let n = 100;
        let x = space.view_from_fn("x", [n], |[i]| (i * i) as f64).expect("memory");
        let rows = space.view_from_fn("rows", [n, 3], |[i, j]| (i * j * j) as f64).expect("memory");
        let origin = space.view_from_fn("origin", [n], |[i]| (i * i) as f64).expect("memory").with_origin([-3]).expect("it fits");
        let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
        let plain = (&x, x.halo::<1>(), x.lookup(), x.along::<0>(), x.partial(), rows.by_rows(), rows.lookup());
        let with_origin = (&origin, origin.halo::<1>(), origin.lookup(), origin.along::<0>(), origin.partial());
        let args = (plain, with_origin, &mut y);
        parallel_for("slopes", setting.range(space, 1..n - 4), args, move |i, (plain, with_origin, mut y)| {
            let (a, b, c, d, e, rows, table) = plain;
            let at = i.get();
            let sum = slope(&a, at) + slope(&b, at) + slope(&c, at) + slope(&d, at) + slope(&e, at);
            y[i] = sum + slope(&rows[i], 1) + slope(&*table.slab(at), 1);
            let (a, b, c, d, e) = with_origin;
            y[i] += 1000.0 * (slope(&a, at) + slope(&b, at) + slope(&c, at) + slope(&d, at) + slope(&e, at));
            y[i] += 1e7 * (signed_slope(&a, -2) + signed_slope(&c, at as isize - 3));
        }).expect("covered");
        let y = y.to_host().expect("memory");
        for i in 1..n - 4 {
            let rise = |i: usize| (2 * i + 1) as f64;
            let wanted = 5.0 * rise(i) + 2.0 * (3 * i) as f64 + 5000.0 * rise(i + 3) + 1e7 * (rise(1) + rise(i));
            assert_eq!(y[i], wanted, "{i}");
        }
    }

    fn views_with_an_origin_take_every_integer(space, setting) {
        let n = 100;
        let x = space.view_from_fn("x", [n], |[i]| i as f64).expect("memory").with_origin([-3]).expect("it fits");
        let a = space.view_from_fn("a", [n, 2], |[i, j]| (10 * i + j) as f64).expect("memory").with_origin([-3, 5]).expect("it fits");
        let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
        macro_rules! integers {
            ($($integer:ty, $least:literal;)*) => {$({
                let index = move |i: usize| ((i * 7 + 3) % (n - 3)) as $integer + $least;
                let list = space.view_from_fn("list", [n], move |[i]| index(i)).expect("memory");
                let args = (&list, x.lookup(), &x, a.lookup(), &mut y);
                parallel_for("gather", setting.range(space, 0..n - 3), args, move |i, (list, table, x, a, mut y)| {
                    y[i] = table[list[i]] + 1000.0 * x[[list[i]]] + 1e6 * table.get(list[i]).copied().unwrap_or(-1.0);
                    y[i] += 1e9 * (a[[list[i], 6]] + a.slab(list[i])[5_u8]);
                }).expect("covered");
                let y = y.to_host().expect("memory");
                for i in 0..n - 3 {
                    let place = (index(i) as i64 + 3) as f64;
                    assert_eq!(y[i], 1_001_001.0 * place + 1e9 * (20.0 * place + 1.0), "{} {i}", stringify!($integer));
                }
            })*};
        }
        integers!(u8, 0; u16, 0; u32, 0; u64, 0; usize, 0; i8, -3; i16, -3; i32, -3; i64, -3; isize, -3;);
    }

    fn lists_of_every_integer(space, setting) {
        let n = 100;
        let x = space.view_from_fn("x", [n], |[i]| i as f64).expect("memory");
        let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
        macro_rules! integers {
            ($($integer:ty)*) => {$({
                let list = space.view_from_fn("list", [n], move |[i]| ((i * 7 + 3) % n) as $integer).expect("memory");
                let args = (&list, x.lookup(), &x, &mut y);
                parallel_for("gather", setting.range(space, 0..n), args, move |i, (list, table, x, mut y)| {
                    y[i] = table[list[i]] + 1000.0 * x[list[i]] + 1e6 * table.get(list[i]).copied().unwrap_or(-1.0);
                }).expect("covered");
                let wanted = (0..n).map(|i| ((i * 7 + 3) % n) as f64).map(|place| place + 1000.0 * place + 1e6 * place);
                assert_eq!(y.to_host().expect("memory").to_vec(), wanted.collect::<Vec<_>>(), stringify!($integer));
            })*};
        }
        integers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
    }

    fn arrays_of_integers(space, setting) {
        let x = space.view_from_fn("x", [3, 4, 5], |[i, j, k]| (100 * i + 10 * j + k) as u32).expect("memory");
        let mut y = space.zeros::<u32, 1>("y", [3]).expect("memory");
        parallel_for("pick", setting.range(space, 0..3), (x.lookup(), &x, &mut y), move |i, (table, x, mut y)| {
            let place = i.get() as i32;
            y[i] = table[[place, 3 - place, 4]] + x[[2_u8, 1, 0]] + x[[0, 1, 2]];
        }).expect("covered");
        assert_eq!(y.to_host().expect("memory").to_vec(), [34 + 222, 124 + 222, 214 + 222]);
    }

    fn contributions_to_lists(space, setting) {
        let list = space.view_from_fn("list", [1000], |[i]| (i % 7) as i32 - 1).expect("memory");
        let mut counts = space.zeros::<u64, 1>("counts", [6]).expect("memory");
        let mut sums = space.zeros::<u64, 1>("sums", [6]).expect("memory");
        let args = (&list, counts.atomic(), sums.scatter());
        parallel_for("count", setting.range(space, 0..1000), args, move |i, (list, counts, sums)| {
            if list[i] >= 0 {
                counts.inc(list[i]);
                sums.add(list[i], i.get() as u64);
            }
        }).expect("covered");
        let of = |bin: usize| (0..1000).filter(move |i| i % 7 == bin + 1);
        assert_eq!(counts.to_host().expect("memory").to_vec(), (0..6).map(|bin| of(bin).count() as u64).collect::<Vec<_>>());
        assert_eq!(sums.to_host().expect("memory").to_vec(), (0..6).map(|bin| of(bin).sum::<usize>() as u64).collect::<Vec<_>>());
    }

    fn literals_are_indices(space, setting) {
        let x = space.view_from_fn("x", [3], |[i]| i as f64 - 1.5).expect("memory");
        let pairs = space.view_from_fn("pairs", [2, 2], |[i, j]| (i, j)).expect("memory");
        let sum = parallel_reduce("literals", setting.range(space, 0..3), (&x, x.lookup(), pairs.lookup()),
            move |_, sum, (x, table, pairs)| *sum += x[0].abs() + table[2].abs() + pairs[[1, 0]].0 as f64, Sum::<f64>::new());
        assert_eq!(sum.expect("covered"), 9.0);
        // With an origin too, negative ones among them, and beside witnesses.
        let x = x.with_origin([-1]).expect("it fits");
        let pairs = pairs.with_origin([-1, 0]).expect("it fits");
        let args = (&x, x.lookup(), x.halo::<0>(), pairs.lookup());
        let sum = parallel_reduce("literals", setting.range(space, 0..2), args, move |i, sum, (x, table, halo, pairs)| {
            *sum += x[-1].abs() + table[1].abs() + halo[i].abs() + halo[0].abs() + pairs[[-1, 1]].1 as f64;
            *sum += x.get(-1).map_or(0.0, |x| x.abs()) + x.get([7]).copied().unwrap_or(100.0);
        }, Sum::<f64>::new());
        assert_eq!(sum.expect("covered"), 2.0 * (1.5 + 0.5 + 0.5 + 1.0 + 1.5 + 100.0) + 0.5 + 0.5);
    }
}

#[cfg(not(feature = "cuda"))]
every! { on_every_host_space:
    fn numbers_outside_are_told(space, setting) {
        let x = space.view_from_fn("my x", [100], |[i]| i as f64).expect("memory");
        macro_rules! outside {
            ($($number:expr => $text:literal,)*) => {$(
                let text = panic_of(|| {
                    let policy = setting.range(space, 0..1);
                    _ = parallel_map_reduce("outside", policy, &x, |_, x| x[$number], Sum::<f64>::new());
                });
                assert!(text.contains(concat!("index [", $text, "]")) && text.contains("my x"), "{text}");
                let text = panic_of(|| {
                    let policy = setting.range(space, 0..1);
                    _ = parallel_map_reduce("outside", policy, x.lookup(), |_, x| x[$number], Sum::<f64>::new());
                });
                assert!(text.contains(concat!("index [", $text, "]")) && text.contains("my x"), "{text}");
            )*};
        }
        outside!(-1_i8 => "-1", i32::MIN => "-2147483648", -1_i64 => "-1", i64::MIN => "-9223372036854775808",
            100_u8 => "100", u32::MAX => "4294967295", 100 => "100", -3 => "-3", 1_u64 << 32 => "4294967296",);
        let missing = parallel_map_reduce("none", setting.range(space, 0..1), x.lookup(),
            |_, x| x.get(-1).or(x.get(100_u16)).is_none() as usize, Sum::<usize>::new());
        assert_eq!(missing.expect("nothing can fail"), 1);
    }

    fn numbers_outside_of_an_origin_are_told(space, setting) {
        let x = space.view_from_fn("my x", [100], |[i]| i as f64).expect("memory").with_origin([-3]).expect("it fits");
        macro_rules! outside {
            ($($number:expr => $text:literal,)*) => {$(
                let text = panic_of(|| {
                    let policy = setting.range(space, 0..1);
                    _ = parallel_map_reduce("outside", policy, &x, |_, x| x[$number], Sum::<f64>::new());
                });
                assert!(text.contains(concat!("index [", $text, "]")) && text.contains("my x"), "{text}");
            )*};
        }
        // A number above all of `isize` is not the negative one with the same bits.
        outside!(-4_i8 => "-4", 97 => "97", i64::MIN => "-9223372036854775808", u64::MAX => "9223372036854775807",
            usize::MAX => "9223372036854775807", u64::MAX - 2 => "9223372036854775807", isize::MAX => "9223372036854775807",);
        let missing = parallel_map_reduce("none", setting.range(space, 0..1), x.lookup(),
            |_, x| x.get(-4).or(x.get(97_u16)).or(x.get(u64::MAX)).or(x.get([usize::MAX])).is_none() as usize, Sum::<usize>::new());
        assert_eq!(missing.expect("nothing can fail"), 1);
        let x = space.view_from_fn("my x", [100], |[i]| i as f64).expect("memory");
        macro_rules! by_numbers {
            ($($argument:expr, $index:expr;)*) => {$(
                let text = panic_of(|| {
                    let policy = setting.range(space, 1..2);
                    _ = parallel_map_reduce("outside", policy, $argument, |_, x| x[$index], Sum::<f64>::new());
                });
                assert!(text.contains("index [100] is out of bounds of") && text.contains("my x"), "{text}");
            )*};
        }
        by_numbers!(x.halo::<1>(), 100_u8; x.along::<0>(), 100_i32; x.partial(), 100_usize;);
    }
}
