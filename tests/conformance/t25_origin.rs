//! Views with an origin: launches over signed and unsigned indices read and write the element at the index minus the origin.

use std::panic::{AssertUnwindSafe, catch_unwind};

use spelt::prelude::*;
use spelt::{Between, ErrorKind};

use crate::equal::{assert_same, rough};
use crate::oracle;
use crate::spaces::every;

every! { on_every_space:
    fn signed_ranges_write_every_element(space, setting) {
        for n in [0, 1, 2, 63, 257, 4099] {
            for origin in [-3, 0, 5, -5_000, isize::MAX - 5_000, isize::MIN] {
                let mut y = space.zeros::<isize, 1>("y", [n]).expect("memory").with_origin([origin]).expect("it fits");
                let policy = setting.signed_range(space, y.range());
                parallel_for("number", policy, &mut y, move |i, mut y| y[i] += i.get()).expect("covered");
                let y = y.to_host().expect("memory");
                assert_eq!((y.range(), y.as_view().len()), (origin..origin + n as isize, n));
                for i in y.range() {
                    assert_eq!(y[i], i);
                }
            }
        }
    }

    fn views_of_different_origins_meet_at_one_index(space, setting) {
        for n in [1_isize, 64, 1025] {
            let x = space.view_from_fn("x", [n as usize + 4], |[i]| rough(i)).expect("memory").with_origin([-2]).expect("it fits");
            let mut y = space.zeros::<f64, 1>("y", [n as usize + 9]).expect("memory").with_origin([-7]).expect("it fits");
            let mut z = space.zeros::<f64, 1>("z", [n as usize]).expect("memory");
            // Indices that are not negative take a range of `usize`, with plain Views beside those with an origin.
            let policy = setting.range(space, 0..n as usize);
            parallel_for("upwind", policy, (x.halo_of::<Between<-2, 1>>(), &x, &mut y, &mut z), move |i, (x, same, mut y, mut z)| {
                y[i] = 2.0 * x.at(i, [1]) + 3.0 * x[i] - x.at(i, [-2]);
                z[i] = same[i.get() as isize - 1] + y[i] - x.get([-2]).copied().unwrap_or(1e9);
            })
            .expect("covered");
            let policy = setting.signed_range(space, -2..0);
            parallel_for("ghosts", policy, (&x, &mut y), move |i, (x, mut y)| y[i] = x[i] * x[-1 - i.get() - 2]).expect("covered");
            let (x, y, z) = (x.to_host().expect("memory"), y.to_host().expect("memory"), z.to_host().expect("memory"));
            for i in y.range() {
                let wanted = match i {
                    0.. if i < n => 2.0 * x[i + 1] + 3.0 * x[i] - x[i - 2],
                    -2..0 => x[i] * x[-3 - i],
                    _ => 0.0,
                };
                assert_same(&y[i], &wanted, "y");
            }
            for i in 0..n {
                assert_same(&z[i as usize], &(x[i - 1] + y[i] - x[-2]), "z");
            }
        }
    }

    fn signed_boxes_in_every_layout(space, setting) {
        let (n, m) = (6_usize, 37_usize);
        let mark = |i: isize, j: isize| (1000 * (i + 50) + j + 50) as u64;
        let x = space.view_from_fn_in(Left, "x", [n + 3, m + 2], |[i, j]| mark(i as isize - 2, j as isize - 1));
        let x = x.expect("memory").with_origin([-2, -1]).expect("it fits");
        for tile in [None, Some([2, 5]), Some([0, 8])] {
            let mut y = space.zeros::<u64, 2>("y", [n + 1, m]).expect("memory").with_origin([-1, 0]).expect("it fits");
            let mut whole = space.zeros::<u64, 2>("whole", [n + 4, 2 * m]).expect("memory").with_origin([-3, -4]).expect("it fits");
            let mut part = whole.part_mut([-1..n as isize, 0..m as isize]).expect("it is a part");
            let policy = setting.signed_md_range(space, y.ranges()).iterate(Left);
            let policy = match tile {
                Some(tile) => policy.tile(tile),
                None => policy,
            };
            let stencil = x.halo_of::<(Between<-1, 1>, Between<-1, 1>)>();
            parallel_for("corners", policy, (stencil, &mut y, &mut part), move |i, (x, mut y, mut part)| {
                let [a, b] = i.get();
                y[i] = 1_000_000 * x.at(i, [-1, 1]) + x.at(i, [1, -1]);
                part[i] = x[[a, b]] + x[i];
            })
            .expect("covered");
            let (y, whole) = (y.to_host().expect("memory"), whole.to_host().expect("memory"));
            let [rows, columns] = whole.ranges();
            for (i, j) in rows.flat_map(|i| columns.clone().map(move |j| (i, j))) {
                let inside = (-1..n as isize).contains(&i) && (0..m as isize).contains(&j);
                assert_eq!(whole[[i, j]], if inside { 2 * mark(i, j) } else { 0 }, "[{i}, {j}]");
                assert_eq!(y.get([i, j]).copied(), inside.then(|| 1_000_000 * mark(i - 1, j + 1) + mark(i + 1, j - 1)));
            }
        }
    }

    fn reductions_and_scans_over_signed_ranges_keep_the_bits(space, setting) {
        for n in [0, 1, 64, 1000, 5001] {
            let numbers: Vec<f64> = (0..n).map(rough).collect();
            let x = space.view_from_fn("x", [n], |[i]| rough(i)).expect("memory").with_origin([-500]).expect("it fits");
            let mut prefix = space.zeros::<f64, 1>("prefix", [n]).expect("memory").with_origin([-500]).expect("it fits");
            let policy = || setting.signed_range(space, x.range());
            let sum = parallel_reduce("sum", policy(), &x, move |i, sum, x| *sum += x[i], Sum::<f64>::new());
            let mapped = parallel_map_reduce("sum", policy(), &x, move |i, x| x[i], Sum::<f64>::new());
            let plain = parallel_map_reduce("sum", space.range(0..n), &x.as_view(), move |i, x| x[i], Sum::<f64>::new());
            let plain = plain.expect("covered");
            assert_same(&sum.expect("covered"), &plain, "sum");
            assert_same(&mapped.expect("covered"), &plain, "mapped");
            let total = parallel_scan("prefix", policy(), (&x, &mut prefix), move |i, sum, last, (x, mut prefix)| {
                *sum += x[i];
                if last {
                    prefix[i] = *sum;
                }
            }, Sum::<f64>::new())
            .expect("covered");
            let (prefixes, wanted) = oracle::scan(&Sum::<f64>::new(), n, |i, value| *value += numbers[i]);
            let prefix = prefix.to_host().expect("memory");
            for (i, wanted) in (-500..).zip(&prefixes) {
                assert_same(&prefix[i], wanted, "prefix");
            }
            assert_same(&total, &wanted, "total");
            let found = parallel_map_reduce("least", policy(), &x, move |i, x| x[i], MinLoc::at_index()).expect("covered");
            let least = (0..n).reduce(|a, b| if numbers[b] < numbers[a] { b } else { a });
            assert_eq!(found.loc, least.map_or(isize::MAX, |place| place as isize - 500));
        }
        let x = space.view_from_fn("x", [5, 300], |[i, j]| (i * 7 + j * 13) % 1000).expect("memory");
        let x = x.with_origin([-2, -100]).expect("it fits");
        let policy = setting.signed_md_range(space, x.ranges());
        let most = parallel_map_reduce("most", policy, &x, move |i, x| x[i], MaxLoc::at_index()).expect("covered");
        let x = x.to_host().expect("memory");
        let wanted = x.as_view().indexed_iter().map(|(_, &value)| value).max().expect("there are some");
        assert_eq!((most.val, x[most.loc]), (wanted, wanted));
    }

    fn teams_take_views_with_an_origin(space, _setting) {
        let x = space.view_from_fn("x", [40, 50], |[i, j]| 100 * i + j).expect("memory").with_origin([-3, -10]).expect("it fits");
        let mut y = space.zeros::<usize, 2>("y", [37, 40]).expect("memory");
        parallel_for("rows", space.team(37, AUTO), (&x, &mut y), move |team, (x, mut y)| {
            team.parallel_for(team.thread_range(40), |rj| y[rj] = x[rj]);
        })
        .expect("covered");
        assert!(y.to_host().expect("memory").indexed_iter().all(|([r, j], &found)| found == 100 * (r + 3) + j + 10));
        let error = parallel_for("rows", space.team(38, AUTO), &x, move |_, _| {}).expect_err("it is not covered");
        assert!(error.to_string().contains("with extents [40, 50] and origin [-3, -10] does not cover the league 0..38"), "{error}");
        let above = space.zeros::<usize, 2>("above", [40, 50]).expect("memory").with_origin([1, 0]).expect("it fits");
        parallel_for("rows", space.team(38, AUTO), &above, move |_, _| {}).expect_err("rank 0 is below the origin");
    }

    fn nested_boxes_begin_at_the_origin(space, _setting) {
        let mut y = space.zeros::<u32, 3>("y", [4, 3, 2]).expect("memory").with_origin([0, 5, 1]).expect("it fits");
        parallel_for("boxes", space.team(4, 1), &mut y, move |team, mut y| {
            team.parallel_for(team.thread_md_range([5..8, 1..3]), |rjk| y[rjk] += 1);
        })
        .expect("covered");
        assert!(y.to_host().expect("memory").as_view().iter().all(|&found| found == 1));
    }

    fn indices_outside_are_errors_that_name_both(space, setting) {
        let mut x = space.zeros::<f64, 1>("x", [8]).expect("memory").with_origin([-2]).expect("it fits");
        let end = -9;
        for (range, covered) in [(-3..6, false), (-2..7, false), (-2..6, true), (9..9, true), (9..end, true), (6..7, false)] {
            let result = parallel_for("k", setting.signed_range(space, range.clone()), &mut x, move |_, _| {});
            assert_eq!(result.is_ok(), covered, "{range:?}");
            if let Err(error) = result {
                assert_eq!((error.kind(), error.kernel()), (ErrorKind::Extents, Some("k")));
                let text = format!("view `x` with extents [8] and origin [-2] does not cover the indices [{range:?}]: it covers [-2..6]");
                assert!(error.to_string().contains(&text), "{error}");
            }
        }
        for (range, covered) in [(-1..4, true), (-2..4, false), (-1..6, false)] {
            let stencil = x.halo_of::<Between<-1, 2>>();
            let result = parallel_for("k", setting.signed_range(space, range.clone()), stencil, move |_, _| {});
            assert_eq!(result.is_ok(), covered, "{range:?}");
        }
        for (range, covered) in [(0..6, true), (0..7, false), (0..usize::MAX, false), (usize::MAX - 2..usize::MAX, false)] {
            let result = parallel_for("k", setting.range(space, range.clone()), &x, move |_, _| {});
            assert_eq!(result.is_ok(), covered, "{range:?}");
        }
        let above = space.zeros::<f64, 1>("above", [4]).expect("memory").with_origin([3]).expect("it fits");
        for (range, covered) in [(3..7, true), (2..7, false), (3..8, false)] {
            let result = parallel_for("k", setting.range(space, range.clone()), &above, move |_, _| {});
            assert_eq!(result.is_ok(), covered, "{range:?}");
        }
        // Arguments that no witness indexes need not cover the range.
        let policy = setting.signed_range(space, -1000..1000);
        parallel_for("k", policy, (x.lookup(), &x.as_view()), move |_, _| {}).expect("nothing is indexed");
    }
}

every! { on_every_host_space:
    fn nested_boxes_outside_panic(space, _setting) {
        let x = space.zeros::<u32, 3>("x", [4, 3, 2]).expect("memory").with_origin([0, 5, 1]).expect("it fits");
        for (rows, columns) in [(4..8, 1..3), (5..9, 1..3), (5..8, 0..3), (5..8, 1..4), (0..3, 0..2)] {
            let (rows, columns) = (&rows, &columns);
            let run = AssertUnwindSafe(|| parallel_for("boxes", space.team(4, 1), &x, |team, _| {
                team.parallel_for(team.thread_md_range([rows.clone(), columns.clone()]), |_| {});
            }));
            let payload = catch_unwind(run).expect_err("it is not covered");
            let text = payload.downcast_ref::<String>().expect("a text");
            assert!(text.contains("with extents [4, 3, 2] and origin [0, 5, 1] does not cover the indices"), "{text}");
        }
    }
}
