//! The kernels, each with its data: one text for every space, so that a device's results can be compared with the host's.

use spelt::Result;
use spelt::prelude::*;

use super::algorithms;

/// A vector, and the result of a reduction over it.
type VectorAndResult<T, M> = (View<T, 1, M>, View<T, 0, M>);

/// A kernel that is ready to be launched.
pub struct Kernel<'s> {
    /// Its name in tables.
    pub name: &'static str,
    /// Iterations that the kernel's work is counted by.
    pub elements: usize,
    /// Bytes that a launch must read and write at least.
    pub bytes: usize,
    job: Box<dyn Job + 's>,
}

impl core::fmt::Debug for Kernel<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} of {} elements", self.name, self.elements)
    }
}

impl Kernel<'_> {
    /// Launches it once. Only a fence, or [`bits`](Self::bits), waits for it.
    ///
    /// # Errors
    /// If the launch fails.
    pub fn launch(&mut self) -> Result<()> {
        self.job.launch()
    }

    /// All bits that it has written.
    ///
    /// # Errors
    /// If the copy to the host fails.
    pub fn bits(&self) -> Result<Vec<u64>> {
        self.job.bits()
    }
}

/// The set-up of a kernel for a number of elements.
pub type Setup<S> = for<'s> fn(&'s S, usize) -> Result<Kernel<'s>>;

trait Job {
    fn launch(&mut self) -> Result<()>;
    fn bits(&self) -> Result<Vec<u64>>;
}

/// Data, the launch over it, and the reading of its results.
struct Made<D, L, B> {
    data: D,
    launch: L,
    bits: B,
}

impl<D, L: Fn(&mut D) -> Result<()>, B: Fn(&D) -> Result<Vec<u64>>> Job for Made<D, L, B> {
    fn launch(&mut self) -> Result<()> {
        (self.launch)(&mut self.data)
    }
    fn bits(&self) -> Result<Vec<u64>> {
        (self.bits)(&self.data)
    }
}

pub(super) fn made<'s, D: 's>(
    name: &'static str,
    elements: usize,
    bytes: usize,
    data: D,
    launch: impl Fn(&mut D) -> Result<()> + 's,
    bits: impl Fn(&D) -> Result<Vec<u64>> + 's,
) -> Kernel<'s> {
    Kernel { name, elements, bytes, job: Box::new(Made { data, launch, bits }) }
}

/// The timed cases, by name: [`all`], measurements of the device itself, and algorithms of several launches.
#[must_use]
pub fn timed<S: ExecutionSpace>() -> Vec<(&'static str, Setup<S>)> {
    let mut timed: Vec<(_, Setup<S>)> = vec![("empty launch", empty), ("copy f64", copy)];
    timed.extend(all::<S>());
    timed.extend(algorithms::all::<S>());
    timed
}

/// The kernels, by name.
#[must_use]
pub fn all<S: ExecutionSpace>() -> Vec<(&'static str, Setup<S>)> {
    vec![
        ("sum f64", sum_f64),
        ("sum f32", sum_f32),
        ("dot f64", dot),
        ("min f64", min),
        ("minmaxloc f64", minmaxloc),
        ("scan i64", scan_i64),
        ("scan f64", scan_f64),
        ("axpy f64", axpy),
        ("triad f64", triad),
        ("stencil f64", stencil),
        ("rows of 64", rows::<S, 64, 0>),
        ("rows of 64 by teams of 8", rows::<S, 64, 8>),
        ("rows of 64 by teams of 32", rows::<S, 64, 32>),
        ("rows of 100", rows::<S, 100, 0>),
        ("rows of 1000", rows::<S, 1000, 0>),
        ("rows of 1000 by teams of 8", rows::<S, 1000, 8>),
        ("rows of 1000 by teams of 32", rows::<S, 1000, 32>),
        ("transposing copy f64", transpose),
        ("sums along an axis of 1000", axis),
        ("gaussian sum f32", gaussian_sum),
    ]
}

