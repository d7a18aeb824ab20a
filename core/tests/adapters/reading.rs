//! `halo`, `lookup`, `partial`, `along`, `rows`.

use spelt_core::reducers::{Max, Sum};
use spelt_core::{
    ExecutionSpace, HostSpace, Layout, Left, Serial, View, ViewMut, ViewRef, parallel_for,
    parallel_map_reduce,
};

use crate::{on_all_spaces, panic_text};

fn wave(n: usize) -> View<f64, 1> {
    View::from_fn("wave", [n], |[i]| ((i * 37) % 101) as f64 * 0.37 - 11.0).unwrap()
}

fn field(n: usize, m: usize) -> View<f64, 2> {
    View::from_fn("field", [n, m], |[i, j]| ((i * 31 + j * 17) % 97) as f64 * 0.11).unwrap()
}

#[test]
fn halo_reads_neighbours_of_rank_1() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        for n in [3, 4, 1000, 20_000] {
            let x = wave(n);
            let mut y = View::<f64, 1>::zeros("y", [n]).unwrap();
            parallel_for("stencil", space.range(1..n - 1), (x.halo::<1>(), &mut y), |i, (x, mut y)| {
                y[i] = x.at(i, [-1]) - 2.0 * x[i] + x.at(i, [1]);
            })
            .unwrap();
            for i in 0..n {
                let inner = (1..n - 1).contains(&i);
                let expected = if inner { x[i - 1] - 2.0 * x[i] + x[i + 1] } else { 0.0 };
                assert_eq!(y[i].to_bits(), expected.to_bits(), "n {n} i {i}");
            }
        }
    }
    on_all_spaces!(check);
}

#[test]
fn halo_reads_neighbours_of_rank_2_in_any_layout() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let x = field(40, 50);
        let left = View::from_fn_in(Left, "left", [40, 50], |index| x[index]).unwrap();
        let expected = |i: usize, j: usize| {
            x[[i - 2, j]] + x[[i + 2, j]] + x[[i, j - 1]] * x[[i, j + 1]] - x[[i - 2, j + 2]]
        };
        for tile in [[0, 0], [7, 5]] {
            let mut y = View::<f64, 2>::zeros("y", [40, 50]).unwrap();
            let mut z = View::<f64, 2>::zeros("z", [40, 50]).unwrap();
            let policy = || space.md_range([2..38, 2..48]).tile(tile);
            parallel_for("right", policy(), (x.halo::<2>(), &mut y), |i, (x, mut y)| {
                y[i] = x.at(i, [-2, 0]) + x.at(i, [2, 0]) + x.at(i, [0, -1]) * x.at(i, [0, 1])
                    - x.at(i, [-2, 2]);
            })
            .unwrap();
            parallel_for("left", policy(), (left.halo::<2>(), &mut z), |i, (x, mut z)| {
                z[i] = x.at(i, [-2, 0]) + x.at(i, [2, 0]) + x.at(i, [0, -1]) * x.at(i, [0, 1])
                    - x.at(i, [-2, 2]);
            })
            .unwrap();
            for i in 2..38 {
                for j in 2..48 {
                    assert_eq!(y[[i, j]].to_bits(), expected(i, j).to_bits());
                    assert_eq!(z[[i, j]].to_bits(), expected(i, j).to_bits());
                }
            }
        }
    }
    on_all_spaces!(check);
}

#[test]
fn halo_of_width_zero_is_the_view_itself_and_get_reads_anywhere() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let x = wave(5);
        let sum = parallel_map_reduce(
            "sum",
            space.range(0..5),
            x.halo::<0>(),
            |i, x| x[i] + x.at(i, [0]) + x.get(4 - i.get()).unwrap() + x.get(i + 5).unwrap_or(&1.0),
            Max::<f64>::new(),
        )
        .unwrap();
        let expected = (0..5).map(|i| x[i] + x[i] + x[4 - i] + 1.0).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(sum.to_bits(), expected.to_bits());
    }
    on_all_spaces!(check);
}

