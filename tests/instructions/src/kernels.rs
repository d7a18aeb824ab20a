//! Launches with closures of all kinds, each in a function of its own: `count.rs` counts their instructions, and `avx512.rs` looks
//! at their loops.
//!
//! `kernels KERNEL ELEMENTS CALLS ..`

mod measurements;
#[macro_use]
mod operations;

use std::hint::black_box;

use spelt::algorithms::reduce_pairs_over_j;
use spelt::prelude::*;
use spelt::simd::Simd;

/// The columns of the two-dimensional kernels.
const COLUMNS: usize = 1 << 9;

/// The data of all kernels.
struct Data {
    space: Serial,
    n: usize,
    x: View<f64, 1>,
    y: View<f64, 1>,
    x2: View<f64, 2>,
    y2: View<f64, 2>,
    v: View<Simd<f64, 4>, 1>,
    w: View<Simd<f64, 4>, 1>,
    s: View<Simd<f32, 8>, 1>,
    t: View<Simd<f32, 8>, 1>,
    bodies: View<[f32; 4], 1>,
    many: [View<f64, 1>; 12],
}

/// A `parallel_for` and a reduction with a closure of so many operations.
macro_rules! kernels {
    ($($each:ident, $sum:ident: $operations:tt;)*) => {$(
        #[inline(never)]
        fn $each(Data { space, n, x, y, .. }: &mut Data) -> spelt::Result<()> {
            parallel_for("f", space.range(0..*n), (&*x, y), |i, (x, mut y)| y[i] = operations!($operations, x[i]))
        }

        #[inline(never)]
        fn $sum(Data { space, n, x, .. }: &mut Data) -> spelt::Result<()> {
            let sum = parallel_reduce(
                "r",
                space.range(0..*n),
                &*x,
                |i, sum, x| *sum += operations!($operations, x[i]),
                Sum::<f64>::new(),
            )?;
            black_box(sum);
            Ok(())
        }
    )*};
}

kernels! {
    for_10, sum_10: 10;
    for_50, sum_50: 50;
    for_160, sum_160: 160;
    for_300, sum_300: 300;
    for_1000, sum_1000: 1000;
}

/// `for_10` over Views with an origin.
#[inline(never)]
fn for_origin(Data { space, n, x, y, .. }: &mut Data) -> spelt::Result<()> {
    let x = x.view().with_origin([black_box(-3)])?;
    let y = y.view_mut().with_origin([black_box(-3)])?;
    let end = *n as isize - 3;
    parallel_for("f", space.signed_range(-3..end), (x, y), |i, (x, mut y)| y[i] = operations!(10, x[i]))
}

/// `sum_10` over a View with an origin.
#[inline(never)]
fn sum_origin(Data { space, x, .. }: &mut Data) -> spelt::Result<()> {
    let x = x.view().with_origin([black_box(-3)])?;
    let policy = space.signed_range(x.range());
    black_box(parallel_reduce("r", policy, x, |i, sum, x| *sum += operations!(10, x[i]), Sum::<f64>::new())?);
    Ok(())
}

/// The stencil of five points, inside the border.
#[inline(never)]
fn halo(Data { space, x2, y2, .. }: &mut Data) -> spelt::Result<()> {
    let [rows, columns] = x2.extents();
    let policy = space.md_range([1..rows - 1, 1..columns - 1]);
    parallel_for("h", policy, (x2.halo::<1>(), y2), |i, (x, mut y)| {
        y[i] = 0.25 * (x.at(i, [-1, 0]) + x.at(i, [1, 0]) + x.at(i, [0, -1]) + x.at(i, [0, 1]));
    })
}

/// `halo` with the sum of the squared changes: the elements that it writes overlap neither those that it reads nor its running values.
#[inline(never)]
fn sum_written(Data { space, x2, y2, .. }: &mut Data) -> spelt::Result<()> {
    let [rows, columns] = x2.extents();
    let policy = space.md_range([1..rows - 1, 1..columns - 1]);
    let sum = parallel_reduce(
        "h",
        policy,
        (x2.halo::<1>(), y2),
        |i, sum, (x, mut y)| {
            y[i] = 0.25 * (x.at(i, [-1, 0]) + x.at(i, [1, 0]) + x.at(i, [0, -1]) + x.at(i, [0, 1]));
            *sum += (y[i] - x[i]) * (y[i] - x[i]);
        },
        Sum::<f64>::new(),
    )?;
    black_box(sum);
    Ok(())
}

