//! Launches over distributed Views: the bits of one process, on any number of ranks, with any cuts.

use spelt_core::reducers::{MinMaxLoc, Reducer, Sum};
use spelt_core::{
    Between, ExecutionSpace, Result, Serial, Threads, View, parallel_for, parallel_map_reduce,
    parallel_reduce, parallel_scan,
};
use spelt_mpi::{DistributedView, InProcess, Mpi, Partition};

use super::{SIZES, worlds};

/// Numbers over twenty decades: sums in another order have other bits.
pub(crate) fn term(i: usize) -> f64 {
    let random = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
    (random as f64 / (1_u64 << 53) as f64 - 0.5) * 10_f64.powi((i % 20) as i32 - 10)
}

/// Partitions of `rows` rows: those of `Mpi`, at one place, one row for each of the first ranks, random ones, and by weights.
pub(crate) fn partitions(rows: usize, size: usize) -> Vec<Partition> {
    let cuts = |cut: &dyn Fn(usize) -> usize| {
        let mut cuts: Vec<_> = (0..=size).map(cut).collect();
        (cuts[0], cuts[size]) = (0, rows);
        cuts.sort_unstable();
        Partition::from_cuts(&cuts).expect("ascending")
    };
    vec![
        Partition::even(rows, size),
        Partition::by_tiles(rows, size),
        cuts(&|rank| if rank <= size / 2 { 0 } else { rows }),
        cuts(&|rank| rank.min(rows)),
        cuts(&|rank| (rank * 7919 + 13 * size + rows / 3) % (rows + 1)),
        Partition::by_weights(&(0..rows).map(|row| (row * row % 13) as f64).collect::<Vec<_>>(), size),
    ]
}

/// The results of all ranks, which are equal.
pub(crate) fn agreed<T: Send + PartialEq + core::fmt::Debug>(results: Vec<Result<T>>) -> T {
    let mut results = results.into_iter().map(|result| result.expect("no error"));
    let first = results.next().expect("a rank");
    assert!(results.all(|other| other == first), "all ranks have one result");
    first
}

/// The result that the root has.
pub(crate) fn of_root<T>(results: Vec<Result<Option<T>>>) -> T {
    results.into_iter().find_map(|result| result.expect("no error")).expect("the root has it")
}

#[test]
fn sums_have_the_bits_of_one_process() {
    for n in [0, 1, 2047, 2049, 10_000] {
        let space = Serial::new();
        let whole =
            parallel_map_reduce("sum", space.range(0..n), (), |i, ()| term(i.get()), Sum::<f64>::new())
                .expect("no error");
        for size in SIZES {
            for partition in partitions(n, size) {
                let sums = InProcess::new(size).delays(n as u64, 5).run(|ranks| {
                    let space = Mpi::new(ranks, Threads::builder().num_threads(2).build()?);
                    let x = space.view_from_fn_on(&partition, "x", [n], |[i]| term(i))?;
                    parallel_reduce("sum", space.range(0..n), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new())
                });
                assert_eq!(agreed(sums).to_bits(), whole.to_bits(), "{n} on {size}, {partition:?}");
            }
        }
    }
}

/// The extremes of a box that begins and ends inside the View, with their locations.
#[test]
fn boxes_and_locations_are_those_of_one_process() {
    let extents = [23, 41, 5];
    let value = |[i, j, k]: [usize; 3]| ((i * 31 + j * 17 + k * 7) % 50) as f64;
    let ranges = [3..20, 0..40, 1..5];
    let space = Serial::new();
    let x = View::from_fn("x", extents, value).expect("memory");
    let policy = space.md_range(ranges.clone());
    let ends = parallel_map_reduce("ends", policy.clone(), &x, |i, x| x[i], MinMaxLoc::at_index())
        .expect("no error");
    let sum = parallel_reduce("sum", policy, &x, |i, sum, x| *sum += x[i] / 3.0, Sum::<f64>::new())
        .expect("no error");
    for size in SIZES {
        for partition in partitions(extents[0], size) {
            let results = InProcess::new(size).run(|ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let x = space.view_from_fn_on(&partition, "x", extents, value)?;
                let policy = space.md_range(ranges.clone());
                let ends =
                    parallel_map_reduce("ends", policy.clone(), &x, |i, x| x[i], MinMaxLoc::at_index())?;
                let sum =
                    parallel_reduce("sum", policy, &x, |i, sum, x| *sum += x[i] / 3.0, Sum::<f64>::new())?;
                Ok((ends, sum.to_bits()))
            });
            assert_eq!(agreed(results), (ends, sum.to_bits()), "{size} ranks, {partition:?}");
        }
    }
}

