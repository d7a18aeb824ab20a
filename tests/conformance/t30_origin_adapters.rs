//! Adapters, parts and fills of Views with an origin: each element is that of the plain View at the index minus the origin.

use spelt::prelude::*;
use spelt::{ErrorKind, Layout};

use crate::equal::{assert_same, rough};
use crate::spaces::{Setting, every};

/// A number that tells its signed index.
fn mark([i, j]: [isize; 2]) -> i64 {
    (1000 * (i + 50) + j + 50) as i64
}

/// Fills a View of rank 2 in this layout over signed indices, beside one that it reads at the same index.
fn fill_box<S: ExecutionSpace, L: Layout>(
    space: &S,
    setting: &Setting,
    layout: L,
    extents: [usize; 2],
    origin: [isize; 2],
) {
    let x = space
        .view_from_fn("x", [extents[0] + 1, extents[1] + 2], |[i, j]| (i * 100 + j) as f64 / 3.0)
        .expect("memory");
    let x = x.with_origin([origin[0] - 1, origin[1]]).expect("it fits");
    let fresh = space.uninit_in::<f64, 2, L>(layout, "fresh", extents).expect("memory");
    let ranges = core::array::from_fn(|d| origin[d]..origin[d] + extents[d] as isize);
    let policy = setting.signed_md_range(space, ranges.clone());
    let y = parallel_fill("fill", policy, fresh, (&x, 2.0), move |i, (x, a)| {
        let [row, column] = i.get();
        a * x[i] + (row * 10 + column) as f64
    });
    let (y, x) = (y.expect("the same indices"), x.to_host().expect("memory"));
    assert_eq!((y.label(), y.ranges()), ("fresh", ranges));
    let y = y.to_host().expect("memory");
    let [rows, columns] = y.ranges();
    for (i, j) in rows.flat_map(|i| columns.clone().map(move |j| (i, j))) {
        assert_same(&y[[i, j]], &(2.0 * x[[i, j]] + (i * 10 + j) as f64), format!("[{i}, {j}]"));
    }
}

/// Rows of a View of rank 3 in this layout, read and written.
fn rows_of<S: ExecutionSpace, L: Layout>(space: &S, setting: &Setting, layout: L, rows: usize) {
    let origin = [-2, 3, -1];
    let a = space
        .view_from_fn_in(layout, "a", [rows, 3, 5], |[i, j, k]| (100 * i + 10 * j + k) as i64)
        .expect("memory");
    let mut a = a.with_origin(origin).expect("it fits");
    let before = a.to_host().expect("memory");
    let mut sums = space.zeros::<i64, 1>("sums", [rows]).expect("memory").with_origin([-2]).expect("it fits");
    let policy = || setting.signed_range(space, sums.range());
    let range = policy();
    let mut found =
        space.zeros::<i64, 1>("found", [rows]).expect("memory").with_origin([-2]).expect("it fits");
    parallel_for("sums", range, (a.by_rows(), &mut found), move |i, (a, mut found)| {
        let row = a.row(i);
        for j in row.range(0) {
            for k in row.range(1) {
                found[i] += row[[j, k]] * (j * 7 + k) as i64;
            }
        }
    })
    .expect("covered");
    parallel_for("change", policy(), (a.by_rows_mut(), &mut sums), move |i, (mut a, mut sums)| {
        let mut row = a.row_mut(i);
        row[[3, -1]] = row[[5, 3]] + i.get() as i64;
        for element in row.as_slab_mut().row_mut(1).iter_mut() {
            *element = -*element;
        }
        sums[i] = row.slab(4)[2] + a.row(i).slab_at::<1>(3)[5] + a.row(i).as_slab()[[0, 0]];
    })
    .expect("covered");
    let (a, found, sums) =
        (a.to_host().expect("memory"), found.to_host().expect("memory"), sums.to_host().expect("memory"));
    for i in found.range() {
        let mut sum = 0;
        for (j, k) in (3..6).flat_map(|j| (-1..4).map(move |k| (j, k))) {
            sum += before[[i, j, k]] * (j * 7 + k) as i64;
            let wanted = match (j, k) {
                (3, -1) => before[[i, 5, 3]] + i as i64,
                (4, _) => -before[[i, j, k]],
                _ => before[[i, j, k]],
            };
            assert_eq!(a[[i, j, k]], wanted, "[{i}, {j}, {k}]");
        }
        assert_eq!((found[i], sums[i]), (sum, a[[i, 4, 2]] + a[[i, 5, 3]] + a[[i, 3, -1]]), "{i}");
    }
}

