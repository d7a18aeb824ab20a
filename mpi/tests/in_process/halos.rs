//! Which copies of rows are current: after halos of one side, launches without rows of a rank, and changes of the border.

use std::time::Duration;

use spelt_core::reducers::Sum;
use spelt_core::{
    Between, Result, Serial, View, parallel_for, parallel_map_reduce, parallel_reduce, parallel_scan,
};
use spelt_mpi::{Communicator, DistributedView, InProcess, Mpi, Partition};

use super::SIZES;
use super::distributed::{agreed, of_root, partitions};

type Below = (Between<-1, 0>, Between<0, 0>);
type Above = (Between<0, 1>, Between<0, 0>);
type Both = (Between<-1, 1>, Between<0, 0>);

/// Launches that read one side each, of a View that is not written: copies of one side outlive an exchange of the other.
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

/// Launches that write rows of a few ranks: all ranks agree that copies are old.
#[test]
fn launches_over_rows_of_some_ranks_write_too() {
    let rows = 7;
    for size in [2, 3, 7, 8] {
        for partition in partitions(rows, size) {
            let results = InProcess::new(size).timeout(Duration::from_secs(60)).run(|ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let mut x = space.zeros_on::<f64, 2>(&partition, "x", [rows, 1])?;
                let mut y = space.zeros_on::<f64, 2>(&partition, "y", [rows, 1])?;
                let inner = space.md_range([1..rows - 1, 0..1]);
                let mut sums = Vec::new();
                for step in 1..5 {
                    parallel_for("step", inner.clone(), (x.halo_of::<Both>(), &mut y), |i, (x, mut y)| {
                        y[i] = 10.0 * y[i] + x.at(i, [-1, 0]);
                    })?;
                    let args = (&mut x, f64::from(step));
                    sums.push(match step % 2 {
                        0 => parallel_reduce(
                            "write",
                            inner.clone(),
                            args,
                            |i, sum, (mut x, step)| {
                                x[i] += step;
                                *sum += x[i];
                            },
                            Sum::<f64>::new(),
                        )?,
                        _ => parallel_scan(
                            "write",
                            inner.clone(),
                            args,
                            |i, sum, last, (mut x, step)| {
                                *sum += 1.0;
                                if last {
                                    x[i] += step;
                                }
                            },
                            Sum::<f64>::new(),
                        )?,
                    });
                }
                let y = parallel_map_reduce("y", inner, &y, |i, y| y[i], Sum::<f64>::new())?;
                Ok((sums, y))
            });
            // A row whose lower neighbour is written reads 0, 1, 3 and 6, and the first one reads zeros.
            let expected = (vec![5.0, 15.0, 5.0, 50.0], 4.0 * 136.0);
            assert_eq!(agreed(results), expected, "{size} ranks, {partition:?}");
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

/// Two ranks that do different things with two Views.
fn differing(main: impl Fn(&Mpi<'_, Serial>, [DistributedView<f64, 2>; 2]) -> Result<()> + Sync) -> String {
    let run = |ranks: &Communicator| {
        let space = Mpi::new(ranks, Serial::new());
        let view = |label| space.view_from_fn(label, [8, 1], |[i, _]| i as f64);
        main(&space, [view("a")?, view("b")?])
    };
    let results = InProcess::new(2).timeout(Duration::from_secs(60)).run(run);
    let texts: Vec<_> =
        results.into_iter().map(|result| result.err().map(|error| error.to_string())).collect();
    let told = texts.iter().flatten().find(|text| text.contains("the ranks do not make the same calls"));
    told.unwrap_or_else(|| panic!("{texts:?}")).clone()
}

/// Launches over other Views, or over Views in another state, are found: messages carry what each rank knows of them.
#[test]
fn other_views_are_found() {
    let read = |space: &Mpi<'_, Serial>, x: &mut DistributedView<f64, 2>| {
        parallel_for("read", space.md_range([1..7, 0..1]), (x.halo_of::<Both>(), ()), |i, (x, ())| {
            assert!(x.at(i, [1, 0]) >= x.at(i, [-1, 0]));
        })
    };
    let sum = |space: &Mpi<'_, Serial>, x: &DistributedView<f64, 2>| {
        let policy = space.md_range([0..8, 0..1]);
        parallel_reduce("sum", policy, x, |i, sum, x| *sum += x[i], Sum::<f64>::new()).map(|_| ())
    };
    // One rank reads another View.
    differing(|space, [mut a, mut b]| read(space, if space.ranks().rank() == 0 { &mut a } else { &mut b }));
    // One rank writes another View: with a launch for both, b's rows would arrive as a's.
    differing(|space, [mut a, mut b]| {
        read(space, &mut a)?;
        read(space, &mut b)?;
        let _ = if space.ranks().rank() == 0 { a.own_mut() } else { b.own_mut() };
        let args = (a.halo_of::<Both>(), b.halo_of::<Both>());
        parallel_for("both", space.md_range([1..7, 0..1]), args, |i, (a, b)| assert!(a[i] == b[i]))
    });
    // One rank has written a View of which there are no copies.
    differing(|space, [mut a, _]| {
        if space.ranks().rank() == 0 {
            let _ = a.own_mut();
        }
        sum(space, &a)
    });
    // One rank takes another View of the same label and type: others have written it.
    differing(|space, [mut a, _]| {
        let mut other = space.zeros::<f64, 2>("a", [8, 1])?;
        for view in [&mut a, &mut other] {
            parallel_for("write", space.md_range([0..8, 0..1]), view, |i, mut a| a[i] = 1.0)?;
        }
        sum(space, if space.ranks().rank() == 0 { &a } else { &other })
    });
    // .. or has borrowed it before another launch.
    differing(|space, [mut a, _]| {
        let mut other = space.zeros::<f64, 2>("a", [8, 1])?;
        for view in [&mut a, &mut other] {
            let _ = view.own_mut();
            read(space, view)?;
        }
        sum(space, if space.ranks().rank() == 0 { &a } else { &other })
    });
    // One rank has a ring.
    differing(|space, [a, _]| {
        let mut a = if space.ranks().rank() == 0 { a.periodic() } else { a };
        let _ = a.own_mut();
        read(space, &mut a)
    });
    // One rank reads two Views in reversed order.
    differing(|space, [mut a, mut b]| {
        if space.ranks().rank() == 0 {
            core::mem::swap(&mut a, &mut b);
        }
        let args = (a.halo_of::<Both>(), b.halo_of::<Both>());
        parallel_for("both", space.md_range([1..7, 0..1]), args, |i, (a, b)| assert!(a[i] == b[i]))
    });
    // Reductions and scans, whose messages have no rows.
    differing(|space, [a, b]| sum(space, if space.ranks().rank() == 0 { &a } else { &b }));
    differing(|space, [mut a, mut b]| {
        let x = if space.ranks().rank() == 0 { &mut a } else { &mut b };
        let policy = space.md_range([0..8, 0..1]);
        parallel_scan("scan", policy, x, |_, sum, _, _| *sum += 1.0, Sum::<f64>::new()).map(|_| ())
    });
    // The messages have as many bytes.
    let results = InProcess::new(2).timeout(Duration::from_secs(60)).run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let policy = space.md_range([1..7, 0..1]);
        if ranks.rank() == 0 {
            let mut x = space.zeros::<u64, 2>("x", [8, 1])?;
            parallel_for("read", policy, (x.halo_of::<Both>(), ()), |i, (x, ())| {
                assert!(x.at(i, [1, 0]) == 0)
            })
        } else {
            let mut x = space.zeros::<f64, 2>("x", [8, 1])?;
            parallel_for("read", policy, (x.halo_of::<Both>(), ()), |i, (x, ())| {
                assert!(x.at(i, [1, 0]) == 0.0)
            })
        }
    });
    assert!(results.iter().any(Result::is_err), "{results:?}");
}

