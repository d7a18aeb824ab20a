//! `parallel_for` over a range: every index once.

use spelt::prelude::*;

use crate::equal::{SHARED_OUT, borders};
use crate::spaces::every;

every! { on_every_setting:
    fn every_index_runs_once(space, setting) {
        for n in borders(8).into_iter().chain(SHARED_OUT) {
            let mut calls = space.zeros::<u32, 1>("calls", [n]).expect("memory");
            parallel_for("count", setting.range(space, 0..n), calls.atomic(), |i, calls| calls.add(i.get(), 1))
                .expect("nothing can fail");
            assert!(calls.to_host().expect("memory").iter().all(|&calls| calls == 1), "n = {n}");
        }
    }

    fn a_range_writes_its_own_part(space, setting) {
        let n = 12_345;
        for (begin, end) in [(0, n), (1, n), (17, n - 1), (63, 64), (n, n), (n - 1, n)] {
            let x = space.view_from_fn("x", [n], |[i]| i as i64).expect("memory");
            let mut y = space.zeros::<i64, 1>("y", [n]).expect("memory");
            parallel_for("part", setting.range(space, begin..end), (3_i64, &x, &mut y), |i, (a, x, mut y)| {
                y[i] += a * x[i] + 1;
            }).expect("covered");
            let y = y.to_host().expect("memory");
            for i in 0..n {
                assert_eq!(y[i], if (begin..end).contains(&i) { 3 * i as i64 + 1 } else { 0 }, "{i} of {begin}..{end}");
            }
        }
    }
}

every! { on_every_space:
    #[allow(clippy::reversed_empty_ranges)]
    fn ranges_without_indices_call_nothing(space, setting) {
        for range in [0..0, 7..7, 9..3, usize::MAX..0, usize::MAX..usize::MAX] {
            parallel_for("empty", setting.range(space, range), (), |_, ()| panic!("called")).expect("nothing can fail");
        }
        // A View need not cover an empty range.
        let x = space.zeros::<f64, 1>("x", [3]).expect("memory");
        parallel_for("empty", space.range(100..100), &x, |_, _| panic!("called")).expect("nothing to cover");
    }

    fn ranges_beyond_32_bits(space, setting) {
        let top = u32::MAX as usize + 1;
        for range in [top - 5..top + 1000, top - 20_000..top + 20_000, usize::MAX - 1000..usize::MAX,
                      usize::MAX - 20_000..usize::MAX] {
            let mut counts = space.zeros::<usize, 1>("counts", [2]).expect("memory");
            parallel_for("far", setting.range(space, range.clone()), (range.start, counts.atomic()),
                |i, (start, counts)| {
                    counts.add(0, 1);
                    counts.add(1, i.get() - start);
                }).expect("nothing can fail");
            let n = range.len();
            assert_eq!(counts.to_host().expect("memory").to_vec(), [n, n * (n - 1) / 2], "{range:?}");
        }
    }

    fn elements_of_every_size(space, setting) {
        let n = 9000;
        let mut nothing = space.zeros::<(), 1>("nothing", [n]).expect("memory");
        let mut bytes = space.zeros::<u8, 1>("bytes", [n]).expect("memory");
        let mut triples = space.zeros::<(u8, f64, u16), 1>("triples", [n]).expect("memory");
        let mut blocks = space.zeros::<[u64; 9], 1>("blocks", [n]).expect("memory");
        parallel_for("all", setting.range(space, 0..n), (&mut nothing, &mut bytes, &mut triples, &mut blocks),
            |i, (mut nothing, mut bytes, mut triples, mut blocks)| {
                nothing[i] = ();
                bytes[i] = i.get() as u8;
                triples[i] = (i.get() as u8, i.get() as f64, i.get() as u16);
                blocks[i][8] = i.get() as u64;
            }).expect("covered");
        let (bytes, triples, blocks) =
            (bytes.to_host().expect("memory"), triples.to_host().expect("memory"), blocks.to_host().expect("memory"));
        for i in 0..n {
            assert_eq!((bytes[i], triples[i], blocks[i][8]), (i as u8, (i as u8, i as f64, i as u16), i as u64));
        }
    }

    fn kernels_read_anywhere_with_a_check(space, setting) {
        let n = 10_000;
        let x = space.view_from_fn("x", [n], |[i]| i).expect("memory");
        let mut y = space.zeros::<usize, 1>("y", [n]).expect("memory");
        parallel_for("turn", setting.range(space, 0..n), (&x, &mut y), move |i, (x, mut y)| y[i] = x[n - 1 - i.get()])
            .expect("covered");
        let y = y.to_host().expect("memory");
        assert!((0..n).all(|i| y[i] == n - 1 - i));
    }
}
