//! Leagues of teams over ranks: the bits of one process, on any number of ranks, with any cuts.

use spelt_core::reducers::InOrder;
use spelt_core::reducers::Sum;
use spelt_core::{
    AUTO, ExecutionSpace, Serial, TeamSize, Threads, View, parallel_for, parallel_reduce, parallel_scan,
};
use spelt_mpi::{InProcess, Mpi};

use super::distributed::{agreed, of_root, partitions, term};
use super::{SIZES, on_all};

/// More teams than a tile has, with uneven rows.
const ROWS: usize = 2100;
const COLUMNS: usize = 5;

/// The sum of each row, and that of these sums, of which some teams make none.
fn one_process() -> (Vec<u64>, u64) {
    let space = Serial::new();
    let mut rows = Vec::new();
    for i in 0..ROWS {
        let row = parallel_reduce(
            "row",
            space.range(0..COLUMNS),
            (),
            |j, sum, ()| *sum += term(i * COLUMNS + j.get()),
            Sum::new(),
        );
        rows.push(row.expect("no error"));
    }
    let total = parallel_reduce(
        "rows",
        space.team(ROWS, AUTO),
        (),
        |team, ()| {
            if team.league_rank() % 7 != 5 {
                team.contribute(rows[team.league_rank()]);
            }
        },
        Sum::<f64>::new(),
    );
    (rows.into_iter().map(f64::to_bits).collect(), total.expect("no error").to_bits())
}

#[test]
fn leagues_have_the_bits_of_one_process() {
    let (rows, total) = one_process();
    for size in SIZES {
        for partition in partitions(ROWS, size) {
            // Gangs of more ranks than cores would wait for each other most of the time.
            let sizes = [AUTO, TeamSize::Threads(2)];
            for teams in &sizes[..if size <= 2 { 2 } else { 1 }] {
                let results = InProcess::new(size).delays(size as u64, 5).run(|ranks| {
                    let space = Mpi::new(ranks, Threads::builder().num_threads(2).build()?);
                    let x = space
                        .view_from_fn_on(&partition, "x", [ROWS, COLUMNS], |[i, j]| term(i * COLUMNS + j))?;
                    let mut sums = space.zeros_on::<f64, 1>(&partition, "sums", [ROWS])?;
                    let total = parallel_reduce(
                        "rows",
                        space.team(ROWS, *teams).scratch(64, 0),
                        (&x, &mut sums),
                        |team, (x, mut sums)| {
                            assert_eq!(team.league_size(), ROWS);
                            let row = team.parallel_reduce(
                                team.thread_range(COLUMNS),
                                |ij, sum| *sum += x[ij],
                                Sum::<f64>::new(),
                            );
                            team.single(|i| sums[i] = row);
                            if team.league_rank() % 7 != 5 {
                                team.contribute(row);
                            }
                        },
                        Sum::<f64>::new(),
                    )?;
                    let sums = space.gather("sums", &sums, 0)?;
                    Ok::<_, spelt_core::Error>((sums.map(|sums| sums.to_vec()), total.to_bits()))
                });
                let (totals, sums): (Vec<_>, Vec<_>) = results
                    .into_iter()
                    .map(|result| result.map(|(sums, total)| (total, sums)))
                    .map(split)
                    .unzip();
                assert_eq!(agreed(totals), total, "{size} ranks, {partition:?}, {teams:?}");
                let found: Vec<u64> = of_root(sums).into_iter().map(f64::to_bits).collect();
                assert!(found == rows, "{size} ranks, {partition:?}, {teams:?}");
            }
        }
    }
}

