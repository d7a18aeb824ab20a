//! The same memory under other indices: kernels read and write split axes, components, arrays and planes, and halos reach
//! as far as each side says.

use spelt::prelude::*;
use spelt::subview::Steps;
use spelt::{Between, ErrorKind, Stride, ViewMut};

use crate::equal::{assert_same, rough};
use crate::spaces::every;

every! { on_every_space:
    fn halos_reach_down_and_up(space, setting) {
        for n in [4, 5, 257, 4099] {
            let x = space.view_from_fn("x", [n], |[i]| rough(i)).expect("memory");
            let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
            let stencil = x.halo_of::<Between<-2, 1>>();
            parallel_for("upwind", setting.range(space, 2..n - 1), (stencil, &mut y), move |i, (x, mut y)| {
                y[i] = 2.0 * x.at(i, [1]) + 3.0 * x[i] - 6.0 * x.at(i, [-1]) + x.at(i, [-2]);
            })
            .expect("covered");
            let (x, y) = (x.to_host().expect("memory"), y.to_host().expect("memory"));
            for i in 2..n - 1 {
                assert_same(&y[i], &(2.0 * x[i + 1] + 3.0 * x[i] - 6.0 * x[i - 1] + x[i - 2]), "upwind");
            }
            assert_eq!((y[0], y[1], y[n - 1]), (0.0, 0.0, 0.0));
        }
    }

    fn halos_reach_differently_in_each_dimension(space, setting) {
        let x = space.view_from_fn_in(Left, "x", [7, 40], |[i, j]| (100 * i + j) as u64).expect("memory");
        let mut y = space.zeros::<u64, 2>("y", [7, 40]).expect("memory");
        let stencil = x.halo_of::<(Between<0, 3>, Between<-2, 0>)>();
        let policy = setting.md_range(space, [0..4, 2..40]);
        parallel_for("corners", policy, (stencil, &mut y), move |i, (x, mut y)| {
            y[i] = 1_000_000 * x.at(i, [3, -2]) + x.at(i, [0, 0]);
        })
        .expect("covered");
        for (index, &found) in y.to_host().expect("memory").indexed_iter() {
            let [i, j] = index;
            let inside = i < 4 && j >= 2;
            let expected = if inside { 1_000_000 * (100 * (i + 3) + j - 2) + 100 * i + j } else { 0 };
            assert_eq!(found, expected as u64, "{index:?}");
        }
        for ranges in [[0..5, 2..40], [0..4, 1..40]] {
            let policy = space.md_range(ranges);
            let error = parallel_for("far", policy, x.halo_of::<(Between<0, 3>, Between<-2, 0>)>(), |_, _| {});
            let error = error.expect_err("it is not covered");
            assert_eq!(error.kind(), ErrorKind::Extents);
            let text = ".halo_of::<(Between<0, 3>, Between<-2, 0>)>() with extents [7, 40]";
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    fn an_axis_is_written_as_two(space, setting) {
        for (extents, axis, split) in [([6, 35], 1, [5, 7]), ([6, 35], 0, [3, 2]), ([6, 3], 1, [1, 3]), ([0, 3], 0, [4, 0])] {
            for step in [1, 2] {
                let whole = [extents[0], step * extents[1]];
                let mut whole = space.zeros::<u64, 2>("v", whole).expect("memory");
                let mut v = whole.subview_mut((.., (..).step(step)));
                let mut parts = v.split_axis_mut(axis, split).expect("the extents' product");
                let ranges = parts.extents().map(|extent| 0..extent);
                parallel_for("number", setting.md_range(space, ranges), &mut parts, move |i, mut parts| {
                    let [a, b, c] = i.get();
                    parts[i] += (1 + 10_000 * a + 100 * b + c) as u64;
                })
                .expect("covered");
                for ([i, j], &found) in whole.to_host().expect("memory").indexed_iter() {
                    let (on, j) = (j % step == 0, j / step);
                    let [a, b, c] = if axis == 0 { [i / split[1], i % split[1], j] } else { [i, j / split[1], j % split[1]] };
                    assert_eq!(found, if on { (1 + 10_000 * a + 100 * b + c) as u64 } else { 0 }, "{split:?} at [{i}, {j}]");
                }
            }
        }
    }

    fn components_and_arrays_are_the_same_memory(space, setting) {
        for n in [0, 1, 33, 1025] {
            let mut arrays = space.view_from_fn("arrays", [n], |[i]| [i as u64, 0, 7]).expect("memory");
            {
                let mut numbers: ViewMut<'_, u64, 2, _> = arrays.components_mut().expect("it fits");
                assert_eq!((numbers.extents(), numbers.strides()), ([n, 3], [3, 1]));
                parallel_for("by numbers", setting.md_range(space, [0..n, 0..3]), &mut numbers, move |i, mut numbers| {
                    let [place, component] = i.get();
                    numbers[i] = 1000 * numbers[i] + (10 * place + component) as u64;
                })
                .expect("covered");
                let mut again = numbers.arrays_mut::<3>().expect("three numbers each");
                parallel_for("by arrays", setting.range(space, 0..n), &mut again, move |i, mut again| {
                    let [a, b, c] = again[i];
                    again[i] = [b, c, a];
                })
                .expect("covered");
            }
            for ([i], &found) in arrays.to_host().expect("memory").indexed_iter() {
                let at = 10 * i as u64;
                assert_eq!(found, [at + 1, 7000 + at + 2, 1000 * i as u64 + at], "{i}");
            }
        }
    }

    fn components_of_every_layout(space, setting) {
        let mut left = space.view_from_fn_in(Left, "left", [5, 9], |[i, j]| [i as u32, j as u32]).expect("memory");
        let mut numbers: ViewMut<'_, u32, 3, _, Stride> = left.components_mut().expect("it fits");
        assert_eq!((numbers.extents(), numbers.strides()), ([5, 9, 2], [2, 10, 1]));
        parallel_for("number", setting.md_range(space, [0..5, 0..9, 0..2]), &mut numbers, move |i, mut numbers| {
            numbers[i] += 100 * (1 + i.get()[2] as u32);
        })
        .expect("covered");
        for ([i, j], &found) in left.to_host().expect("memory").indexed_iter() {
            assert_eq!(found, [100 + i as u32, 200 + j as u32]);
        }
    }

    fn planes_are_written_in_one_launch(space, setting) {
        for n in [0, 1, 31, 130] {
            let of = |field: usize, [i, j]: [usize; 2]| (10_000 * field + 100 * i + j) as u64;
            let mut state = space.view_from_fn("state", [3, 4, n], |[f, i, j]| of(f, [i, j])).expect("memory");
            let mut left = space.view_from_fn_in(Left, "left", [4, n, 3], |[i, j, f]| of(f, [i, j])).expect("memory");
            {
                let [mut a, mut b, c] = state.planes_mut::<3>();
                let [mut d, mut e, f] = left.planes_mut::<3>();
                let arguments = (&mut a, &mut b, &c, &mut d, &mut e, &f);
                let policy = setting.md_range(space, [0..4, 0..n]);
                parallel_for("turn", policy, arguments, move |i, (mut a, mut b, c, mut d, mut e, f)| {
                    (a[i], b[i]) = (b[i] + c[i], a[i]);
                    (d[i], e[i]) = (e[i] + f[i], d[i]);
                })
                .expect("covered");
            }
            let wanted = |field: usize, at| match field {
                0 => of(1, at) + of(2, at),
                1 => of(0, at),
                _ => of(2, at),
            };
            for ([field, i, j], &found) in state.to_host().expect("memory").indexed_iter() {
                assert_eq!(found, wanted(field, [i, j]), "right");
            }
            for ([i, j, field], &found) in left.to_host().expect("memory").indexed_iter() {
                assert_eq!(found, wanted(field, [i, j]), "left");
            }
        }
    }

    fn kernels_read_slabs_of_any_dimension(space, setting) {
        let mark = |[i, j, k]: [usize; 3]| (10_000 * i + 100 * j + k) as u64;
        for extents in [[5, 4, 33], [1, 1, 1], [3, 7, 1]] {
            let right = space.view_from_fn("right", extents, mark).expect("memory");
            let left = space.view_from_fn_in(Left, "left", extents, mark).expect("memory");
            let [n, m, o] = extents;
            let mut planes = space.zeros::<u64, 1>("planes", [n]).expect("memory");
            let mut rows = space.zeros::<u64, 1>("rows", [m]).expect("memory");
            let mut columns = space.zeros::<u64, 1>("columns", [o]).expect("memory");
            parallel_for("planes", setting.range(space, 0..n), (&right, left.lookup(), &mut planes), move |i, (a, b, mut planes)| {
                let (a, b) = (a.slab(i.get()), b.slab(i.get()));
                for j in 0..m {
                    planes[i] += a.row(j).iter().sum::<u64>() + b.row(j).iter().map(|element| 3 * element).sum::<u64>();
                }
            })
            .expect("covered");
            parallel_for("rows", setting.range(space, 0..m), (&left, right.lookup(), &mut rows), move |j, (a, b, mut rows)| {
                let (a, b) = (a.slab_at::<1>(j.get()), b.slab_at::<1>(j.get()));
                for i in 0..n {
                    rows[j] += a.row(i).iter().sum::<u64>() + 5 * b[[i, o - 1]];
                }
            })
            .expect("covered");
            parallel_for("columns", setting.range(space, 0..o), (right.halo::<0>(), &left, &mut columns), move |k, (a, b, mut columns)| {
                columns[k] = a.slab_at::<2>(k.get()).row(n - 1).iter().sum::<u64>() + b.slab_at::<2>(k.get())[[0, m - 1]];
            })
            .expect("covered");
            let sum = |ranges: [std::ops::Range<usize>; 3]| {
                let [i, j, k] = ranges;
                let pairs = i.flat_map(|i| j.clone().map(move |j| (i, j)));
                pairs.flat_map(|(i, j)| k.clone().map(move |k| mark([i, j, k]))).sum::<u64>()
            };
            let (planes, rows) = (planes.to_host().expect("memory"), rows.to_host().expect("memory"));
            assert!((0..n).all(|i| planes[i] == 4 * sum([i..i + 1, 0..m, 0..o])));
            assert!((0..m).all(|j| rows[j] == sum([0..n, j..j + 1, 0..o]) + 5 * sum([0..n, j..j + 1, o - 1..o])));
            let columns = columns.to_host().expect("memory");
            assert!((0..o).all(|k| columns[k] == sum([n - 1..n, 0..m, k..k + 1]) + mark([0, m - 1, k])));
        }
    }
}
