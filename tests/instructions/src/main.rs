//! One kernel, called a number of times on one thread; `count.rs` counts its instructions.
//!
//! `instructions KERNEL ELEMENTS CALLS`; `KERNEL:threads` runs on two threads instead of `Serial`

use std::hint::black_box;

use spelt::prelude::*;

/// The columns of short rows, a number that the compiler does not know.
const SHORT: usize = 8;

/// The elements of a gathered row.
const GATHERED: usize = 27;

fn main() -> spelt::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kernel, n, calls] = &arguments[..] else { panic!("usage: instructions KERNEL ELEMENTS CALLS") };
    let n: usize = n.parse().expect("a number of elements");
    let calls: usize = calls.parse().expect("a number of calls");
    match kernel.strip_suffix(":threads") {
        None => run(&Serial::new(), kernel, n, calls),
        Some(kernel) => run(&Threads::builder().num_threads(2).build()?, kernel, n, calls),
    }
}

fn run<S>(space: &S, kernel: &str, n: usize, calls: usize) -> spelt::Result<()>
where
    S: ExecutionSpace<Memory = HostSpace>,
{
    let x = View::from_fn("x", [n], |[i]| (i * 7919 % 1024) as f64)?;
    let mut y = View::from_fn("y", [n], |[i]| i as f64)?;
    let short = black_box(SHORT);
    let rows = View::from_fn("rows", [n / short, short], |[i, j]| ((i * short + j) * 7919 % 1024) as f64)?;
    let columns = View::from_fn("columns", [n], |[i]| (i * 7919 % n) as u32)?;
    for _ in 0..calls {
        let range = space.range(0..n);
        match kernel {
            "dot" => {
                let dot = parallel_reduce(
                    "dot",
                    range,
                    (&x, &y),
                    |i, sum, (x, y)| *sum += x[i] * y[i],
                    Sum::new(),
                )?;
                black_box::<f64>(dot);
            }
            "sum" => {
                black_box::<f64>(parallel_reduce("sum", range, &x, |i, sum, x| *sum += x[i], Sum::new())?);
            }
            "min" => {
                let least = Min::<f64>::new();
                black_box(parallel_reduce(
                    "min",
                    range,
                    &x,
                    |i, min, x| {
                        if x[i] < *min {
                            *min = x[i]
                        }
                    },
                    least,
                )?);
            }
            "minmaxloc" => {
                let ends = MinMaxLoc::<f64>::new();
                black_box(parallel_reduce("ends", range, &x, |i, ends, x| ends.update(x[i], i.get()), ends)?);
            }
            "scan" => {
                let scan = parallel_scan(
                    "scan",
                    range,
                    (&x, &mut y),
                    |i, sum, last, (x, mut y)| {
                        *sum += x[i];
                        if last {
                            y[i] = *sum;
                        }
                    },
                    Sum::new(),
                )?;
                black_box::<f64>(scan);
            }
            "short-sum-of-box" => {
                black_box(sum_of_box(space, &rows)?);
            }
            "gathered-rows" => {
                black_box(gathered_rows(space, (&x, &x, &columns), n / GATHERED)?);
            }
            "short-sum" => {
                let sum = parallel_reduce(
                    "sums",
                    space.team(n / short, 1),
                    &rows,
                    |team, rows| {
                        let range = team.team_vector_range(0..short);
                        let sum = team.parallel_reduce(range, |j, sum| *sum += rows[j], &Sum::<f64>::new());
                        team.contribute(sum);
                    },
                    Max::new(),
                )?;
                black_box::<f64>(sum);
            }
            "short-minmaxloc" => {
                let farthest = parallel_reduce(
                    "ends",
                    space.team(n / short, 1),
                    &rows,
                    |team, rows| {
                        let range = team.team_vector_range(0..short);
                        let ends = team.parallel_map_reduce(range, |j| rows[j], MinMaxLoc::<f64>::at_index());
                        team.contribute(ends.max_loc[1]);
                    },
                    Max::new(),
                )?;
                black_box::<usize>(farthest);
            }
            "minloc-at-index" => {
                black_box(parallel_map_reduce("least", range, &x, |i, x| x[i], MinLoc::<f64>::at_index())?);
            }
            "minmaxloc-at-index" => {
                black_box(parallel_map_reduce("ends", range, &x, |i, x| x[i], MinMaxLoc::<f64>::at_index())?);
            }
            "axpy" => parallel_for("axpy", range, (2.0, &x, &mut y), |i, (a, x, mut y)| y[i] += a * x[i])?,
            other => panic!("there is no kernel `{other}`"),
        }
    }
    black_box(&y);
    Ok(())
}

/// Apart, so that the launches of other kernels are compiled as if it were not there.
#[inline(never)]
fn sum_of_box<S>(space: &S, rows: &View<f64, 2>) -> spelt::Result<f64>
where
    S: ExecutionSpace<Memory = HostSpace>,
{
    let [n, m] = rows.extents();
    parallel_reduce("sum", space.md_range([0..n, 0..m]), rows, |i, sum, x| *sum += x[i], Sum::new())
}

/// The least product of a sparse matrix's rows with a vector, all reads checked.
#[inline(never)]
fn gathered_rows<S>(
    space: &S,
    (values, x, columns): (&View<f64, 1>, &View<f64, 1>, &View<u32, 1>),
    rows: usize,
) -> spelt::Result<f64>
where
    S: ExecutionSpace<Memory = HostSpace>,
{
    let m = black_box(GATHERED);
    parallel_reduce(
        "rows",
        space.range(0..rows),
        (values.lookup(), x.lookup(), columns.lookup()),
        move |row, least, (values, x, columns)| {
            let first = row.get() * m;
            let product = serial_reduce(
                m,
                |k, sum| *sum += values[first + k] * x[columns[first + k] as usize],
                &Sum::new(),
            );
            if product < *least {
                *least = product;
            }
        },
        Min::<f64>::new(),
    )
}