/// Twelve Views that are written: a test whether any two overlap would be a hundred comparisons.
#[inline(never)]
fn many_written(Data { space, n, x, many, .. }: &mut Data) -> spelt::Result<()> {
    let [a, b, c, d, e, f, g, h, j, k, l, m] = many.each_mut();
    let many = (a, b, c, d, e, f, g, h, j, k, l, m);
    parallel_for("m", space.range(0..*n), (&*x, many), |i, (x, many)| {
        let (mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h, mut j, mut k, mut l, mut m) = many;
        (a[i], b[i], c[i], d[i]) = (x[i] + 1.0, x[i] + 2.0, x[i] + 3.0, x[i] + 4.0);
        (e[i], f[i], g[i], h[i]) = (x[i] * 2.0, x[i] * 3.0, x[i] * 4.0, x[i] * 5.0);
        (j[i], k[i], l[i], m[i]) = (a[i] * a[i], b[i] * b[i], c[i] * c[i], d[i] * d[i]);
    })
}

/// `halo` over Views with an origin.
#[inline(never)]
fn halo_origin(Data { space, x2, y2, .. }: &mut Data) -> spelt::Result<()> {
    let x = x2.view().with_origin([black_box(-1), black_box(-1)])?;
    let y = y2.view_mut().with_origin([black_box(-1), black_box(-1)])?;
    let policy = space.signed_md_range(x.ranges().map(|range| range.start + 1..range.end - 1));
    parallel_for("h", policy, (x.halo::<1>(), y), |i, (x, mut y)| {
        y[i] = 0.25 * (x.at(i, [-1, 0]) + x.at(i, [1, 0]) + x.at(i, [0, -1]) + x.at(i, [0, 1]));
    })
}

/// The stencil with the border's `if`, by checked reads.
#[inline(never)]
fn border(Data { space, x2, y2, .. }: &mut Data) -> spelt::Result<()> {
    let [rows, columns] = x2.extents();
    parallel_for("b", space.md_range([0..rows, 0..columns]), (x2.lookup(), y2), |i, (x, mut y)| {
        let [r, c] = i.get();
        y[i] = if r == 0 || r == rows - 1 || c == 0 || c == columns - 1 {
            x[[r, c]]
        } else {
            0.25 * (x[[r - 1, c]] + x[[r + 1, c]] + x[[r, c - 1]] + x[[r, c + 1]])
        };
    })
}

/// The least element, which most elements leave as it is: `avx2.rs` looks at how it is stored.
#[inline(never)]
fn least(Data { space, x, n, .. }: &mut Data) -> spelt::Result<()> {
    black_box(parallel_map_reduce("r", space.range(0..*n), &*x, |i, x| x[i], Min::new())?);
    Ok(())
}

/// A sum of integers.
#[inline(never)]
fn sum_integers(Data { space, x, n, .. }: &mut Data) -> spelt::Result<()> {
    let sum =
        parallel_reduce("r", space.range(0..*n), &*x, |i, sum, x| *sum += x[i].to_bits(), Sum::<u64>::new())?;
    black_box(sum);
    Ok(())
}

/// A sum of checked reads.
#[inline(never)]
fn sum_lookup(Data { space, n, x, .. }: &mut Data) -> spelt::Result<()> {
    let n = *n;
    let sum = parallel_reduce(
        "r",
        space.range(0..n),
        x.lookup(),
        |i, sum, x| *sum += x[i.get()] * x[i.get()],
        Sum::<f64>::new(),
    )?;
    black_box(sum);
    Ok(())
}

/// Sums of rows, whose elements are read with checks.
#[inline(never)]
fn serial_rows(Data { space, x2, y, .. }: &mut Data) -> spelt::Result<()> {
    let [rows, _] = x2.extents();
    parallel_for("s", space.range(0..rows), (x2.by_rows(), y), |i, (x, mut y)| {
        let row = &x[i];
        y[i] = serial_reduce(row.len(), |k, sum| *sum += row[k], &Sum::new());
    })
}