/// Numbers whose sums round: another order of joins would give other bits.
pub(super) fn rough(i: usize) -> f64 {
    (i.wrapping_mul(7919) % 10_007) as f64 / 97.0 - 31.0
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// One iteration without data, for every `n`: the fixed cost of a launch.
fn empty<S: ExecutionSpace>(space: &S, _n: usize) -> Result<Kernel<'_>> {
    let launch = move |(): &mut ()| parallel_for("empty launch", space.range(0..1), (), |_, ()| {});
    Ok(made("empty launch", 1, 0, (), launch, |()| Ok(Vec::new())))
}

fn copy<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let launch = move |data: &mut Vectors<S, 1>| {
        parallel_for("copy f64", space.range(0..n), (&data.x, &mut data.y), |i, (x, mut y)| y[i] = x[i])
    };
    Ok(made("copy f64", n, 16 * n, Vectors::new(space, n, [n])?, launch, Vectors::bits))
}

fn sum_f64<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let data = (space.view_from_fn("x", [n], |[i]| rough(i))?, space.zeros::<f64, 0>("sum", [])?);
    let launch = move |(x, result): &mut VectorAndResult<f64, S::Memory>| {
        let range = space.range(0..n);
        parallel_reduce_into("sum f64", range, &*x, |i, sum, x| *sum += x[i], Sum::<f64>::new(), result)
    };
    Ok(made("sum f64", n, 8 * n, data, launch, |(_, result)| Ok(bits(&result.to_host()?.to_vec()))))
}

fn sum_f32<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let data = (space.view_from_fn("x", [n], |[i]| rough(i) as f32)?, space.zeros::<f32, 0>("sum", [])?);
    let launch = move |(x, result): &mut VectorAndResult<f32, S::Memory>| {
        let range = space.range(0..n);
        parallel_reduce_into("sum f32", range, &*x, |i, sum, x| *sum += x[i], Sum::<f32>::new(), result)
    };
    Ok(made("sum f32", n, 4 * n, data, launch, |(_, result)| {
        Ok(result.to_host()?.iter().map(|value| u64::from(value.to_bits())).collect())
    }))
}

/// Two Views to read and one to write.
struct Vectors<S: ExecutionSpace, const R: usize> {
    x: View<f64, 1, S::Memory>,
    w: View<f64, 1, S::Memory>,
    y: View<f64, R, S::Memory>,
}

impl<S: ExecutionSpace, const R: usize> Vectors<S, R> {
    fn new(space: &S, n: usize, written: [usize; R]) -> Result<Self> {
        Ok(Self {
            x: space.view_from_fn("x", [n], |[i]| rough(i))?,
            w: space.view_from_fn("w", [n], |[i]| rough(i + 5))?,
            y: space.zeros("y", written)?,
        })
    }

    fn bits(&self) -> Result<Vec<u64>> {
        Ok(bits(&self.y.to_host()?.to_vec()))
    }
}

fn dot<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let launch = move |data: &mut Vectors<S, 0>| {
        parallel_reduce_into(
            "dot f64",
            space.range(0..n),
            (&data.x, &data.w),
            |i, sum, (x, w)| *sum += x[i] * w[i],
            Sum::<f64>::new(),
            &mut data.y,
        )
    };
    Ok(made("dot f64", n, 16 * n, Vectors::new(space, n, [])?, launch, Vectors::bits))
}

fn min<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let launch = move |data: &mut Vectors<S, 0>| {
        parallel_reduce_into(
            "min f64",
            space.range(0..n),
            &data.x,
            |i, least, x| *least = least.min(x[i]),
            Min::<f64>::new(),
            &mut data.y,
        )
    };
    Ok(made("min f64", n, 8 * n, Vectors::new(space, n, [])?, launch, Vectors::bits))
}

fn minmaxloc<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let data = (space.view_from_fn("x", [n], |[i]| rough(i))?, Vec::new());
    let launch = move |(x, found): &mut (View<f64, 1, S::Memory>, Vec<u64>)| {
        let reducer = MinMaxLoc::<f64>::new();
        let range = space.range(0..n);
        let ends =
            parallel_reduce("minmaxloc f64", range, &*x, |i, ends, x| ends.update(x[i], i.get()), reducer)?;
        *found =
            vec![ends.min_val.to_bits(), ends.min_loc as u64, ends.max_val.to_bits(), ends.max_loc as u64];
        Ok(())
    };
    Ok(made("minmaxloc f64", n, 8 * n, data, launch, |(_, found)| Ok(found.clone())))
}

