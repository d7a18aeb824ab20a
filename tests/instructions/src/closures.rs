//! Closures of 10, 100 and 300 operations under every pattern, called a number of times on one thread:
//! `count.rs` counts the instructions of some, which grow when a closure stops being inlined.
//!
//! `closures PATTERN:OPERATIONS ELEMENTS CALLS ..`

mod measurements;
#[macro_use]
mod operations;

use std::hint::black_box;

use spelt::prelude::*;

/// The iterations of a row of the two-dimensional kernels, and of a team.
const ROW: usize = 1 << 9;

/// Runs one pattern with a closure of this number of operations.
macro_rules! run {
    ($operations:tt, $pattern:expr, $space:expr, $n:expr, $views:expr) => {{
        let (space, n, (x, x2, y, y2)) = ($space, $n, $views);
        let rows = n / ROW;
        match $pattern {
            "for-range" => parallel_for("f", space.range(0..n), (&*x, &mut *y), |i, (x, mut y)| {
                y[i] = operations!($operations, x[i]);
            })?,
            "for-box" => {
                parallel_for("f", space.md_range([0..rows, 0..ROW]), (&*x2, &mut *y2), |i, (x, mut y)| {
                    y[i] = operations!($operations, x[i]);
                })?
            }
            "for-box-left" => {
                let policy = space.md_range([0..rows, 0..ROW]).iterate(Iterate::Left);
                parallel_for("f", policy, (&*x2, &mut *y2), |i, (x, mut y)| {
                    y[i] = operations!($operations, x[i]);
                })?;
            }
            "for-box-tiled" => {
                let policy = space.md_range([0..rows, 0..ROW]).tile([8, 64]);
                parallel_for("f", policy, (&*x2, &mut *y2), |i, (x, mut y)| {
                    y[i] = operations!($operations, x[i]);
                })?;
            }
            "for-team" => parallel_for("f", space.team(rows, 1), (&*x2, &mut *y2), |team, (x, mut y)| {
                let range = team.team_vector_range(0..ROW);
                team.parallel_for(range, |j| y[j] = operations!($operations, x[j]));
            })?,
            "lookup" => parallel_for("f", space.range(0..n), (x.lookup(), &mut *y), |i, (x, mut y)| {
                let (before, after) = (x[i.get().saturating_sub(1)], x[(i.get() + 1).min(n - 1)]);
                y[i] = operations!($operations, before + x[i.get()] + after);
            })?,
            "reduce-range" => {
                black_box::<f64>(parallel_reduce(
                    "r",
                    space.range(0..n),
                    &*x,
                    |i, sum, x| {
                        *sum += operations!($operations, x[i]);
                    },
                    Sum::new(),
                )?);
            }
            "reduce-box" => {
                black_box::<f64>(parallel_reduce(
                    "r",
                    space.md_range([0..rows, 0..ROW]),
                    &*x2,
                    |i, sum, x| {
                        *sum += operations!($operations, x[i]);
                    },
                    Sum::new(),
                )?);
            }
            "map-reduce" => {
                black_box::<f64>(parallel_map_reduce(
                    "r",
                    space.range(0..n),
                    &*x,
                    |i, x| operations!($operations, x[i]),
                    Sum::new(),
                )?);
            }
            "reduce-team" => {
                black_box::<f64>(parallel_reduce(
                    "r",
                    space.team(rows, 1),
                    &*x2,
                    |team, x| {
                        let range = team.team_vector_range(0..ROW);
                        let sum = team.parallel_reduce(
                            range,
                            |j, sum| *sum += operations!($operations, x[j]),
                            &Sum::new(),
                        );
                        team.contribute(sum);
                    },
                    Sum::new(),
                )?);
            }
            "scan-range" => {
                black_box::<f64>(parallel_scan(
                    "s",
                    space.range(0..n),
                    (&*x, &mut *y),
                    |i, sum, last, (x, mut y)| {
                        *sum += operations!($operations, x[i]);
                        if last {
                            y[i] = *sum;
                        }
                    },
                    Sum::new(),
                )?);
            }
            "scan-box" => {
                black_box::<f64>(parallel_scan(
                    "s",
                    space.md_range([0..rows, 0..ROW]),
                    (&*x2, &mut *y2),
                    |i, sum, last, (x, mut y)| {
                        *sum += operations!($operations, x[i]);
                        if last {
                            y[i] = *sum;
                        }
                    },
                    Sum::new(),
                )?);
            }
            "scan-exact" => {
                black_box::<f64>(parallel_scan(
                    "s",
                    space.range(0..n),
                    (&*x, &mut *y),
                    |i, max, last, (x, mut y)| {
                        *max = max.max(operations!($operations, x[i]));
                        if last {
                            y[i] = *max;
                        }
                    },
                    Max::<f64>::new(),
                )?);
            }
            "scan-team" => {
                black_box::<f64>(parallel_scan(
                    "s",
                    space.team(rows, 1),
                    (&*x2, &mut *y2),
                    |team, sum, last, (x, mut y)| {
                        let range = team.team_vector_range(0..ROW);
                        let own: f64 = team.parallel_reduce(
                            range,
                            |j, sum| *sum += operations!($operations, x[j]),
                            &Sum::new(),
                        );
                        *sum += own;
                        if last {
                            let (range, sum) = (team.team_vector_range(0..ROW), *sum);
                            team.parallel_for(range, |j| y[j] = sum);
                        }
                    },
                    Sum::new(),
                )?);
            }
            "nested-scan" => parallel_for("s", space.team(rows, 1), (&*x2, &mut *y2), |team, (x, mut y)| {
                let range = team.team_vector_range(0..ROW);
                team.parallel_scan(
                    range,
                    |j, sum, last| {
                        *sum += operations!($operations, x[j]);
                        if last {
                            y[j] = *sum;
                        }
                    },
                    &Sum::<f64>::new(),
                );
            })?,
            "serial-reduce" => {
                parallel_for("s", space.range(0..rows), (x2.by_rows(), &mut *y), |i, (x, mut y)| {
                    let row = &x[i];
                    y[i] = serial_reduce(
                        row.len(),
                        |k, sum| *sum += operations!($operations, row[k]),
                        &Sum::new(),
                    );
                })?
            }
            other => panic!("there is no pattern `{other}`"),
        }
    }};
}

fn main() -> spelt::Result<()> {
    measurements::run_each(measure)
}

fn measure(kernel: &str, n: usize, calls: usize) -> spelt::Result<()> {
    let (pattern, operations) = kernel.split_once(':').expect("PATTERN:OPERATIONS");
    let space = Serial::new();
    let value = |i: usize| (i * 7919 % 1024) as f64 / 1024.0;
    let x = &mut View::from_fn("x", [n], |[i]| value(i))?;
    let x2 = &mut View::from_fn("x2", [n / ROW, ROW], |[i, j]| value(i * ROW + j))?;
    let y = &mut View::<f64, 1>::zeros("y", [n])?;
    let y2 = &mut View::<f64, 2>::zeros("y2", [n / ROW, ROW])?;
    for _ in 0..calls {
        match operations {
            "10" => run!(10, pattern, &space, n, (&*x, &*x2, &mut *y, &mut *y2)),
            "100" => run!(100, pattern, &space, n, (&*x, &*x2, &mut *y, &mut *y2)),
            "300" => run!(300, pattern, &space, n, (&*x, &*x2, &mut *y, &mut *y2)),
            other => panic!("there is no closure of {other} operations: choose 10, 100 or 300"),
        }
    }
    black_box((y, y2));
    Ok(())
}