/// The same in teams.
#[inline(never)]
fn team_rows(Data { space, x2, y, .. }: &mut Data) -> spelt::Result<()> {
    let [rows, columns] = x2.extents();
    parallel_for("s", space.team(rows, 1), (&*x2, y), |team, (x, mut y)| {
        let sum =
            team.parallel_reduce(team.team_vector_range(0..columns), |j, sum| *sum += x[j], &Sum::new());
        team.single(|row| y[row] = sum);
    })
}

/// A number that the closure borrows, as it has no `move`.
#[inline(never)]
fn borrowed(Data { space, n, x, y, .. }: &mut Data) -> spelt::Result<()> {
    let scale = black_box(1.5);
    parallel_for("f", space.range(0..*n), (&*x, y), |i, (x, mut y)| y[i] = x[i] * scale)
}

/// An elementary function of each element.
#[inline(never)]
fn exp(Data { space, n, x, y, .. }: &mut Data) -> spelt::Result<()> {
    parallel_for("f", space.range(0..*n), (&*x, y), |i, (x, mut y)| y[i] = spelt::math::exp(x[i]))
}

/// A sum of elementary functions.
#[inline(never)]
fn sum_exp(Data { space, n, x, .. }: &mut Data) -> spelt::Result<()> {
    let sum = parallel_reduce(
        "r",
        space.range(0..*n),
        &*x,
        |i, sum, x| *sum += spelt::math::exp(x[i]),
        Sum::<f64>::new(),
    )?;
    black_box(sum);
    Ok(())
}

/// A function of two values.
#[inline(never)]
fn pow(Data { space, n, x, y, .. }: &mut Data) -> spelt::Result<()> {
    parallel_for("f", space.range(0..*n), (&*x, y), |i, (x, mut y)| y[i] = spelt::math::pow(x[i], 1.4))
}

/// Vectors of four numbers, with a mask.
#[inline(never)]
fn simd_f64(Data { space, v, w, .. }: &mut Data) -> spelt::Result<()> {
    parallel_for("v", space.range(0..v.len()), (&*v, w), |i, (v, mut w)| {
        let large = v[i].simd_gt(Simd::splat(0.5)) & w[i].simd_lt(Simd::splat(8.0));
        w[i] = large.select(v[i] * 1.5, w[i] - v[i]);
    })
}

/// The same with vectors of eight.
#[inline(never)]
fn simd_f32(Data { space, s, t, .. }: &mut Data) -> spelt::Result<()> {
    parallel_for("s", space.range(0..s.len()), (&*s, t), |i, (s, mut t)| {
        let large = s[i].simd_gt(Simd::splat(0.5)) & t[i].simd_lt(Simd::splat(8.0));
        t[i] = large.select(s[i] * 1.5, t[i] - s[i]);
    })
}

/// A sum of vectors, of those lanes that a mask chooses, and of the sum's lanes.
#[inline(never)]
fn sum_simd(Data { space, v, .. }: &mut Data) -> spelt::Result<()> {
    let sum = parallel_map_reduce(
        "v",
        space.range(0..v.len()),
        &*v,
        |i, v| v[i].simd_gt(Simd::splat(0.5)).select(v[i], Simd::splat(0.0)),
        Sum::<Simd<f64, 4>>::new(),
    )?;
    black_box(sum.reduce_sum());
    Ok(())
}

/// The least lane of each vector.
#[inline(never)]
fn simd_lanes(Data { space, v, y, .. }: &mut Data) -> spelt::Result<()> {
    parallel_for("l", space.range(0..v.len()), (&*v, y), |i, (v, mut y)| y[i] = v[i].reduce_sum())
}

/// A call in the loop: the compiler may not inline the function.
#[inline(never)]
fn called(Data { space, n, x, y, .. }: &mut Data) -> spelt::Result<()> {
    parallel_for("f", space.range(0..*n), (&*x, y), |i, (x, mut y)| y[i] = not_inlined(x[i]))
}

#[inline(never)]
fn not_inlined(x: f64) -> f64 {
    operations!(100, x)
}

