//! Which copies of rows are current: after halos of one side, launches without rows of a rank, and changes of the border.

use std::time::Duration;

use spelt_core::{Between, Serial, View, parallel_for};
use spelt_mpi::{DistributedView, InProcess, Mpi};

use super::SIZES;
use super::distributed::{of_root, partitions};

type Below = (Between<-1, 0>, Between<0, 0>);
type Above = (Between<0, 1>, Between<0, 0>);
type Both = (Between<-1, 1>, Between<0, 0>);

/// Launches that read one side each, of a View that nobody writes: copies of one side outlive an exchange of the other.
#[test]
fn copies_of_one_side_outlive_those_of_the_other() {
    let rows = 11;
    for size in SIZES {
        for partition in partitions(rows, size) {
            let results = InProcess::new(size).run(|ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let mut x = space.view_from_fn_on(&partition, "x", [rows, 2], |[i, j]| 10 * i + j + 1)?;
                let mut y = space.zeros_on::<usize, 2>(&partition, "y", [rows, 2])?;
                for step in 0..4 {
                    let policy = space.md_range([1..rows - 1, 0..2]);
                    if step % 2 == 0 {
                        parallel_for("below", policy, (x.halo_of::<Below>(), &mut y), |i, (x, mut y)| {
                            y[i] = 100 * y[i] + x.at(i, [-1, 0]);
                        })?;
                    } else {
                        parallel_for("above", policy, (x.halo_of::<Above>(), &mut y), |i, (x, mut y)| {
                            y[i] = 100 * y[i] + x.at(i, [1, 0]);
                        })?;
                    }
                }
                space.gather("y", &y, 0)
            });
            let y = of_root(results);
            let x = |i: usize, j: usize| 10 * i + j + 1;
            for (i, j) in (1..rows - 1).flat_map(|i| (0..2).map(move |j| (i, j))) {
                let expected = [x(i - 1, j), x(i + 1, j), x(i - 1, j), x(i + 1, j)];
                let expected = expected.into_iter().fold(0, |number, digits| 100 * number + digits);
                assert_eq!(y[[i, j]], expected, "{size} ranks, {partition:?}, [{i}, {j}]");
            }
        }
    }
}

/// A View that becomes periodic after launches have read its halos.
#[test]
fn a_view_becomes_periodic_after_a_halo() {
    let rows = 9;
    for size in SIZES {
        for partition in partitions(rows, size) {
            let results = InProcess::new(size).timeout(Duration::from_secs(60)).run(|ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let mut x = space.view_from_fn_on(&partition, "x", [rows, 2], |[i, j]| 10 * i + j)?;
                let mut y = space.zeros_on::<usize, 2>(&partition, "y", [rows, 2])?;
                let step = |x: &mut DistributedView<usize, 2>, y: &mut DistributedView<usize, 2>, inner| {
                    parallel_for(
                        "step",
                        space.md_range([inner, 0..2]),
                        (x.halo_of::<Both>(), y),
                        |i, (x, mut y)| {
                            y[i] = 1000 * x.at(i, [-1, 0]) + x.at(i, [1, 0]);
                        },
                    )
                };
                step(&mut x, &mut y, 1..rows - 1)?;
                let mut x = x.periodic();
                assert_eq!(x.own().as_view().to_vec(), own_of(&x, |[i, j]| 10 * i + j));
                step(&mut x, &mut y, 0..rows)?;
                Ok::<_, spelt_core::Error>(space.gather("x", &x, 0)?.zip(space.gather("y", &y, 0)?))
            });
            let (x, y) = of_root(results);
            let expected = View::from_fn("x", [rows, 2], |[i, j]| 10 * i + j).expect("memory");
            assert_eq!(x, expected, "{size} ranks, {partition:?}");
            let around = |i: usize, j: usize| {
                1000 * expected[[(i + rows - 1) % rows, j]] + expected[[(i + 1) % rows, j]]
            };
            let expected = View::from_fn("y", [rows, 2], |[i, j]| around(i, j)).expect("memory");
            assert_eq!(y, expected, "{size} ranks, {partition:?}");
        }
    }
}

/// The elements that `f` has for the rows of this rank.
fn own_of(x: &DistributedView<usize, 2>, f: impl Fn([usize; 2]) -> usize) -> Vec<usize> {
    x.own_rows().flat_map(|i| (0..x.extents()[1]).map(move |j| [i, j])).map(f).collect()
}