fn scan_i64<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let x = space.view_from_fn("x", [n], |[i]| (i.wrapping_mul(7919) % 10_007) as i64 - 5000)?;
    let data = (x, space.zeros("y", [n])?, space.zeros("total", [])?);
    type Data<M> = (View<i64, 1, M>, View<i64, 1, M>, View<i64, 0, M>);
    let launch = move |(x, y, total): &mut Data<S::Memory>| {
        parallel_scan_into(
            "scan i64",
            space.range(0..n),
            (&*x, y),
            |i, sum, last, (x, mut y)| {
                *sum += x[i];
                if last {
                    y[i] = *sum;
                }
            },
            Sum::<i64>::new(),
            total,
        )
    };
    Ok(made("scan i64", n, 16 * n, data, launch, |(_, y, total)| {
        let (y, total) = (y.to_host()?, total.to_host()?);
        Ok(y.iter().chain(total.iter()).map(|value| value.cast_unsigned()).collect())
    }))
}

fn scan_f64<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let data = (Vectors::<S, 1>::new(space, n, [n])?, space.zeros::<f64, 0>("total", [])?);
    let launch = move |(data, total): &mut (Vectors<S, 1>, View<f64, 0, S::Memory>)| {
        parallel_scan_into(
            "scan f64",
            space.range(0..n),
            (&data.x, &mut data.y),
            |i, sum, last, (x, mut y)| {
                *sum += x[i];
                if last {
                    y[i] = *sum;
                }
            },
            Sum::<f64>::new(),
            total,
        )
    };
    Ok(made("scan f64", n, 16 * n, data, launch, |(data, total)| {
        Ok([data.bits()?, bits(&total.to_host()?.to_vec())].concat())
    }))
}

fn axpy<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let launch = move |data: &mut Vectors<S, 1>| {
        let args = (1.7, &data.x, &mut data.y);
        parallel_for("axpy f64", space.range(0..n), args, |i, (a, x, mut y)| y[i] += a * x[i])
    };
    Ok(made("axpy f64", n, 24 * n, Vectors::new(space, n, [n])?, launch, Vectors::bits))
}

fn triad<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let launch = move |data: &mut Vectors<S, 1>| {
        let args = (1.7, &data.x, &data.w, &mut data.y);
        parallel_for("triad f64", space.range(0..n), args, |i, (a, x, w, mut y)| y[i] = x[i] + a * w[i])
    };
    Ok(made("triad f64", n, 24 * n, Vectors::new(space, n, [n])?, launch, Vectors::bits))
}

/// Two square arrays.
struct Squares<S: ExecutionSpace, L: spelt::Layout> {
    from: View<f64, 2, S::Memory>,
    to: View<f64, 2, S::Memory, L>,
}

impl<S: ExecutionSpace, L: spelt::Layout> Squares<S, L> {
    fn new(space: &S, side: usize, layout: L) -> Result<Self> {
        Ok(Self {
            from: space.view_from_fn("from", [side, side], |[i, j]| rough(i * side + j))?,
            to: space.zeros_in(layout, "to", [side, side])?,
        })
    }

    fn bits(&self) -> Result<Vec<u64>> {
        Ok(bits(&self.to.to_host()?.to_vec()))
    }
}

fn stencil<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let side = n.isqrt().max(3);
    let inner = (side - 2) * (side - 2);
    let launch = move |data: &mut Squares<S, Right>| {
        let inner = space.md_range([1..side - 1, 1..side - 1]);
        parallel_for("stencil f64", inner, (data.from.halo::<1>(), &mut data.to), |i, (a, mut y)| {
            y[i] = a.at(i, [-1, 0]) + a.at(i, [1, 0]) + a.at(i, [0, -1]) + a.at(i, [0, 1]) - 4.0 * a[i];
        })
    };
    let data = Squares::new(space, side, Right)?;
    Ok(made("stencil f64", inner, 16 * inner, data, launch, Squares::bits))
}