/// Values of two intervals of iterations: the join that concatenates them does not commute.
#[derive(Clone)]
struct Concatenate;
impl Reducer for Concatenate {
    type Value = Vec<u32>;
    type Output = Vec<u32>;
    const COMMUTATIVE: bool = false;
    fn init(&self) -> Vec<u32> {
        Vec::new()
    }
    fn join(&self, into: &mut Vec<u32>, right: &Vec<u32>) {
        into.extend(right);
    }
    fn finish(&self, value: Vec<u32>) -> Vec<u32> {
        value
    }
}

#[test]
fn joins_that_do_not_commute_are_in_order() {
    let n = 5000;
    for size in [1, 2, 3, 5, 7, 8] {
        for partition in partitions(n, size) {
            let results = InProcess::new(size).run(|ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let x = space.view_from_fn_on(&partition, "x", [n], |[i]| i as u32)?;
                parallel_reduce("list", space.range(0..n), &x, |i, list, x| list.push(x[i]), Concatenate)
            });
            assert!(agreed(results).into_iter().eq(0..n as u32), "{size} ranks, {partition:?}");
        }
    }
}

#[test]
fn scans_have_the_bits_of_one_process() {
    for (rows, columns) in [(0, 3), (1, 1), (700, 7), (40, 300)] {
        let number = move |[i, j]: [usize; 2]| i * columns + j;
        let space = Serial::new();
        let (mut floats, mut integers) =
            (View::<f64, 2>::zeros("floats", [rows, columns]).expect("memory"), Vec::new());
        let all = space.md_range([0..rows, 0..columns]);
        let total = parallel_scan(
            "scan",
            all,
            &mut floats,
            |i, sum, last, mut y| {
                *sum += term(number(i.index()));
                if last {
                    y[i] = *sum;
                }
            },
            Sum::<f64>::new(),
        )
        .expect("no error");
        (0..rows * columns).fold(0_u64, |sum, i| {
            integers.push(sum + 3 * i as u64);
            sum + 3 * i as u64
        });
        for size in [1, 2, 3, 5, 7, 8] {
            for partition in partitions(rows, size) {
                let results = InProcess::new(size).delays(size as u64, 20).run(|ranks| {
                    let space = Mpi::new(ranks, Serial::new());
                    let mut y = space.zeros_on::<f64, 2>(&partition, "y", [rows, columns])?;
                    let mut z = space.zeros_on::<u64, 2>(&partition, "z", [rows, columns])?;
                    let all = || space.md_range([0..rows, 0..columns]);
                    let total = parallel_scan(
                        "floats",
                        all(),
                        &mut y,
                        |i, sum, last, mut y| {
                            *sum += term(number(i.index()));
                            if last {
                                y[i] = *sum;
                            }
                        },
                        Sum::<f64>::new(),
                    )?;
                    parallel_scan(
                        "integers",
                        all(),
                        &mut z,
                        |i, sum, last, mut z| {
                            *sum += 3 * number(i.index()) as u64;
                            if last {
                                z[i] = *sum;
                            }
                        },
                        Sum::<u64>::new(),
                    )?;
                    let (y, z) = (space.gather("y", &y, 0)?, space.gather("z", &z, 0)?);
                    Ok::<_, spelt_core::Error>((total.to_bits(), y.zip(z)))
                });
                for (rank, result) in results.into_iter().enumerate() {
                    let (sum, views) = result.expect("no error");
                    assert_eq!(sum, total.to_bits(), "{rows} rows on {size}, {partition:?}");
                    assert_eq!(views.is_some(), rank == 0);
                    if let Some((y, z)) = views {
                        assert!(
                            y.iter().map(|y| y.to_bits()).eq(floats.iter().map(|y| y.to_bits())),
                            "{size}, {partition:?}"
                        );
                        assert_eq!(z.to_vec(), integers, "{size}, {partition:?}");
                    }
                }
            }
        }
    }
}