#[test]
fn lookup_reads_any_index_and_slices() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let n = 10_000;
        let table = wave(64);
        let grid = field(8, 8);
        let mut y = View::<f64, 1>::zeros("y", [n]).unwrap();
        parallel_for(
            "gather",
            space.range(0..n),
            (table.lookup(), grid.lookup(), &mut y),
            |i, (table, grid, mut y)| {
                let k = i.get() % 64;
                y[i] = table[63 - k] + grid[[k / 8, k % 8]] + grid.row(k / 8)[k % 8] + table.as_slice()[k];
                y[i] += table.get(i).copied().unwrap_or(0.5) + *grid.get([k / 8, 7]).unwrap();
                y[i] += table.extent(0) as f64;
            },
        )
        .unwrap();
        for i in 0..n {
            let k = i % 64;
            let mut expected = table[63 - k] + grid[[k / 8, k % 8]] + grid[[k / 8, k % 8]] + table[k];
            expected += table.get(i).copied().unwrap_or(0.5) + grid[[k / 8, 7]];
            expected += 64.0;
            assert_eq!(y[i].to_bits(), expected.to_bits(), "{i}");
        }
    }
    on_all_spaces!(check);
}

#[test]
fn partial_views_end_where_they_end() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        for n in [0, 1, 700, 10_000] {
            let x = wave(n);
            let mut y = View::<f64, 1>::zeros("y", [n / 2]).unwrap();
            let sum = parallel_map_reduce(
                "read",
                space.range(0..10_000),
                x.partial(),
                |i, x| x.get(i).map_or(1, |x| (x * 100.0) as i64),
                Sum::<i64>::new(),
            )
            .unwrap();
            let expected: i64 = (0..10_000).map(|i| x.get(i).map_or(1, |x| (x * 100.0) as i64)).sum();
            assert_eq!(sum, expected);
            parallel_for("write", space.range(0..10_000), (x.partial(), y.partial_mut()), |i, (x, mut y)| {
                if i.get() < y.extent(0) {
                    y[i] = x[i];
                    *y.get_mut(i).unwrap() += 1.0;
                    assert_eq!(y[i], *y.get(i).unwrap());
                } else {
                    assert!(y.get_mut(i).is_none() && y.get(i).is_none());
                }
            })
            .unwrap();
            assert!((0..n / 2).all(|i| y[i] == x[i] + 1.0));
        }
    }
    on_all_spaces!(check);
}

#[test]
fn partial_tests_each_dimension() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let mut wide = View::<u32, 2>::zeros("wide", [4, 10]).unwrap();
        let mut tall = View::<u32, 2>::zeros("tall", [10, 4]).unwrap();
        parallel_for(
            "both",
            space.md_range([0..10, 0..10]),
            (wide.partial_mut(), tall.partial_mut()),
            |i, (mut wide, mut tall)| {
                for element in [wide.get_mut(i), tall.get_mut(i)].into_iter().flatten() {
                    *element += (10 * i.get()[0] + i.get()[1]) as u32;
                }
            },
        )
        .unwrap();
        for i in 0..10 {
            for j in 0..10 {
                let expected = (10 * i + j) as u32;
                assert_eq!(wide.get([i, j]).copied(), (i < 4).then_some(expected));
                assert_eq!(tall.get([i, j]).copied(), (j < 4).then_some(expected));
            }
        }
    }
    on_all_spaces!(check);
}

#[test]
fn along_reads_one_component() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let (n, m) = (60, 70);
        let a = View::from_fn("a", [n, m], |[i, j]| (i * 7 + j * 3) as i64 % 11).unwrap();
        let x = View::from_fn("x", [m], |[j]| j as i64 % 5 - 2).unwrap();
        let y = View::from_fn_in(Left, "y", [n], |[i]| i as i64 % 3).unwrap();
        let product = parallel_map_reduce(
            "yAx",
            space.md_range([0..n, 0..m]),
            (y.along::<0>(), &a, x.along::<1>()),
            |i, (y, a, x)| {
                assert_eq!(x.as_slice()[i.get()[1]], x[i]);
                y[i] * a[i] * x[i]
            },
            Sum::<i64>::new(),
        )
        .unwrap();
        let expected: i64 =
            (0..n).flat_map(|i| (0..m).map(move |j| (i, j))).map(|(i, j)| y[i] * a[[i, j]] * x[j]).sum();
        assert_eq!(product, expected);
        let mut z = View::<i64, 1>::zeros("z", [m]).unwrap();
        parallel_for("copy", space.range(0..m), (x.along::<0>(), &mut z), |i, (x, mut z)| z[i] = x[i])
            .unwrap();
        assert_eq!(z.as_slice(), x.as_slice());
    }
    on_all_spaces!(check);
}

