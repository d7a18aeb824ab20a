//! Indices of any integer type: checked like `usize`.

use spelt::prelude::*;

use crate::spaces::every;

/// The texts of failing accesses, which end the process's launches on a device: hosts only.
#[cfg(not(feature = "cuda"))]
fn panic_of(run: impl FnOnce()) -> String {
    let payload =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("it is out of bounds");
    *payload.downcast::<String>().expect("a text")
}

every! { on_every_space:
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
}