/// A View that is written once between two launches on each rank, however often the rank borrows it.
#[test]
fn ranks_may_borrow_a_view_more_or_less_often() {
    let sums = InProcess::new(3).timeout(Duration::from_secs(60)).run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let mut x = space.zeros::<f64, 2>("x", [9, 1])?;
        for _ in 0..=ranks.rank() {
            x.own_mut().as_view_mut().fill(1.0);
        }
        let mut y = space.zeros::<f64, 2>("y", [9, 1])?;
        let policy = space.md_range([1..8, 0..1]);
        parallel_for("read", policy.clone(), (x.halo_of::<Both>(), &mut y), |i, (x, mut y)| {
            y[i] = x.at(i, [-1, 0]) + x.at(i, [1, 0]);
        })?;
        parallel_reduce("sum", policy, &y, |i, sum, y| *sum += y[i], Sum::<f64>::new())
    });
    assert_eq!(agreed(sums), 14.0);
}

/// Iterations without an owner: a policy of fewer or more dimensions than the View, and with more rows.
#[test]
fn policies_of_other_ranks_have_no_rows_beyond_a_view() {
    for size in [1, 2, 3] {
        let texts = InProcess::new(size).run(|ranks| {
            let space = Mpi::new(ranks, Serial::new());
            let mut x = space.zeros::<f64, 2>("x", [4, 2])?;
            let line = space.zeros::<f64, 1>("line", [4])?;
            let before = ranks.sent();
            let mut texts = Vec::new();
            let mut told = |result: Result<()>| texts.push(result.expect_err("refused").to_string());
            told(parallel_for("range", space.range(0..100), &x, |_, _| ()));
            told(parallel_for("range", space.range(0..100), x.halo::<0>(), |_, _| ()));
            told(parallel_for("box", space.md_range([0..5, 0..2]), &line, |_, _| ()));
            let cube = space.md_range([0..5, 0..2, 0..2]);
            told(parallel_map_reduce("cube", cube, &mut x, |_, _| 1, Sum::<u32>::new()).map(|_| ()));
            assert_eq!(ranks.sent(), before, "no message");
            let count = parallel_map_reduce("ok", space.range(1..4), &x, |_, _| 1, Sum::<u32>::new())?;
            assert_eq!(count, 3);
            Ok::<_, spelt_core::Error>(texts)
        });
        for texts in texts {
            for text in texts.expect("no error") {
                let is_told = text.contains("does not cover the indices [0..")
                    && text.contains("in dimension 0 it covers 0..4");
                assert!(is_told, "{text}");
            }
        }
    }
}

/// A View that is not distributed is refused also under the label of one that is.
#[test]
fn a_plain_view_with_the_label_of_a_distributed_one_is_refused() {
    for size in [1, 2, 3] {
        let texts = InProcess::new(size).run(|ranks| {
            let space = Mpi::new(ranks, Serial::new());
            // Ranks have no rows, whose addresses mean nothing.
            let partition = Partition::from_cuts(&[vec![0; size], vec![2]].concat())?;
            let mut texts = Vec::new();
            for rows in [2, 0] {
                let x = space.zeros_on::<f64, 1>(&partition, "x", [2])?;
                let mut plain = View::<f64, 1>::zeros("x", [rows])?;
                let written =
                    parallel_for("copy", space.range(0..rows), (&x, &mut plain), |i, (x, mut y)| y[i] = x[i]);
                texts.push(written.expect_err("refused").to_string());
            }
            Ok::<_, spelt_core::Error>(texts)
        });
        for text in texts.into_iter().flat_map(|texts| texts.expect("no error")) {
            assert!(text.contains("view `x` is not distributed"), "{text}");
        }
    }
}