/// Three steps of a stencil whose reach differs on both sides, over a border of each kind.
fn stencil<const LOW: isize, const HIGH: isize>(rows: usize, columns: usize, periodic: bool)
where
    (Between<LOW, HIGH>, Between<-1, 0>): spelt_core::HaloShape<2>,
{
    let (low, high) = ((-LOW) as usize, HIGH as usize);
    let start = |i: usize, j: usize| term(i * columns + j);
    let inner = if periodic { 0..rows } else { low.min(rows)..rows.saturating_sub(high).max(low.min(rows)) };
    let mut expected: Vec<f64> = (0..rows * columns).map(|at| start(at / columns, at % columns)).collect();
    for _ in 0..3 {
        let old = expected.clone();
        let at = |i: isize, j: usize| old[i.rem_euclid(rows as isize) as usize * columns + j];
        for i in inner.clone() {
            for j in 1..columns {
                let i_signed = i as isize;
                expected[i * columns + j] =
                    0.5 * at(i_signed + LOW, j) + at(i_signed, j - 1) - 0.25 * at(i_signed + HIGH, j);
            }
        }
    }
    for size in [1, 2, 3, 5, 7, 8] {
        for (number, partition) in
            partitions(rows, size).into_iter().enumerate().filter(|(number, _)| *number != 1)
        {
            // Each partition in another kind of world.
            for world in worlds(size).into_iter().skip(number % 3).take(1) {
                let results = world.run(|ranks| {
                    let space = Mpi::new(ranks, Serial::new());
                    let mut x =
                        space.view_from_fn_on(&partition, "x", [rows, columns], |[i, j]| start(i, j))?;
                    let mut y =
                        space.view_from_fn_on(&partition, "y", [rows, columns], |[i, j]| start(i, j))?;
                    if periodic {
                        (x, y) = (x.periodic(), y.periodic());
                    }
                    for _ in 0..3 {
                        let halo = x.halo_of::<(Between<LOW, HIGH>, Between<-1, 0>)>();
                        let policy = space.md_range([inner.clone(), 1..columns]);
                        parallel_for("step", policy, (halo, &mut y), |i, (x, mut y)| {
                            y[i] = 0.5 * x.at(i, [LOW, 0]) + x.at(i, [0, -1]) - 0.25 * x.at(i, [HIGH, 0]);
                        })?;
                        core::mem::swap(&mut x, &mut y);
                    }
                    space.gather("x", &x, 0)
                });
                let x = of_root(results).to_vec();
                let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                assert_eq!(
                    bits(&x),
                    bits(&expected),
                    "{rows} rows on {size}, {partition:?}, periodic: {periodic}"
                );
            }
        }
    }
}

#[test]
fn stencils_have_the_bits_of_one_process() {
    for rows in [0, 1, 4, 17] {
        stencil::<-1, 1>(rows, 3, false);
        stencil::<-3, 1>(rows, 3, false);
        stencil::<0, 4>(rows, 2, false);
    }
    for rows in [1, 4, 17] {
        stencil::<-1, 1>(rows, 3, true);
    }
    stencil::<-4, 2>(4, 2, true);
    stencil::<-2, 3>(9, 2, true);
}

/// A launch fetches rows only if they are old: one message to each neighbour for all Views.
#[test]
fn rows_come_once_in_one_message_to_each_neighbour() {
    for size in [1, 2, 3, 8] {
        let rows = 4 * size;
        let counts = InProcess::new(size).run(|ranks| {
            let space = Mpi::new(ranks, Serial::new());
            let mut a = space.view_from_fn("a", [rows, 3], |[i, _]| i as f64)?;
            let mut b = space.view_from_fn("b", [rows, 5], |[i, _]| i as f32)?;
            let mut y = space.zeros::<f64, 2>("y", [rows, 3])?;
            let mut launch = |b: &mut DistributedView<f32, 2>| {
                let before = ranks.sent();
                let args = (a.halo::<1>(), b.halo::<1>(), &mut y);
                parallel_for("sum", space.md_range([1..rows - 1, 1..2]), args, |i, (a, b, mut y)| {
                    y[i] = a.at(i, [-1, 0]) + f64::from(b.at(i, [1, 0]));
                })?;
                let after = ranks.sent();
                Ok::<_, spelt_core::Error>((after.messages - before.messages, after.bytes - before.bytes))
            };
            let first = launch(&mut b)?;
            let second = launch(&mut b)?;
            parallel_for("write", space.md_range([0..rows, 0..5]), &mut b, |i, mut b| b[i] += 1.0)?;
            let third = launch(&mut b)?;
            let _ = b.own_mut();
            let fourth = launch(&mut b)?;
            Ok((ranks.rank(), [first, second, third, fourth]))
        });
        for result in counts {
            let (rank, counts) = result.expect("no error");
            let neighbours = u64::from(rank > 0) + u64::from(rank + 1 < size);
            let (both, of_b) = (neighbours * (3 * 8 + 5 * 4), neighbours * 5 * 4);
            assert_eq!(
                counts,
                [(neighbours, both), (0, 0), (neighbours, of_b), (neighbours, of_b)],
                "rank {rank} of {size}"
            );
        }
    }
}