#[test]
fn rows_are_slices() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        for (n, m) in [(0, 3), (1, 1), (5, 0), (300, 41)] {
            let a = field(n, m);
            let mut b = View::<f64, 2>::zeros("b", [n, m]).unwrap();
            parallel_for("reverse", space.range(0..n), (a.by_rows(), b.by_rows_mut()), |i, (a, mut b)| {
                b[i].copy_from_slice(&a[i]);
                b[i].reverse();
                assert_eq!(a.get(i.get()).unwrap().len(), b.extent(1));
            })
            .unwrap();
            for i in 0..n {
                for j in 0..m {
                    assert_eq!(b[[i, j]], a[[i, m - 1 - j]]);
                }
            }
        }
    }
    on_all_spaces!(check);
}

#[test]
fn borrowed_views_are_adapted_alike() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let numbers: Vec<u64> = (0..12).collect();
        let mut out = vec![0_u64; 12];
        // the adapter of a ViewRef lives as long as the memory, not as the ViewRef
        let (halo, rows) = {
            let view = ViewRef::from_slice([12], &numbers[..]).unwrap();
            let matrix = ViewRef::from_slice([3, 4], &numbers[..]).unwrap();
            (view.halo::<1>(), matrix.by_rows())
        };
        let mut target = ViewMut::from_slice([12], &mut out).unwrap();
        parallel_for("neighbours", space.range(1..11), (halo, target.partial_mut()), |i, (x, mut y)| {
            y[i] = x.at(i, [-1]) + x.at(i, [1]);
        })
        .unwrap();
        assert_eq!(target.as_slice(), Some(&[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 0][..]));
        let mut sums = View::<u64, 1>::zeros("sums", [3]).unwrap();
        parallel_for("rows", space.range(0..3), (rows, target.lookup(), &mut sums), |i, (a, t, mut sums)| {
            sums[i] = a[i].iter().sum::<u64>() + t[i + 1];
        })
        .unwrap();
        assert_eq!(sums.as_slice(), Some(&[6 + 2, 22 + 4, 38 + 6][..]));
    }
    on_all_spaces!(check);
}

/// Lines of both dimensions of both layouts, from every index: all of their elements, and none behind them.
#[test]
fn lines_end_where_the_view_does() {
    fn check<L: Layout>(view: &View<f64, 2, HostSpace, L>) {
        let [n, m] = view.extents();
        parallel_for("lines", Serial::new().md_range([0..n, 0..m]), view.lookup(), |i, view| {
            let [i, j] = i.get();
            for (dimension, len) in [(0, n - i), (1, m - j)] {
                let line = view.line([i, j], dimension);
                let at = |k: usize| if dimension == 0 { view[[i + k, j]] } else { view[[i, j + k]] };
                assert_eq!((line.len(), line.get(len)), (len, None));
                assert!((0..len).all(|k| line.get(k) == Some(&at(k))));
                assert!(line.iter().copied().eq((0..len).map(at)));
                assert_eq!(line.as_slice().is_some(), line.stride() == 1);
                for start in 0..=len {
                    let part = line.part(start, len - start).expect("inside");
                    assert!(part.iter().copied().eq((start..len).map(at)));
                    assert!(line.part(start, len - start + 1).is_none());
                }
                assert!(line.part(len + 1, 0).is_none() && line.part(1, usize::MAX).is_none());
            }
        })
        .unwrap();
    }
    check(&field(4, 3));
    check(&field(4, 3).to_layout(Left).unwrap());
    let field = field(4, 3);
    for index in [[4, 0], [0, 3]] {
        let text = panic_text(|| {
            let _ = parallel_for("k", Serial::new().range(0..1), field.lookup(), |_, field| {
                core::hint::black_box(field.line(index, 0).len());
            });
        });
        assert!(text.contains("out of bounds of view `field`"), "{text}");
    }
}

/// Each dimension of an offset has its own limit.
#[test]
fn halo_offsets_are_tested_in_each_dimension() {
    let field = field(9, 9);
    for offset in [[2, 0], [0, 2], [-2, 1], [isize::MIN, 0]] {
        let text = panic_text(|| {
            let space = Serial::new();
            let _ = parallel_for("k", space.md_range([1..8, 1..8]), field.halo::<1>(), |i, field| {
                core::hint::black_box(field.at(i, offset));
            });
        });
        assert!(text.contains("view `field`"), "{offset:?}: {text}");
    }
}