/// Nineteen values, of fifty operations each, which a second loop uses.
#[inline(never)]
fn written_out(Data { space, n, x, y, .. }: &mut Data) -> spelt::Result<()> {
    parallel_for("f", space.range(0..*n), ([&*x; 19], y), |i, (x, mut y)| {
        let (mut values, mut sum) = ([0.0; 19], 0.0);
        unrolled::<19>(|k| values[k] = operations!(50, x[k][i] + k as f64));
        unrolled::<19>(|k| sum += values[k] * values[18 - k]);
        y[i] = sum;
    })
}

/// The pull of all bodies on sixteen.
#[inline(never)]
fn pairs(Data { space, bodies, .. }: &mut Data) -> spelt::Result<()> {
    let here = View::from_fn("here", [16], |[i]| bodies[i])?;
    let mut sums = space.zeros::<[f32; 3], 1>("sums", [16])?;
    let pull = |_, sum: &mut [f32; 3], (here, there): ([f32; 4], [f32; 4])| {
        let far = [there[0] - here[0], there[1] - here[1], there[2] - here[2]];
        let pull = there[3] / (far[0] * far[0] + far[1] * far[1] + far[2] * far[2] + 1e-3);
        for axis in 0..3 {
            sum[axis] += pull * far[axis];
        }
    };
    reduce_pairs_over_j(space, &here, &*bodies, &mut sums, pull, Sum::<[f32; 3]>::new())?;
    black_box(sums);
    Ok(())
}

fn main() -> spelt::Result<()> {
    measurements::run_each(measure)
}

fn measure(kernel: &str, n: usize, calls: usize) -> spelt::Result<()> {
    let kernel: fn(&mut Data) -> spelt::Result<()> = match kernel {
        "for_10" => for_10,
        "for_50" => for_50,
        "for_160" => for_160,
        "for_300" => for_300,
        "for_1000" => for_1000,
        "sum_10" => sum_10,
        "sum_50" => sum_50,
        "sum_160" => sum_160,
        "sum_300" => sum_300,
        "sum_1000" => sum_1000,
        "for_origin" => for_origin,
        "sum_origin" => sum_origin,
        "halo" => halo,
        "halo_origin" => halo_origin,
        "sum_written" => sum_written,
        "many_written" => many_written,
        "border" => border,
        "borrowed" => borrowed,
        "sum_integers" => sum_integers,
        "least" => least,
        "sum_lookup" => sum_lookup,
        "serial_rows" => serial_rows,
        "team_rows" => team_rows,
        "exp" => exp,
        "sum_exp" => sum_exp,
        "pow" => pow,
        "simd_f64" => simd_f64,
        "simd_f32" => simd_f32,
        "sum_simd" => sum_simd,
        "simd_lanes" => simd_lanes,
        "written_out" => written_out,
        "pairs" => pairs,
        "called" => called,
        other => panic!("there is no kernel `{other}`"),
    };
    let value = |i: usize| (1 + i * 7919 % 1024) as f64 / 1024.0;
    let rows = n / COLUMNS;
    let mut data = Data {
        space: Serial::new(),
        n,
        x: View::from_fn("x", [n], |[i]| value(i))?,
        y: View::zeros("y", [n])?,
        x2: View::from_fn("x2", [rows, COLUMNS], |[i, j]| value(i * COLUMNS + j))?,
        y2: View::zeros("y2", [rows, COLUMNS])?,
        v: View::from_fn("v", [n / 4], |[i]| Simd::from_fn(|lane| value(4 * i + lane)))?,
        w: View::zeros("w", [n / 4])?,
        s: View::from_fn("s", [n / 8], |[i]| Simd::from_fn(|lane| value(8 * i + lane) as f32))?,
        t: View::zeros("t", [n / 8])?,
        many: [(); 12].map(|()| View::zeros("many", [n]).expect("memory")),
        bodies: View::from_fn("bodies", [n], |[i]| core::array::from_fn(|part| value(4 * i + part) as f32))?,
    };
    for _ in 0..calls {
        kernel(&mut data)?;
    }
    black_box((data.y, data.y2, data.w, data.t, data.many));
    Ok(())
}
