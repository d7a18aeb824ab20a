//! Kernels, each called a number of times on one thread; `count.rs` counts their instructions.
//!
//! `instructions KERNEL ELEMENTS CALLS ..`; `KERNEL:threads` runs on two threads instead of `Serial`

mod measurements;

use std::hint::black_box;

use spelt::prelude::*;

/// The columns of short rows, a number that the compiler does not know.
const SHORT: usize = 8;

/// The elements of a gathered row.
const GATHERED: usize = 27;

fn main() -> spelt::Result<()> {
    let threads = Threads::builder().num_threads(2).build()?;
    measurements::run_each(|kernel, n, calls| {
        if let Some(form) = kernel.strip_prefix("arguments-") {
            return with_arguments(&Serial::new(), form, n, calls);
        }
        match kernel.strip_suffix(":threads") {
            None => run(&Serial::new(), kernel, n, calls),
            Some(kernel) => run(&threads, kernel, n, calls),
        }
    })
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
            "sum-in-parts" => {
                black_box(sum_in_parts(space, &x)?);
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
            "league-of-8" => sums_of_rows::<8, _>(space, &rows, &mut y)?,
            "league-of-100" => {
                // A number that the compiler knows.
                let rows = View::from_fn("rows", [n / 100, 100], |[i, j]| (i + j) as f64)?;
                (0..calls).try_for_each(|_| sums_of_rows::<100, _>(space, &rows, &mut y))?;
                return Ok(());
            }
            "fence" | "copy" | "fill" | "region" => event(space, kernel, &x, &mut y)?,
            "needle" => needle(space, &y)?,
            "axpy" => parallel_for("axpy", range, (2.0, &x, &mut y), |i, (a, x, mut y)| y[i] += a * x[i])?,
            other => panic!("there is no kernel `{other}`"),
        }
    }
    black_box(&y);
    Ok(())
}

/// The sum of each row, by a team; apart, as `sum_of_box` is.
#[inline(never)]
fn sums_of_rows<const COLUMNS: usize, S>(
    space: &S,
    rows: &View<f64, 2>,
    sums: &mut View<f64, 1>,
) -> spelt::Result<()>
where
    S: ExecutionSpace<Memory = HostSpace>,
{
    let policy = space.team(rows.extents()[0], AUTO);
    parallel_for("sums of rows", policy, (rows, sums), |team, (rows, mut sums)| {
        let columns = team.thread_range(COLUMNS);
        let sum = team.parallel_reduce(columns, |j, sum| *sum += rows[j], Sum::<f64>::new());
        team.single(|row| sums[row] = sum);
    })
}

/// Operations of which tools are told, where none is installed; apart, as `sum_of_box` is.
#[inline(never)]
fn event<S>(space: &S, kernel: &str, x: &View<f64, 1>, y: &mut View<f64, 1>) -> spelt::Result<()>
where
    S: ExecutionSpace<Memory = HostSpace>,
{
    match kernel {
        "fence" => space.fence(),
        "copy" => deep_copy(y, x),
        "fill" => deep_copy_scalar(y, 1.0),
        _ => {
            let _region = spelt::tools::region("region");
            Ok(())
        }
    }
}