/// What all ranks can see is an error on all of them, before any message, and they go on.
#[test]
fn wrong_arguments_are_told_on_all_ranks() {
    let texts = InProcess::new(3).run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let mut x = space.zeros::<f64, 2>("x", [9, 4])?;
        let mut other = space.zeros_on::<f64, 2>(&Partition::from_cuts(&[0, 9, 9, 9])?, "other", [9, 4])?;
        let mut plain = View::<f64, 2>::zeros("plain", [9, 4])?;
        let short = View::<f64, 2>::zeros("short", [8, 4])?;
        let (mut texts, before) = (Vec::new(), ranks.sent());
        let mut told = |result: Result<()>| texts.push(result.expect_err("refused").to_string());
        let all = || space.md_range([0..9, 0..4]);
        told(parallel_for("a", all(), (&x, &mut other), |i, (x, mut y)| y[i] = x[i]));
        told(parallel_for("b", all(), (x.halo::<1>(), ()), |i, (x, ())| assert!(x[i] < 1.0)));
        told(parallel_for("c", space.md_range([0..10, 0..4]), &mut x, |i, mut x| x[i] = 1.0));
        told(parallel_for("d", space.md_range([0..9, 0..5]), &mut x, |i, mut x| x[i] = 1.0));
        told(parallel_for("e", all(), (&x, &mut plain), |i, (x, mut y)| y[i] = x[i]));
        told(parallel_for("f", all(), (&short, &mut x), |i, (short, mut x)| x[i] = short[i]));
        let mut ring = space.zeros::<f64, 2>("ring", [2, 4])?.periodic();
        told(parallel_for("g", space.md_range([0..1, 3..4]), (ring.halo::<3>(), ()), |i, (x, ())| {
            assert!(x[i] < 1.0)
        }));
        let huge = space.md_range([0..usize::MAX, 0..4]);
        told(parallel_reduce("h", huge, (), |_, sum, ()| *sum += 1.0, Sum::<f64>::new()).map(|_| ()));
        assert_eq!(ranks.sent(), before, "no message");
        // All ranks go on.
        parallel_for("ok", all(), &mut x, |i, mut x| x[i] = 1.0)?;
        parallel_reduce("sum", all(), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new())
            .map(|sum| assert_eq!(sum, 36.0))?;
        Ok::<_, spelt_core::Error>(texts)
    });
    let expected = [
        "`a`: views `x` and `other` are divided at other rows, [0, 3, 6, 9] and [0, 9, 9, 9]",
        "`b`: view `x`.halo() with extents [9, 4] does not cover the indices [0..9, 0..4]: in dimension 0 it covers 1..8",
        "`c`: view `x` with extents [9, 4] does not cover the indices [0..10, 0..4]",
        "`d`: view `x` with extents [9, 4] does not cover the indices [0..9, 0..5]: in dimension 1 it covers 0..4",
        "`e`: view `plain` is not distributed",
        "`f`: view `short` with extents [8, 4] does not cover the indices",
        "`g`: the halo of view `ring` reaches over 3 and 3 rows, more than the 2",
        "`h`: the policy has more iterations than a `usize` can count",
    ];
    for texts in texts {
        let texts = texts.expect("no error");
        for (text, expected) in texts.iter().zip(expected) {
            assert!(text.contains(expected), "{text}");
        }
    }
}

/// Ranks that launch over other ranges are found.
#[test]
fn other_launches_are_found() {
    let results = InProcess::new(2).timeout(std::time::Duration::from_secs(60)).run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let mut x = space.zeros::<f64, 2>("x", [8, 1])?;
        let mut y = space.zeros::<f64, 2>("y", [8, 1])?;
        let end = 7 - ranks.rank();
        parallel_for(
            "step",
            space.md_range([1..end, 0..1]),
            (x.halo_of::<(Between<-1, 1>, Between<0, 0>)>(), &mut y),
            |i, (x, mut y)| {
                y[i] = x.at(i, [1, 0]);
            },
        )
    });
    let told = |error: &spelt_core::Error| {
        error.to_string().contains("launch with a halo `step` (number 1, hash of the policy")
    };
    assert!(results.iter().any(|result| result.as_ref().is_err_and(told)), "{results:?}");
}