/// The sums of the rows up to each, by a reducer whose order counts, and the total.
#[test]
fn scans_of_leagues_have_the_bits_of_one_process() {
    let reducer = InOrder::new(Sum::<f64>::new());
    let space = Serial::new();
    let mut prefixes = View::<f64, 1>::zeros("prefixes", [ROWS]).expect("memory");
    let row = |i: usize| {
        let sum = |j: spelt_core::Idx<'_, 1>, sum: &mut f64, ()| *sum += term(i * COLUMNS + j.get());
        parallel_reduce("row", space.range(0..COLUMNS), (), sum, Sum::<f64>::new()).expect("no error")
    };
    let rows = View::from_fn("rows", [ROWS], |[i]| row(i)).expect("memory");
    let total = parallel_scan(
        "whole",
        space.range(0..ROWS),
        (&rows, &mut prefixes),
        |i, sum, last, (rows, mut prefixes)| {
            *sum += rows[i];
            if last {
                prefixes[i] = *sum;
            }
        },
        reducer,
    )
    .expect("no error");
    let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
    let expected = bits(prefixes.to_vec());
    for size in SIZES {
        for partition in partitions(ROWS, size) {
            let results = InProcess::new(size).delays(size as u64, 5).run(|ranks| {
                let space = Mpi::new(ranks, Threads::builder().num_threads(2).build()?);
                let x = space
                    .view_from_fn_on(&partition, "x", [ROWS, COLUMNS], |[i, j]| term(i * COLUMNS + j))?;
                let mut prefixes = space.zeros_on::<f64, 1>(&partition, "prefixes", [ROWS])?;
                let total = parallel_scan(
                    "rows",
                    space.team(ROWS, AUTO).scratch(64, 0),
                    (&x, &mut prefixes),
                    |team, sum, last, (x, mut prefixes)| {
                        assert_eq!(team.league_size(), ROWS);
                        *sum += team.parallel_reduce(
                            team.thread_range(COLUMNS),
                            |ij, sum| *sum += x[ij],
                            Sum::<f64>::new(),
                        );
                        if last {
                            let sum = *sum;
                            team.single(|i| prefixes[i] = sum);
                        }
                    },
                    reducer,
                )?;
                Ok((space.gather("prefixes", &prefixes, 0)?.map(|sums| sums.to_vec()), total.to_bits()))
            });
            let (totals, found): (Vec<_>, Vec<_>) = results
                .into_iter()
                .map(|result| result.map(|(found, total)| (total, found)))
                .map(split)
                .unzip();
            assert_eq!(agreed(totals), total.to_bits(), "{size} ranks, {partition:?}");
            assert!(bits(of_root(found)) == expected, "{size} ranks, {partition:?}");
        }
    }
}

type Split<A, B> = (spelt_core::Result<A>, spelt_core::Result<B>);

fn split<A, B>(result: spelt_core::Result<(A, B)>) -> Split<A, B> {
    let (a, b) = result.expect("no error");
    (Ok(a), Ok(b))
}

/// Each team writes its row and reads a View that is the same on all ranks.
#[test]
fn teams_write_their_rows_and_read_what_all_ranks_have() {
    for size in SIZES {
        for results in on_all(size, |ranks| {
            let space = Mpi::new(ranks, Serial::new());
            let factors = View::from_fn("factors", [ROWS], |[i]| i as u64)?;
            let mut y = space.zeros::<u64, 2>("y", [ROWS, COLUMNS])?;
            parallel_for("table", space.team(ROWS, AUTO), (&factors, &mut y), |team, (factors, mut y)| {
                let factor = team.single_broadcast(|i| factors[i]);
                team.parallel_for(team.thread_range(COLUMNS), |ij| y[ij] = factor * 100 + ij.inner() as u64);
            })?;
            space.gather("y", &y, 0)
        }) {
            let y = results.into_iter().flatten().next().expect("the root has it");
            assert!(
                (0..ROWS).all(|i| (0..COLUMNS).all(|j| y[[i, j]] == (i * 100 + j) as u64)),
                "{size} ranks"
            );
        }
    }
}

/// Arguments that do not cover the league are an error on all ranks, before any message.
#[test]
fn leagues_that_are_not_covered_are_told_on_all_ranks() {
    let texts = InProcess::new(3).run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let mut x = space.zeros::<f64, 2>("x", [9, 4])?;
        let short = View::<f64, 2>::zeros("short", [8, 4])?;
        let before = ranks.sent();
        let texts = [
            parallel_for("a", space.team(10, AUTO), &mut x, |_, _| {}),
            parallel_for("b", space.team(9, AUTO), (&short, &mut x), |_, _| {}),
        ]
        .map(|result| result.expect_err("refused").to_string());
        assert_eq!(ranks.sent(), before, "no message");
        parallel_for("ok", space.team(8, AUTO), (&short, &mut x), |team, (short, mut x)| {
            team.parallel_for(team.thread_range(4), |ij| x[ij] = short[ij] + 1.0);
        })?;
        Ok::<_, spelt_core::Error>(texts)
    });
    for texts in texts {
        let [a, b] = texts.expect("no error");
        assert!(a.contains("view `x` with extents [9, 4] does not cover the indices [0..10]"), "{a}");
        assert!(b.contains("view `short` with extents [8, 4] does not cover the indices [0..9]"), "{b}");
    }
}
