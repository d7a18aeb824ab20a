//! Views that iterations write, beside Views that they read: loops rely on it that these do not overlap.

use spelt::prelude::*;

use crate::equal::{SHARED_OUT, assert_same, borders, rough};
use crate::oracle;
use crate::spaces::every;

/// The columns of matrices.
const COLUMNS: usize = 200;

/// Where a matrix is cut into two parts, of which neither is contiguous.
const CUT: usize = 70;

/// Compares all elements of a View.
fn compare<M: spelt::MemorySpace>(found: &View<f64, 1, M>, wanted: impl Fn(usize) -> f64, name: &str) {
    let found = found.to_host().expect("memory");
    (0..found.len()).for_each(|k| assert_same(&found[k], &wanted(k), name));
}

/// The new value of an element that had `old`, with `left` and `right` beside it.
fn smooth(left: f64, old: f64, right: f64) -> f64 {
    0.25 * left + 0.5 * old + 0.25 * right
}

every! { on_every_space:
    fn many_views_are_written_at_once(space, setting) {
        for n in borders(8).into_iter().chain(SHARED_OUT) {
            let x = space.view_from_fn("x", [n + 2], |[i]| rough(i)).expect("memory");
            let mut y: [_; 6] = core::array::from_fn(|_| space.zeros::<f64, 1>("y", [n]).expect("memory"));
            let [a, b, rest @ ..] = y.each_mut();
            // Each reads elements that the ones before have written.
            parallel_for("many", setting.range(space, 0..n), (x.lookup(), a, b, rest), move |i, (x, mut a, mut b, rest)| {
                let k = i.get();
                a[i] = x[k] + x[k + 2];
                b[i] = a[i] - x[k + 1];
                for (number, mut y) in rest.into_iter().enumerate() {
                    y[i] += b[i] * number as f64;
                }
            }).expect("covered");
            let [a, b, rest @ ..] = y.each_mut();
            let sum = parallel_reduce("sum of many", setting.range(space, 0..n), (a, b, rest), move |i, sum, (mut a, mut b, rest)| {
                a[i] *= 2.0;
                b[i] -= a[i];
                for mut y in rest {
                    y[i] += a[i];
                    *sum += y[i];
                }
            }, Sum::<f64>::new()).expect("covered");
            let of = |k: usize| {
                let a = rough(k) + rough(k + 2);
                let b = a - rough(k + 1);
                let rest: [f64; 4] = core::array::from_fn(|number| 0.0 + b * number as f64 + a * 2.0);
                [a * 2.0, b - a * 2.0, rest[0], rest[1], rest[2], rest[3]]
            };
            let wanted = oracle::reduce(&Sum::<f64>::new(), n, |k, sum| of(k)[2..].iter().for_each(|y| *sum += y));
            assert_same(&sum, &wanted, n);
            for (number, y) in y.iter().enumerate() {
                compare(y, |k| of(k)[number], "an element");
            }
        }
    }

    fn rows_between_those_of_another_view_are_written(space, setting) {
        let old = |[i, j]: [usize; 2]| rough(i * COLUMNS + j);
        // Rows shorter than the lanes, and of several rows of lanes; tiles end within them.
        for (rows, width) in [(1, 1), (2, 8), (37, 47), (37, CUT - 1)] {
            let x = space.view_from_fn("x", [rows, COLUMNS], old).expect("memory");
            let mut y = space.view_from_fn("y", [rows, COLUMNS], move |index| -3.0 * old(index)).expect("memory");
            let (mut left, mut right) = y.view_mut().split_at(1, CUT);
            let policy = || setting.md_range(space, [0..rows, 1..width + 1]);
            parallel_for("right", policy(), (x.lookup(), &mut right), move |i, (x, mut y)| {
                let [row, column] = i.get();
                y[i] = smooth(x[[row, column - 1]], x[[row, column]], x[[row, column + 1]]);
            }).expect("covered");
            let args = (&mut left, &mut right, &x);
            let sum = parallel_reduce("both", policy(), args, move |i, sum, (mut left, mut right, x)| {
                left[i] += x[i];
                right[i] += left[i] + x[i];
                *sum += right[i];
            }, Sum::<f64>::new()).expect("covered");
            let new = |[i, j]: [usize; 2]| {
                let left = -3.0 * old([i, j]) + old([i, j]);
                let right = smooth(old([i, j - 1]), old([i, j]), old([i, j + 1])) + (left + old([i, j]));
                [left, right]
            };
            let wanted = oracle::reduce(&Sum::<f64>::new(), rows * width, |k, sum| {
                *sum += new([k / width, k % width + 1])[1];
            });
            let name = format!("{rows} x {width}");
            assert_same(&sum, &wanted, &name);
            let y = y.to_host().expect("memory");
            for (i, j) in (0..rows).flat_map(|i| (0..COLUMNS).map(move |j| (i, j))) {
                let wanted = if (1..=width).contains(&j) {
                    new([i, j])[0]
                } else if (CUT + 1..=CUT + width).contains(&j) {
                    new([i, j - CUT])[1]
                } else {
                    -3.0 * old([i, j])
                };
                assert_same(&y[[i, j]], &wanted, &name);
            }
        }
    }

    fn neighbouring_parts_of_a_view_are_written(space, setting) {
        for rows in [1, 2, 37] {
            for iterate in [Iterate::Right, Iterate::Left] {
                let old = |[i, j]: [usize; 2]| rough(i * COLUMNS + j);
                let mut y = space.view_from_fn("y", [2 * rows, COLUMNS], old).expect("memory");
                let (mut top, mut bottom) = y.view_mut().split_outer_at(rows);
                let policy = || setting.md_range(space, [0..rows, 3..COLUMNS]).iterate(iterate);
                // The first columns of a part lie between two rows of spans: no iteration writes them.
                parallel_for("both", policy(), (&mut top, &mut bottom), move |i, (mut top, mut bottom)| {
                    top[i] -= bottom[i];
                    bottom[i] += top[i];
                }).expect("covered");
                let sum = parallel_reduce("sum", policy(), (&mut top, &mut bottom), move |i, sum, (mut top, mut bottom)| {
                    bottom[i] *= 0.5;
                    top[i] += bottom[i];
                    *sum += top[i];
                }, Sum::<f64>::new()).expect("covered");
                let new = |[i, j]: [usize; 2]| {
                    let top = old([i, j]) - old([i + rows, j]);
                    let bottom = (old([i + rows, j]) + top) * 0.5;
                    [top + bottom, bottom]
                };
                let width = COLUMNS - 3;
                let wanted = oracle::reduce(&Sum::<f64>::new(), rows * width, |k, sum| {
                    *sum += new([k / width, k % width + 3])[0];
                });
                let name = format!("{rows} rows, {iterate:?}");
                assert_same(&sum, &wanted, &name);
                let y = y.to_host().expect("memory");
                for (i, j) in (0..2 * rows).flat_map(|i| (0..COLUMNS).map(move |j| (i, j))) {
                    let wanted = if j < 3 { old([i, j]) } else { new([i % rows, j])[i / rows] };
                    assert_same(&y[[i, j]], &wanted, &name);
                }
            }
        }
    }

    fn boxes_are_written_by_reductions(space, setting) {
        for extents in [[3, 5, 4], [2, 9, 47], [4, 3, 254], [1, 1, 3000], [300, 2, 3]] {
            let [n, m, l] = extents;
            let place = move |[i, j, k]: [usize; 3]| (i * m + j) * l + k;
            let x = space.view_from_fn("x", extents, move |index| rough(place(index))).expect("memory");
            // Whole lines, and lines between elements that no iteration writes.
            for inner in [0..l, 1..l - 1] {
                let mut y = space.zeros::<f64, 3>("y", extents).expect("memory");
                let policy = setting.md_range(space, [0..n, 0..m, inner.clone()]);
                let sum = parallel_reduce("box", policy, (x.lookup(), &mut y), move |i, sum, (x, mut y)| {
                    let [row, line, column] = i.get();
                    let before = if column > 0 { x[[row, line, column - 1]] } else { 0.0 };
                    y[i] = before + x[[row, line, column]];
                    *sum += y[i] - x[[row, line, column]];
                }, Sum::<f64>::new()).expect("covered");
                let new = |index: [usize; 3]| {
                    let before = if index[2] > 0 { rough(place(index) - 1) } else { 0.0 };
                    before + rough(place(index))
                };
                let width = inner.len();
                let wanted = oracle::reduce(&Sum::<f64>::new(), n * m * width, |at, sum| {
                    let index = [at / width / m, at / width % m, at % width + inner.start];
                    *sum += new(index) - rough(place(index));
                });
                let name = format!("{inner:?} of {extents:?}");
                assert_same(&sum, &wanted, &name);
                let y = y.to_host().expect("memory");
                for at in 0..n * m * l {
                    let index = [at / l / m, at / l % m, at % l];
                    let wanted = if inner.contains(&index[2]) { new(index) } else { 0.0 };
                    assert_same(&y[index], &wanted, &name);
                }
            }
        }
    }
}