/// Replicated Views, rows, and the first component of an index.
#[test]
fn other_arguments_are_read() {
    let (rows, columns) = (11, 7);
    for size in [1, 3, 7, 8] {
        let results = InProcess::new(size).run(|ranks| {
            let space = Mpi::new(ranks, Serial::new());
            let partition = Partition::even(rows, size);
            let a = space.view_from_fn_on(&partition, "a", [rows, columns], |[i, j]| (10 * i + j) as f64)?;
            let heights = space.view_from_fn_on(&partition, "heights", [rows], |[i]| 1000.0 * i as f64)?;
            let table = View::from_fn("table", [columns], |[j]| j)?;
            let widths = View::from_fn("widths", [columns], |[j]| 0.5 * j as f64)?;
            let mut y = space.zeros_on::<f64, 2>(&partition, "y", [rows, columns])?;
            let mut sums = space.zeros_on::<f64, 1>(&partition, "sums", [rows])?;
            let args = (heights.along::<0>(), widths.along::<1>(), &mut y, 0.25);
            parallel_for(
                "fill",
                space.md_range([0..rows, 0..columns]),
                args,
                |i, (heights, widths, mut y, quarter)| {
                    y[i] = heights[i] + widths[i] + quarter;
                },
            )?;
            parallel_for(
                "rows",
                space.range(0..rows),
                (a.by_rows(), y.by_rows_mut(), table.lookup(), &mut sums),
                |i, (a, mut y, table, mut sums)| {
                    let row = a.row(i);
                    sums[i] = (0..row.len()).map(|j| row[table[j]]).sum();
                    y.row_mut(i)[0] = -1.0;
                },
            )?;
            Ok::<_, spelt_core::Error>(space.gather("y", &y, 0)?.zip(space.gather("sums", &sums, 0)?))
        });
        let (y, sums) = of_root(results);
        let expected = View::from_fn("y", [rows, columns], |[i, j]| {
            if j == 0 { -1.0 } else { 1000.0 * i as f64 + 0.5 * j as f64 + 0.25 }
        });
        assert_eq!(y, expected.expect("memory"));
        assert!(
            sums.iter().copied().eq((0..rows).map(|i| (0..columns).map(|j| (10 * i + j) as f64).sum())),
            "{sums}"
        );
    }
}

/// In a launch over the local space, a halo covers the rows whose neighbours are there: own ones, and copies that are current.
#[test]
fn local_launches_read_current_copies_alone() {
    let results = InProcess::new(2).timeout(std::time::Duration::from_secs(60)).run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let mut x = space.view_from_fn("x", [8, 1], |[i, _]| i)?;
        let mut y = space.zeros::<usize, 2>("y", [8, 1])?;
        let own = x.own_rows();
        let (inner, rim) = (own.start + 1..own.end - 1, [own.start.max(1), own.end.min(7) - 1]);
        let mut is_read = |x: &mut DistributedView<usize, 2>, rows| {
            let halo = x.halo_of::<(Between<-1, 1>, Between<0, 0>)>();
            let policy = space.local().md_range([rows, 0..1]);
            let read = parallel_for("read", policy, (halo, &mut y), |i, (x, mut y)| {
                y[i] = x.at(i, [-1, 0]) + x.at(i, [1, 0]);
            });
            read.is_ok()
        };
        let mut found = vec![is_read(&mut x, inner.clone()), is_read(&mut x, rim[0]..rim[1] + 1)];
        let halo = x.halo_of::<(Between<-1, 1>, Between<0, 0>)>();
        parallel_for("fetch", space.md_range([1..7, 0..1]), (halo, ()), |i, (x, ())| assert!(x[i] < 8))?;
        found.push(is_read(&mut x, rim[0]..rim[1] + 1));
        let _ = x.own_mut();
        found.extend([is_read(&mut x, inner), is_read(&mut x, rim[0]..rim[1] + 1)]);
        Ok::<_, spelt_core::Error>(found)
    });
    for found in results {
        assert_eq!(found.expect("no error"), [true, false, true, true, false]);
    }
}