/// A search for one needle; apart, as `sum_of_box` is.
#[inline(never)]
fn needle<S>(space: &S, sorted: &View<f64, 1>) -> spelt::Result<()>
where
    S: ExecutionSpace<Memory = HostSpace>,
{
    let needle = (sorted.len() / 3) as f64;
    black_box(spelt::algorithms::equal_range_of(space, sorted, black_box(needle))?);
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

/// The sum in two parts that meet inside a tile; apart, as `sum_of_box` is.
#[inline(never)]
fn sum_in_parts<S>(space: &S, x: &View<f64, 1>) -> spelt::Result<f64>
where
    S: ExecutionSpace<Memory = HostSpace>,
{
    let n = x.len();
    let mut part = Part::new(n, Sum::new());
    for piece in [0..n / 3, n / 3..n] {
        part.reduce("sum", space.range(piece), x, |i, sum, x| *sum += x[i])?;
    }
    part.finish()
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

/// The arguments of a kernel with twenty-four, as a struct.
#[derive(KernelArgs)]
struct Fields<'a> {
    y: &'a mut View<f64, 1>,
    x: [&'a View<f64, 1>; 22],
    scale: f64,
}

/// The sum of as many Views as the form has arguments besides the result, which is one of them.
///
/// Apart, so that the launches of other kernels are compiled as if it were not there.
#[inline(never)]
#[rustfmt::skip]
fn with_arguments<S>(space: &S, form: &str, n: usize, calls: usize) -> spelt::Result<()>
where
    S: ExecutionSpace<Memory = HostSpace>,
{
    let x = View::from_fn("x", [n], |[i]| (i * 7919 % 1024) as f64)?;
    let x: [View<f64, 1>; 22] = core::array::from_fn(|_| x.to_host().expect("memory"));
    let y = &mut View::<f64, 1>::zeros("y", [n])?;
    let [a, b, c, d, e, f, g, h, j, k, l, m, o, p, q, r, s, t, u, v, w, z] = x.each_ref();
    let fields = &mut Fields { y: &mut View::zeros("z", [n])?, x: x.each_ref(), scale: 0.5 };
    for _ in 0..calls {
        match form {
            "1" => one(space, n, y)?,
            "4" => four(space, n, (&mut *y, a, b, 0.5))?,
            "12" => twelve(space, n, (&mut *y, a, b, c, d, e, f, g, h, j, k, 0.5))?,
            "24" => twenty_four(space, n,
                (&mut *y, a, b, c, d, e, f, g, h, j, k, l, m, o, p, q, r, s, t, u, v, w, z, 0.5))?,
            "24-in-a-struct" => in_a_struct(space, n, fields)?,
            other => panic!("there are no arguments `{other}`"),
        }
    }
    black_box((y, &fields.y));
    Ok(())
}

type In<'a> = &'a View<f64, 1>;
type Out<'a> = &'a mut View<f64, 1>;

#[inline(never)]
fn one(space: &impl ExecutionSpace<Memory = HostSpace>, n: usize, y: Out<'_>) -> spelt::Result<()> {
    parallel_for("1", space.range(0..n), y, |i, mut y| y[i] += 0.5)
}

#[inline(never)]
fn four(
    space: &impl ExecutionSpace<Memory = HostSpace>,
    n: usize,
    args: (Out<'_>, In<'_>, In<'_>, f64),
) -> spelt::Result<()> {
    parallel_for("4", space.range(0..n), args, |i, (mut y, a, b, s)| y[i] = s * (a[i] + b[i]))
}

#[inline(never)]
#[rustfmt::skip]
#[allow(clippy::type_complexity)]
fn twelve(
    space: &impl ExecutionSpace<Memory = HostSpace>,
    n: usize,
    args: (Out<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, f64),
) -> spelt::Result<()> {
    parallel_for("12", space.range(0..n), args, |i, (mut y, a, b, c, d, e, f, g, h, j, k, s)| {
        y[i] = s * (a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i] + j[i] + k[i]);
    })
}

#[inline(never)]
#[rustfmt::skip]
#[allow(clippy::type_complexity)]
fn twenty_four(
    space: &impl ExecutionSpace<Memory = HostSpace>,
    n: usize,
    args: (
        Out<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>,
        In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, In<'_>, f64,
    ),
) -> spelt::Result<()> {
    parallel_for("24", space.range(0..n), args,
        |i, (mut y, a, b, c, d, e, f, g, h, j, k, l, m, o, p, q, r, s, t, u, v, w, z, scale)| {
            y[i] = scale * (a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i] + j[i] + k[i] + l[i]
                + m[i] + o[i] + p[i] + q[i] + r[i] + s[i] + t[i] + u[i] + v[i] + w[i] + z[i]);
        })
}

#[inline(never)]
fn in_a_struct(
    space: &impl ExecutionSpace<Memory = HostSpace>,
    n: usize,
    fields: &mut Fields<'_>,
) -> spelt::Result<()> {
    parallel_for("24", space.range(0..n), fields, |i, mut f| {
        let mut sum = 0.0;
        for x in &f.x {
            sum += x[i];
        }
        f.y[i] = f.scale * sum;
    })
}
