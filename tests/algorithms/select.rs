//! `filter`, `partition`, `gather`, `scatter`: the destination of each element.

use std::sync::atomic::{AtomicUsize, Ordering};

use spelt::ErrorKind;
use spelt::algorithms::*;

use crate::equal::{EDGES, assert_same, borders, noise};
use crate::spaces::every;

/// Sizes around the tiles of a scan of counts, and some that are distributed over threads.
fn sizes() -> Vec<usize> {
    borders(8).into_iter().chain([20_000, 33_333]).collect()
}

/// A number in `0..below`, for each index.
fn below(bound: usize, index: usize) -> usize {
    ((noise(index) + 1.0) * 0.5 * bound as f64) as usize % bound
}

every! { on_every_space:
    fn selects_in_order(space, _setting) {
        for n in sizes() {
            for part in [0, 1, 500, 999, 1000] {
                let value = move |i: usize| below(1000, i) as u64;
                let x = space.view_from_fn("x", [n], |[i]| value(i)).expect("memory");
                let is = move |x: &u64| *x < part;
                let (chosen, others): (Vec<u64>, Vec<u64>) = (0..n).map(value).partition(is);
                let at: Vec<usize> = (0..n).filter(|&i| is(&value(i))).collect();
                let found = filter(space, &x, is).expect("memory");
                assert_same(&found.to_host().expect("memory").to_vec(), &chosen, format!("filter {part} of {n}"));
                let found = positions(space, &x, is).expect("memory");
                assert_same(&found.to_host().expect("memory").to_vec(), &at, format!("positions {part} of {n}"));
                let (parts, split) = partition(space, &x, is).expect("memory");
                assert_eq!(split, chosen.len());
                let wanted: Vec<u64> = chosen.into_iter().chain(others).collect();
                assert_same(&parts.to_host().expect("memory").to_vec(), &wanted, format!("partition {part} of {n}"));
                if part != 500 {
                    continue;
                }
                let flags = space.view_from_fn("flags", [n], |[i]| is(&value(i))).expect("memory");
                let (flagged, split) = partition_flagged(space, &x, &flags).expect("as many");
                assert_same(&flagged.to_host().expect("memory").to_vec(), &wanted, format!("flagged {part} of {n}"));
                let found = filter_flagged(space, &x, &flags).expect("as many");
                assert_same(&found.to_host().expect("memory").to_vec(), &wanted[..split].to_vec(), format!("flagged {part} of {n}"));
                assert_eq!(split, at.len());
                let (thirds, begins) = partition_three_way(space, &x, |x| *x < 100, is).expect("memory");
                let (least, rest): (Vec<u64>, Vec<u64>) = (0..n).map(value).partition(|x| *x < 100);
                let (middle, most): (Vec<u64>, Vec<u64>) = rest.into_iter().partition(is);
                assert_eq!(begins, [least.len(), least.len() + middle.len()]);
                let wanted: Vec<u64> = least.into_iter().chain(middle).chain(most).collect();
                assert_same(&thirds.to_host().expect("memory").to_vec(), &wanted, format!("{n} in three"));
            }
        }
    }

    fn case_28_flags_and_three_ways(space, _setting) {
        let x = space.view_from_fn("x", [8], |[i]| i as u64 + 1).expect("memory");
        let flags = space.view_from_fn("flags", [8], |[i]| [0, 3, 5, 6].contains(&i)).expect("memory");
        let found = filter_flagged(space, &x, &flags).expect("memory");
        assert_eq!(found.to_host().expect("memory").to_vec(), [1, 4, 6, 7]);
        let (parts, split) = partition_flagged(space, &x, &flags).expect("memory");
        assert_eq!((parts.to_host().expect("memory").to_vec(), split), (vec![1, 4, 6, 7, 2, 3, 5, 8], 4));
        for all in [false, true] {
            let flags = space.view_from_fn("flags", [8], |_| all).expect("memory");
            assert_eq!(filter_flagged(space, &x, &flags).expect("memory").len(), if all { 8 } else { 0 });
            let (parts, split) = partition_flagged(space, &x, &flags).expect("memory");
            assert_eq!((parts.to_host().expect("memory").to_vec(), split), ((1..9).collect(), if all { 8 } else { 0 }));
        }
        let short = space.zeros::<bool, 1>("short", [7]).expect("memory");
        let error = filter_flagged(space, &x, &short).expect_err("lengths differ");
        assert_eq!(error.kind(), ErrorKind::Extents);
        assert!(error.to_string().contains("8 elements and view `short` has 7"), "{error}");
        assert!(partition_flagged(space, &x, &short).is_err());
        for n in [10, 0, 1, 9000, 20_001] {
            let x = space.view_from_fn("x", [n], |[i]| i as u64).expect("memory");
            let (parts, begins) = partition_three_way(space, &x, |x| x % 2 == 0, |x| x % 3 == 0).expect("memory");
            let (even, odd): (Vec<u64>, Vec<u64>) = (0..n as u64).partition(|x| x % 2 == 0);
            let (three, rest): (Vec<u64>, Vec<u64>) = odd.into_iter().partition(|x| x % 3 == 0);
            assert_eq!(begins, [even.len(), even.len() + three.len()]);
            let wanted: Vec<u64> = even.into_iter().chain(three).chain(rest).collect();
            assert_same(&parts.to_host().expect("memory").to_vec(), &wanted, format!("{n} in three"));
        }
    }

    fn filters_edge_values_of_any_stride(space, _setting) {
        let n = EDGES.len();
        let x = space.view_from_fn("x", [n, 3], |[i, j]| if j == 1 { EDGES[i] } else { 5.0 }).expect("memory");
        let column = x.subview((.., 1));
        let found = filter(space, &column, |x| !x.is_nan()).expect("memory").to_host().expect("memory").to_vec();
        let wanted: Vec<f64> = EDGES.into_iter().filter(|x| !x.is_nan()).collect();
        assert_same(&found, &wanted, "all but NaN");
    }

    fn gathers_what_lies_inside(space, _setting) {
        let source = space.view_from_fn("source", [1000], |[i]| (i as u32, noise(i))).expect("memory");
        for n in [0, 1, 31, 9001] {
            // About a tenth of the indices lies outside, on either side.
            let index = |i: usize| below(1200, i) as i64 - 100;
            let indices = space.view_from_fn("indices", [n], |[i]| index(i)).expect("memory");
            let mut out = space.view_from_fn("out", [n], |[i]| (7_u32, i as f64)).expect("memory");
            gather(space, &source, &indices, &mut out).expect("lengths agree");
            let wanted: Vec<(u32, f64)> = (0..n).map(|i| match usize::try_from(index(i)) {
                Ok(at) if at < 1000 => (at as u32, noise(at)),
                _ => (7, i as f64),
            }).collect();
            assert_same(&out.to_host().expect("memory").to_vec(), &wanted, format!("gather {n}"));
            if n > 1000 {
                let error = gather_checked(space, &source, &indices, &mut out).expect_err("some lie outside");
                let outside = (0..n).filter(|&i| !(0..1000).contains(&index(i))).count();
                let first = (0..n).find(|&i| !(0..1000).contains(&index(i))).expect("there is one");
                let words = format!("{outside} of the {n} indices in view `indices` lie outside 0..1000, the first of them at \
                    [{first}]");
                assert!(error.to_string().contains(&words), "{error}");
            }
        }
        let indices = space.view_from_fn("indices", [2], |[i]| 999 * i as i64).expect("memory");
        let mut out = space.zeros::<(u32, f64), 1>("out", [2]).expect("memory");
        gather_checked(space, &source, &indices, &mut out).expect("all lie inside");
        assert_eq!(out.to_host().expect("memory")[1].0, 999);
        assert!(gather(space, &source, &indices, &mut source.to_space(space).expect("memory")).is_err());
    }

    fn indices_are_integers_of_any_type(space, _setting) {
        macro_rules! kinds {
            ($($kind:ident)*) => {$({
                let (n, places) = (300, 100);
                // A sixth lies outside, on either side where there are negative numbers.
                let index = |i: usize| match i {
                    0 => $kind::MAX,
                    1 => $kind::MIN,
                    _ => (below(120, i) as i64 - 10) as $kind,
                };
                let place = |i| usize::try_from(index(i)).ok().filter(|&place| place < places);
                let indices = space.view_from_fn("indices", [n], |[i]| index(i)).expect("memory");
                let source = space.view_from_fn("source", [places], |[i]| 3 * i as u32).expect("memory");
                let mut out = space.view_from_fn("out", [n], |[i]| i as u32).expect("memory");
                gather(space, &source, &indices, &mut out).expect("lengths agree");
                let wanted: Vec<u32> = (0..n).map(|i| place(i).map_or(i as u32, |place| 3 * place as u32)).collect();
                assert_same(&out.to_host().expect("memory").to_vec(), &wanted, stringify!(gather $kind));
                let values = space.view_from_fn("values", [n], |[i]| 1000 + i as u32).expect("memory");
                let mut out = source.to_space(space).expect("memory");
                scatter(space, &values, &indices, &mut out).expect("lengths agree");
                let mut wanted: Vec<u32> = (0..places as u32).map(|i| 3 * i).collect();
                (0..n).for_each(|i| if let Some(place) = place(i) { wanted[place] = 1000 + i as u32 });
                assert_same(&out.to_host().expect("memory").to_vec(), &wanted, stringify!(scatter $kind));
            })*};
        }
        kinds!(i32 u32 usize);
    }

    fn of_values_for_one_place_the_last_stays(space, _setting) {
        for (n, places) in [(0, 5), (5, 0), (1, 1), (1000, 10), (20_000, 1), (20_000, 30_000), (9001, 257)] {
            let index = move |i: usize| if i % 10 == 3 { -1 } else { below(places + 1, i) as i64 };
            let indices = space.view_from_fn("indices", [n], |[i]| index(i)).expect("memory");
            let values = space.view_from_fn("values", [n], |[i]| noise(i)).expect("memory");
            let mut out = space.view_from_fn("out", [places], |[i]| i as f64).expect("memory");
            let mut wanted: Vec<f64> = (0..places).map(|i| i as f64).collect();
            for i in 0..n {
                if let Some(place) = usize::try_from(index(i)).ok().and_then(|place| wanted.get_mut(place)) {
                    *place = noise(i);
                }
            }
            scatter(space, &values, &indices, &mut out).expect("lengths agree");
            assert_same(&out.to_host().expect("memory").to_vec(), &wanted, format!("scatter {n} into {places}"));
            if n > 3 {
                let before = out.to_host().expect("memory").to_vec();
                let error = scatter_checked(space, &values, &indices, &mut out).expect_err("some lie outside");
                assert_eq!(error.kind(), ErrorKind::Extents);
                assert_same(&out.to_host().expect("memory").to_vec(), &before, "nothing was written");
            }
        }
        let indices = space.view_from_fn("indices", [100], |[i]| 99 - i as i64).expect("memory");
        let values = space.view_from_fn("values", [100], |[i]| i as f64).expect("memory");
        let mut out = space.zeros::<f64, 1>("out", [100]).expect("memory");
        scatter_checked(space, &values, &indices, &mut out).expect("a permutation");
        assert!(out.to_host().expect("memory").iter().enumerate().all(|(i, &x)| x == (99 - i) as f64));
        let few = space.zeros::<f64, 1>("few", [99]).expect("memory");
        assert!(scatter(space, &few, &indices, &mut out).is_err());
    }
}