/// Messages of which each takes several steps of both ranks travel while the inner part runs, in each pattern: both ranks run it row by row
/// in step, so that no chance of the machine decides.
#[test]
fn messages_travel_while_the_inner_part_runs() {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    // Rows of a tile: reductions and scans run whole ones meanwhile.
    let (size, own, columns) = (3, 40, 2048);
    for (pattern, periodic) in (0..3).flat_map(|pattern| [(pattern, false), (pattern, true)]) {
        let rows_done = [0; 3].map(AtomicUsize::new);
        let late = InProcess::new(size).rendezvous_above(0).longest_message(4096).run(|ranks| {
            let space = Mpi::new(ranks, Serial::new());
            let mut x = space.view_from_fn("x", [size * own, columns], |[i, _]| i as f64)?;
            if periodic {
                x = x.periodic();
            }
            let (rank, rows_done) = (ranks.rank(), &rows_done);
            let rows = if periodic { 0..size * own } else { 1..size * own - 1 };
            let policy = space.md_range([rows, 0..columns]);
            let halo = x.halo_of::<(Between<-1, 1>, Between<0, 0>)>();
            let in_step = move |[i, j]: [usize; 2]| {
                let row = i - rank * own;
                if j == 0 && (2..own - 2).contains(&row) {
                    rows_done[rank].fetch_max(row, SeqCst);
                    while rows_done.iter().any(|done| done.load(SeqCst) + 1 < row) {
                        std::thread::yield_now();
                    }
                }
            };
            match pattern {
                0 => parallel_for("step", policy, halo, move |i, _| in_step(i.index()))?,
                1 => parallel_reduce(
                    "sum",
                    policy,
                    halo,
                    move |i, sum, _| {
                        in_step(i.index());
                        *sum += 1.0
                    },
                    Sum::<f64>::new(),
                )
                .map(drop)?,
                _ => parallel_scan(
                    "scan",
                    policy,
                    halo,
                    move |i, sum, _, _| {
                        in_step(i.index());
                        *sum += 1.0
                    },
                    Sum::<f64>::new(),
                )
                .map(drop)?,
            }
            Ok::<_, spelt_core::Error>(ranks.late_halos())
        });
        for late in late {
            assert_eq!(late.expect("no error"), 0, "pattern {pattern}, periodic: {periodic}");
        }
    }
}

/// A rank runs its inner rows although its neighbour has not even begun the launch, in each pattern.
#[test]
fn inner_rows_do_not_wait_for_messages() {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    let (own, columns) = (20, 2048);
    for pattern in 0..3 {
        let iterations = AtomicUsize::new(0);
        let late = InProcess::new(2).timeout(std::time::Duration::from_secs(60)).run(|ranks| {
            let space = Mpi::new(ranks, Serial::new());
            let mut x = space.view_from_fn("x", [2 * own, columns], |[i, _]| i as f64)?;
            let (rank, iterations) = (ranks.rank(), &iterations);
            let since = std::time::Instant::now();
            // All rows of rank 0 but the last one.
            while rank == 1 && iterations.load(SeqCst) < (own - 1) * columns {
                assert!(since.elapsed().as_secs() < 30, "rank 0 waits");
                std::thread::yield_now();
            }
            let policy = space.md_range([0..2 * own - 1, 0..columns]);
            let halo = x.halo_of::<(Between<0, 1>, Between<0, 0>)>();
            let body = move |slope: f64| {
                assert!(slope == 1.0);
                iterations.fetch_add(usize::from(rank == 0), SeqCst);
            };
            match pattern {
                0 => parallel_for("for", policy, halo, move |i, x| body(x.at(i, [1, 0]) - x[i]))?,
                1 => parallel_reduce(
                    "sum",
                    policy,
                    halo,
                    move |i, sum, x| {
                        body(x.at(i, [1, 0]) - x[i]);
                        *sum += 1.0;
                    },
                    Sum::<f64>::new(),
                )
                .map(|sum| assert!(sum == ((2 * own - 1) * columns) as f64))?,
                _ => parallel_scan(
                    "scan",
                    policy,
                    halo,
                    move |i, sum, _, x| {
                        body(x.at(i, [1, 0]) - x[i]);
                        *sum += 1.0;
                    },
                    Sum::<f64>::new(),
                )
                .map(|sum| assert!(sum == ((2 * own - 1) * columns) as f64))?,
            }
            Ok::<_, spelt_core::Error>(ranks.late_halos())
        });
        // The last piece of rank 0 came before the message.
        assert_eq!(late.into_iter().next().expect("rank 0").expect("no error"), 1, "pattern {pattern}");
    }
}