every! { on_every_space:
    fn signed_policies_fill_views_from_their_first_index(space, setting) {
        for n in [0, 1, 63, 257, 2049] {
            for origin in [-3, 0, 7, isize::MIN, isize::MAX - 2049] {
                let y = space.uninit("y", [n]).expect("memory");
                let policy = setting.signed_range(space, origin..origin + n as isize);
                let y = parallel_fill("number", policy, y, (), move |i, ()| i.get()).expect("the same indices");
                assert_eq!(y.range(), origin..origin + n as isize);
                let y = y.to_host().expect("memory");
                assert!(y.range().all(|i| y[i] == i), "{n} from {origin}");
            }
        }
        for extents in [[0, 3], [1, 1], [5, 65], [17, 2]] {
            for origin in [[-2, -1], [3, -40]] {
                fill_box(space, setting, Right, extents, origin);
                fill_box(space, setting, Left, extents, origin);
            }
        }
    }

    fn signed_policies_that_do_not_fill_are_errors(space, setting) {
        for range in [-2..1, -2..3, 0..0] {
            let y = space.uninit::<f64, 1>("y", [4]).expect("memory");
            let policy = setting.signed_range(space, range.clone());
            let error = parallel_fill("k", policy, y, (), move |_, ()| 0.0).expect_err("other indices");
            assert_eq!((error.kind(), error.kernel()), (ErrorKind::Extents, Some("k")));
            let text = format!("view `y` with extents [4] is not filled by the indices [{range:?}]");
            assert!(error.to_string().contains(&text), "{error}");
        }
        let x = space.zeros::<f64, 1>("x", [4]).expect("memory").with_origin([-1]).expect("it fits");
        let y = space.uninit::<f64, 1>("y", [4]).expect("memory");
        let error = parallel_fill("k", setting.signed_range(space, -2..2), y, &x, move |i, x| x[i]).expect_err("x begins at -1");
        assert!(error.to_string().contains("view `x` with extents [4] and origin [-1] does not cover the indices [-2..2]"), "{error}");
    }

    fn partial_views_are_read_and_written_where_they_are(space, setting) {
        for n in [0_usize, 1, 5, 200] {
            let x = space.view_from_fn("x", [n], |[i]| i as i64 + 1).expect("memory").with_origin([-3]).expect("it fits");
            let mut y = space.zeros::<i64, 1>("y", [n]).expect("memory").with_origin([-2]).expect("it fits");
            let mut all = space.zeros::<i64, 1>("all", [n + 20]).expect("memory").with_origin([-10]).expect("it fits");
            let policy = setting.signed_range(space, all.range());
            parallel_for("parts", policy, (x.partial(), y.partial_mut(), &mut all), move |i, (x, mut y, mut all)| {
                all[i] = x.get(i).copied().unwrap_or(-1);
                if let Some(element) = y.get_mut(i) {
                    *element = i.get() as i64;
                    y[i] += x.get(i).map_or(100, |_| x[i]);
                }
                if y.get(i).is_some() {
                    all[i] += 1000;
                }
            })
            .expect("nothing has to be covered");
            let (y, all) = (y.to_host().expect("memory"), all.to_host().expect("memory"));
            let x = |i: isize| (-3..n as isize - 3).contains(&i).then_some(i as i64 + 4);
            for i in all.range() {
                let own = y.get([i]).map(|_| i as i64 + x(i).unwrap_or(100));
                assert_eq!(y.get([i]).copied(), own, "{i}");
                assert_eq!(all[i], x(i).unwrap_or(-1) + own.map_or(0, |_| 1000), "{i}");
            }
        }
        // Launches over `usize` too.
        let mut y = space.zeros::<usize, 1>("y", [6]).expect("memory").with_origin([-2]).expect("it fits");
        parallel_for("unsigned", setting.range(space, 0..10), y.partial_mut(), move |i, mut y| {
            if let Some(element) = y.get_mut(i) {
                *element = i.get() + 1;
            }
        })
        .expect("nothing has to be covered");
        assert_eq!(y.to_host().expect("memory").as_view().to_vec(), [0, 0, 1, 2, 3, 4]);
    }

    fn views_along_a_dimension_count_from_their_origin(space, setting) {
        let rows = space.view_from_fn("rows", [9], |[i]| rough(i)).expect("memory").with_origin([-4]).expect("it fits");
        let columns = space.view_from_fn_in(Left, "columns", [40], |[j]| rough(j + 50)).expect("memory").with_origin([-2]).expect("it fits");
        let mut y = space.zeros::<f64, 2>("y", [6, 37]).expect("memory").with_origin([-3, -1]).expect("it fits");
        let policy = setting.signed_md_range(space, y.ranges());
        let args = (rows.along::<0>(), columns.along::<1>(), &mut y);
        parallel_for("outer product", policy, args, move |i, (rows, columns, mut y)| {
            y[i] = rows[i] * columns[i] + rows[-4] - columns.get([37]).copied().unwrap_or(1e9);
        })
        .expect("covered");
        let mut plain = space.zeros::<f64, 2>("plain", [5, 38]).expect("memory");
        let policy = space.md_range([0..5, 0..38]);
        let args = (rows.along::<0>(), columns.along::<1>(), &mut plain);
        parallel_for("outer product", policy, args, move |i, (rows, columns, mut y)| y[i] = rows[i] * columns[i]).expect("covered");
        let mut teams = space.zeros::<f64, 2>("teams", [5, 38]).expect("memory");
        let args = (rows.along::<0>(), columns.along::<1>(), &mut teams);
        parallel_for("outer product", space.team(5, AUTO), args, move |team, (rows, columns, mut y)| {
            team.parallel_for(team.thread_range(38), |rj| y[rj] = rows[rj] * columns[rj]);
        })
        .expect("covered");
        let (r, c, y) = (rows.to_host().expect("memory"), columns.to_host().expect("memory"), y.to_host().expect("memory"));
        for (i, j) in (-3..3).flat_map(|i| (-1..36).map(move |j| (i, j))) {
            assert_same(&y[[i, j]], &(r[i] * c[j] + r[-4] - c[37]), format!("[{i}, {j}]"));
        }
        let (plain, teams) = (plain.to_host().expect("memory"), teams.to_host().expect("memory"));
        for (i, j) in (0..5).flat_map(|i| (0..38).map(move |j| (i, j))) {
            let wanted = r[i as isize] * c[j as isize];
            assert_same(&(plain[[i, j]], teams[[i, j]]), &(wanted, wanted), format!("[{i}, {j}]"));
        }
        for (range, covered) in [(-2..38, true), (-3..38, false), (-2..39, false)] {
            let policy = setting.signed_md_range(space, [0..1, range.clone()]);
            let result = parallel_for("k", policy, columns.along::<1>(), move |_, _| {});
            assert_eq!(result.is_ok(), covered, "{range:?}");
            if let Err(error) = result {
                let text = "view `columns`.along::<1>() with extents [40] and origin [-2] does not cover the indices";
                assert!(error.to_string().contains(text), "{error}");
            }
        }
        for (end, covered) in [(38, true), (39, false)] {
            let result = parallel_for("k", space.md_range([0..1, 0..end]), columns.along::<1>(), move |_, _| {});
            assert_eq!(result.is_ok(), covered, "{end}");
        }
    }

    fn contributions_reach_every_signed_index(space, setting) {
        for n in [0_usize, 1, 64, 1000] {
            let cells = 13;
            let cell = move |i: usize| (i * 31 % 13) as i32 - 5;
            let mut counts = space.zeros::<u32, 1>("counts", [cells]).expect("memory").with_origin([-5]).expect("it fits");
            let mut sums = space.zeros::<i64, 1>("sums", [cells]).expect("memory").with_origin([-5]).expect("it fits");
            let mut most = space.zeros::<i64, 2>("most", [cells, 2]).expect("memory").with_origin([-5, -1]).expect("it fits");
            let args = (counts.atomic(), sums.scatter(), most.scatter_with(Max::new()));
            parallel_for("deposit", setting.range(space, 0..n), args, move |i, (counts, sums, most)| {
                let cell = cell(i.get());
                counts.inc(cell);
                counts.fetch_add([cell as isize], 1);
                sums.add(cell as i64, i.get() as i64);
                most.max([cell as isize, -((i.get() % 2) as isize)], i.get() as i64);
            })
            .expect("nothing has to be covered");
            let (counts, sums, most) = (counts.to_host().expect("memory"), sums.to_host().expect("memory"), most.to_host().expect("memory"));
            for c in -5..8 {
                let mine = || (0..n).filter(|&i| cell(i) as isize == c);
                assert_eq!(counts[c] as usize, 2 * mine().count(), "{c} of {n}");
                assert_eq!(sums[c] as usize, mine().sum::<usize>(), "{c} of {n}");
                for odd in [0, 1] {
                    let wanted = mine().filter(|i| i % 2 == odd).max().unwrap_or(0);
                    assert_eq!(most[[c, -(odd as isize)]] as usize, wanted, "{c} of {n}");
                }
            }
        }
        // The signed witness is an index, and a kept `scatter` serves several launches.
        let mut y = space.zeros::<i64, 1>("y", [7]).expect("memory").with_origin([-3]).expect("it fits");
        let mut scatter = y.scatter().duplicated(2);
        for _ in 0..2 {
            let policy = setting.signed_range(space, -3..4);
            parallel_for("add", policy, &mut scatter, move |i, y| y.add(i, i.get() as i64)).expect("nothing has to be covered");
        }
        parallel_for("add", setting.signed_range(space, -3..4), y.atomic(), move |i, y| {
            y.store(i, y.load(i) + i.get() as i64);
        })
        .expect("nothing has to be covered");
        assert_eq!(y.to_host().expect("memory").as_view().to_vec(), [-9, -6, -3, 0, 3, 6, 9]);
    }

    fn rows_belong_to_their_iterations(space, setting) {
        for rows in [0, 1, 33] {
            rows_of(space, setting, Right, rows);
            rows_of(space, setting, Left, rows);
        }
        let a = space.zeros::<f64, 2>("a", [4, 3]).expect("memory").with_origin([-2, 7]).expect("it fits");
        for (range, covered) in [(-2..2, true), (-3..2, false), (-2..3, false)] {
            let result = parallel_for("k", setting.signed_range(space, range.clone()), a.by_rows(), move |_, _| {});
            assert_eq!(result.is_ok(), covered, "{range:?}");
            if let Err(error) = result {
                let text = "view `a`.by_rows() with extents [4, 3] and origin [-2, 7] does not cover the indices";
                assert!(error.to_string().contains(text), "{error}");
            }
        }
        for (range, covered) in [(0..2, true), (0..3, false)] {
            let result = parallel_for("k", setting.range(space, range.clone()), a.by_rows(), move |_, _| {});
            assert_eq!(result.is_ok(), covered, "{range:?}");
        }
    }

    fn slabs_keep_the_origins_of_their_dimensions(space, setting) {
        for [n, m] in [[1_usize, 1_usize], [5, 33], [7, 1]] {
            let origin = [-2, -1];
            let at = move |[i, j]: [usize; 2]| mark([i as isize - 2, j as isize - 1]);
            let right = space.view_from_fn("right", [n, m], at).expect("memory").with_origin(origin).expect("it fits");
            let left = space.view_from_fn_in(Left, "left", [n, m], at).expect("memory").with_origin(origin).expect("it fits");
            let mut rows = space.zeros::<i64, 1>("rows", [n]).expect("memory").with_origin([-2]).expect("it fits");
            let mut columns = space.zeros::<i64, 1>("columns", [m]).expect("memory").with_origin([-1]).expect("it fits");
            let policy = setting.signed_range(space, rows.range());
            parallel_for("rows", policy, (&right, left.lookup(), &mut rows), move |i, (a, b, mut rows)| {
                let (a, b) = (a.slab(i.get()), b.slab(i.get()));
                for j in a.range(0) {
                    rows[i] += a[j] * (j + 2) as i64 - b[j];
                }
                rows[i] += b.as_slab().iter().sum::<i64>() + i64::from(a.get([m as isize - 1]).is_none());
            })
            .expect("covered");
            let policy = setting.signed_range(space, columns.range());
            let args = (right.halo::<0>(), &left, &mut columns);
            parallel_for("columns", policy, args, move |j, (a, b, mut columns)| {
                let (a, b) = (a.slab_at::<1>(j.get()), b.slab_at::<1>(j.get()));
                for i in b.range(0) {
                    columns[j] += a[i] * (i + 3) as i64 + b[i];
                }
            })
            .expect("covered");
            let (rows, columns) = (rows.to_host().expect("memory"), columns.to_host().expect("memory"));
            for i in rows.range() {
                assert_eq!(rows[i], columns.range().map(|j| mark([i, j]) * (j + 2) as i64).sum::<i64>() + 1, "{i}");
            }
            for j in columns.range() {
                assert_eq!(columns[j], rows.range().map(|i| mark([i, j]) * (i + 4) as i64).sum::<i64>(), "{j}");
            }
        }
    }
}

every! { on_every_host_space:
    fn nested_loops_beyond_a_view_along_their_index_panic(space, _setting) {
        // From the origin -2, the indices of nested loops end at 38 of 40.
        let columns = space.view_from_fn("my columns", [40], |[j]| j as f64).expect("memory").with_origin([-2]).expect("it fits");
        let run = |end: usize| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            parallel_for("k", space.team(2, AUTO), columns.along::<1>(), move |team, columns| {
                team.parallel_for(team.thread_range(end), |rj| assert_eq!(columns[rj], (rj.inner() + 2) as f64));
            }).expect("the league is covered");
        }));
        run(38).expect("covered");
        let payload = run(39).expect_err("one more than the View has");
        let text = payload.downcast_ref::<String>().expect("a text");
        assert!(text.contains("nested loop: view `my columns`.along::<1>()"), "{text}");
    }
}