/// A matrix, a vector, and their product.
struct Matrix<S: ExecutionSpace> {
    a: View<f64, 2, S::Memory>,
    data: Vectors<S, 1>,
}

/// Sums of rows of `W` elements by teams of `T` threads, or of as many as the space chooses where `T` is 0.
fn rows<S: ExecutionSpace, const W: usize, const T: usize>(space: &S, n: usize) -> Result<Kernel<'_>> {
    const { assert!(W == 64 || W == 100 || W == 1000, "the other widths have no name") };
    const { assert!(T == 0 || T == 8 || T == 32, "the other sizes have no name") };
    let name = match (W, T) {
        (64, 0) => "rows of 64",
        (64, 8) => "rows of 64 by teams of 8",
        (64, _) => "rows of 64 by teams of 32",
        (100, _) => "rows of 100",
        (_, 0) => "rows of 1000",
        (_, 8) => "rows of 1000 by teams of 8",
        _ => "rows of 1000 by teams of 32",
    };
    // A host has teams of one thread.
    let threads = space.team(1, AUTO).team_size_max().min(T);
    let size = if T == 0 { AUTO } else { threads.into() };
    let rows = (n / W).max(1);
    let data = Matrix::<S> {
        a: space.view_from_fn("a", [rows, W], |[i, j]| rough(i * W + j))?,
        data: Vectors::new(space, W, [rows])?,
    };
    let launch = move |Matrix { a, data }: &mut Matrix<S>| {
        let args = (&*a, data.x.lookup(), &mut data.y);
        parallel_for("rows f64", space.team(rows, size), args, |team, (a, x, mut y)| {
            let row = team.thread_range(W);
            let sum = team.parallel_reduce(row, |rj, sum| *sum += a[rj] * x[[rj.inner()]], Sum::<f64>::new());
            team.single(|row| y[row] = sum);
        })
    };
    Ok(made(name, rows * W, 8 * (rows * W + rows + W), data, launch, |data| data.data.bits()))
}

fn transpose<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let side = n.isqrt().max(1);
    let launch = |data: &mut Squares<S, Left>| deep_copy(&mut data.to, &data.from);
    let data = Squares::new(space, side, Left)?;
    Ok(made("transposing copy f64", side * side, 16 * side * side, data, launch, Squares::bits))
}

fn axis<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    const W: usize = 1000;
    let rows = (n / W).max(9);
    let data = Matrix::<S> {
        a: space.view_from_fn("a", [rows, W], |[i, j]| rough(i * W + j))?,
        data: Vectors::new(space, 0, [rows])?,
    };
    let launch =
        move |Matrix { a, data }: &mut Matrix<S>| spelt::algorithms::sum_axes(space, &*a, [1], &mut data.y);
    let elements = rows * W;
    Ok(made("sums along an axis of 1000", elements, 8 * (elements + rows), data, launch, |data| {
        data.data.bits()
    }))
}

/// Points, points with weights, and the sums of the first over the second.
type Points<M> = (View<[f32; 3], 1, M>, View<([f32; 3], f32), 1, M>, View<f32, 1, M>);

fn gaussian_sum<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let m = n.isqrt();
    let point = |i: usize| [rough(i), rough(i + 5), rough(i + 9)].map(|x| x as f32 / 100.0);
    let data: Points<S::Memory> = (
        space.view_from_fn("x", [m], |[i]| point(i))?,
        space.view_from_fn("y and b", [m], |[j]| (point(j + 13), rough(j) as f32))?,
        space.zeros("a", [m])?,
    );
    let launch = move |(x, y, a): &mut Points<S::Memory>| {
        let kernel = |_, sum: &mut f32, (x, (y, b)): ([f32; 3], ([f32; 3], f32))| {
            let [u, v, w] = [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
            *sum += spelt::math::exp(-(u * u + v * v + w * w)) * b;
        };
        spelt::algorithms::reduce_pairs_over_j(space, &*x, &*y, a, kernel, Sum::<f32>::new())
    };
    Ok(made("gaussian sum f32", m * m, 32 * m, data, launch, |(_, _, a)| {
        Ok(a.to_host()?.iter().map(|value| u64::from(value.to_bits())).collect())
    }))
}