every! { on_every_host_space:
    fn predicates_are_asked_once(space, _setting) {
        let n = 20_000;
        let x = space.view_from_fn("x", [n], |[i]| i as u64).expect("memory");
        let calls = AtomicUsize::new(0);
        let ask = |x: &u64| { calls.fetch_add(1, Ordering::Relaxed); x.is_multiple_of(3) };
        let asked = |found: usize| {
            assert_eq!(found, n.div_ceil(3));
            assert_eq!(calls.swap(0, Ordering::Relaxed), n);
        };
        asked(filter(space, &x, ask).expect("memory").len());
        asked(positions(space, &x, ask).expect("memory").len());
        asked(partition(space, &x, ask).expect("memory").1);
        let seconds = AtomicUsize::new(0);
        let [begin, end] = partition_three_way(space, &x, ask, |x| {
            seconds.fetch_add(1, Ordering::Relaxed);
            x % 3 == 1
        }).expect("memory").1;
        assert_eq!([begin, end], [n.div_ceil(3), n.div_ceil(3) + (n - 1).div_ceil(3)]);
        assert_eq!(calls.into_inner(), n);
        assert_eq!(seconds.into_inner(), n - n.div_ceil(3));
    }

    fn predicates_that_waver_spoil_nothing(space, _setting) {
        // Each answer differs from the last one: the number of results must be that of the answers `true`.
        let x = space.view_from_fn("x", [30_000], |[i]| i as u64 + 1).expect("memory");
        let (calls, yes) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let waver = |_: &u64| {
            let answer = calls.fetch_add(1, Ordering::Relaxed) % 2 == 0;
            yes.fetch_add(usize::from(answer), Ordering::Relaxed);
            answer
        };
        let found = filter(space, &x, waver).expect("memory");
        assert_eq!(found.len(), yes.swap(0, Ordering::Relaxed));
        assert!(found.as_slice().expect("dense").is_sorted_by(|a, b| a < b), "no element twice, none left out");
        let (parts, _) = partition(space, &x, waver).expect("memory");
        let mut all = parts.to_vec();
        all.sort_unstable();
        assert!(all.iter().copied().eq(1..30_001));
    }
}
